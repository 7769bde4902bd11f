/// Makes a posting block from postings in the order of their keys.
struct BlockBuilder<Key: DocumentKey> {
    private(set) var head = BlockHead<Key>()
    /// All from the first body on.
    private var bytes: [UInt8] = []

    var isEmpty: Bool { head.count == 0 }
    /// The most bytes of a ``BlockHead``, if keys are integers.
    static var mostHeadBytes: Int { 34 }
    /// Approximately the bytes of the block: at most so many, if keys are integers.
    var size: Int { bytes.count + BlockBuilder.mostHeadBytes }

    init() {}

    /// Appends a posting whose numbers are known.
    @inline(__always) mutating func append(_ key: Key, _ body: UnsafeRawBufferPointer, count: Int, length: Int) {
        if head.count == 0 { head.first = key } else { key.encode(after: head.last, into: &bytes) }
        bytes.append(contentsOf: body)
        head.last.copy(key)
        head.count += 1
        head.include(greatestCount: count, leastLength: length)
    }

    /// Appends encoded postings that follow the last one in a block.
    mutating func append(
        encoded: UnsafeRawBufferPointer, count: Int, last: Key, boundsOf other: BlockHead<Key>
    ) {
        guard count > 0 else { return }
        bytes.append(contentsOf: encoded)
        head.last.copy(last)
        head.count += count
        head.include(greatestCount: other.greatestCount, leastLength: other.leastLength)
    }

    /// Appends all postings of a block.
    /// - Parameter block: A reader at its first posting, which is after the last one here.
    mutating func append(whole block: PostingReader<Key>) {
        append(block.key, block.bodyBytes, count: block.body.count, length: block.body.length)
        append(
            encoded: block.reader.bytes.part(block.reader.offset..<block.reader.bytes.count), count: block.remaining,
            last: block.head.last, boundsOf: block.head)
    }

    mutating func removeAll() {
        head = BlockHead()
        bytes.removeAll(keepingCapacity: true)
    }

    /// The block.
    /// - Parameter base: The document key in the block's key, or the origin for a block inside of a header.
    func block(after base: Key) -> [UInt8] {
        var block: [UInt8] = []
        block.reserveCapacity(size)
        head.append(after: base, to: &block)
        block.append(contentsOf: bytes)
        return block
    }
}
