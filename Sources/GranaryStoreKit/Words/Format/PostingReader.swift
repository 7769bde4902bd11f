/// Goes through the postings of one block.
struct PostingReader<Key: DocumentKey> {
    private(set) var reader: BlockBytes
    private(set) var head: BlockHead<Key>
    /// The postings after the current one.
    private(set) var remaining = 0
    private(set) var key: Key
    /// Where the current posting begins, with its key; for the first one, where its body begins.
    private(set) var start = 0
    /// Where the body of the current posting begins. The reader is at its end.
    private(set) var bodyStart = 0
    private(set) var body = PostingBody()

    /// A reader of nothing.
    init() {
        reader = BlockBytes(UnsafeRawBufferPointer(start: nil, count: 0))
        head = BlockHead()
        key = Key.origin
    }

    /// A reader at the first posting.
    /// - Parameters:
    ///   - bytes: A block, which must stay valid as long as the reader is used.
    ///   - base: The document key in the block's key, or nil for a block inside of a header.
    init(_ bytes: UnsafeRawBufferPointer, after base: Key?) throws {
        reader = BlockBytes(bytes)
        head = try BlockHead(&reader, base: base ?? Key.origin)
        if let base, head.first < base { throw WordIndexError.corrupt("a block begins before its key") }
        key = head.first
        remaining = head.count - 1
        start = reader.offset
        bodyStart = start
        body = try PostingBody(&reader)
        if remaining == 0 { try checkEnd() }
    }

    /// Goes to the next posting. Returns false, and stays, at the last one.
    @inline(__always) mutating func next() throws -> Bool {
        guard remaining > 0 else { return false }
        remaining -= 1
        start = reader.offset
        try key.decodeNext(&reader)
        bodyStart = reader.offset
        body = try PostingBody(&reader)
        if remaining == 0 { try checkEnd() }
        return true
    }

    /// Goes to the first posting at or after the key, from the current one on. Returns false if the block has none.
    mutating func seek(atOrAfter target: Key) throws -> Bool {
        if key >= target { return true }
        guard head.last >= target else { return false }
        while try next() {
            if key >= target { return true }
        }
        return false
    }

    private func checkEnd() throws {
        guard reader.isAtEnd, key == head.last else { throw WordIndexError.corrupt("a block does not end as it says") }
    }

    /// The bytes of the current body.
    var bodyBytes: UnsafeRawBufferPointer { reader.bytes.part(bodyStart..<reader.offset) }
}
