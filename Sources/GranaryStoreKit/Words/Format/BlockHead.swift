/// The beginning of a posting block.
///
/// Version and key form (a byte), number of postings, the greatest number of places and the least length of a document
/// (bounds: no posting exceeds them, but after changes perhaps none reaches them), the first document key after the key
/// of the block, the last document key after the first one. Then the first posting's ``PostingBody``, and for each
/// other posting its document key after the previous one, and its body.
struct BlockHead<Key: DocumentKey> {
    var count = 0
    var greatestCount = 0
    var leastLength = Int(UInt32.max)
    var first = Key.origin
    var last = Key.origin

    init() {}

    /// - Parameter base: The document key in the block's key, or the origin for a block inside of a header.
    init(_ reader: inout BlockBytes, base: Key) throws {
        guard try FormatVersion.keyForm(of: reader.byte()) == Key.form else {
            throw WordIndexError.corrupt("a block with another form of keys")
        }
        count = try reader.smallVarint()
        guard count > 0 else { throw WordIndexError.corrupt("a block without postings") }
        greatestCount = try reader.smallVarint()
        leastLength = try reader.smallVarint()
        first = base
        try first.decodeFirst(&reader)
        last = first
        try last.decodeFirst(&reader)
        guard count == 1 ? last == first : last > first else {
            throw WordIndexError.corrupt("a block's last key is not after its first")
        }
    }

    func append(after base: Key, to bytes: inout [UInt8]) {
        bytes.append(FormatVersion.byte(Key.form))
        bytes.appendVarint(count)
        bytes.appendVarint(greatestCount)
        bytes.appendVarint(leastLength)
        first.encode(after: base, into: &bytes)
        last.encode(after: first, into: &bytes)
    }

    /// Widens the bounds.
    @inline(__always) mutating func include(greatestCount count: Int, leastLength length: Int) {
        if count > greatestCount { greatestCount = count }
        if length < leastLength { leastLength = length }
    }
}
