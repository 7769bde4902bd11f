/// What an index knows of a term without reading its blocks.
///
/// The value: number of documents as a varint; then nothing, or a posting block (see ``PostingReader``) that begins
/// after ``DocumentKey/origin``. A term has either that block or blocks of its own.
struct TermHeader {
    let documents: Int
    /// The posting block inside of the header; empty if the term has blocks of its own.
    let inline: UnsafeRawBufferPointer

    /// - Parameter bytes: Must stay valid as long as ``inline`` is used.
    init(parsing bytes: UnsafeRawBufferPointer) throws {
        var reader = BlockBytes(bytes)
        documents = try reader.smallVarint()
        guard documents > 0 else { throw WordIndexError.corrupt("a term without documents") }
        inline = bytes.part(reader.offset..<bytes.count)
    }

    static func bytes(documents: Int, inline: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendVarint(documents)
        return bytes + inline
    }
}
