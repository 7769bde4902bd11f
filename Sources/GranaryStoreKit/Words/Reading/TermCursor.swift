/// The documents of one term, block by block.
final class TermCursor<Key: DocumentKey> {
    private let blocks: any WordBlocks
    private let prefix: [UInt8]
    /// What ``posting`` reads. Copied to only together with a new reader.
    private let memory = BlockMemory()
    // The variables of cursors are not checked at run time for accesses that overlap, which takes longer than a posting.
    // Only the methods of the cursor itself use them, and none of those is called again while it changes one.
    @exclusivity(unchecked) private var posting = PostingReader<Key>()
    /// The key of the current block, or empty if the postings are in the header.
    private var blockKey: [UInt8] = []
    /// The number of the term's documents.
    let documents: Int
    @exclusivity(unchecked) private(set) var isAtEnd = false

    /// - Parameters:
    ///   - header: The value of the term's header.
    ///   - prefix: The first bytes of the keys of the term's blocks.
    init(_ blocks: any WordBlocks, header: UnsafeRawBufferPointer, prefix: [UInt8]) throws {
        self.blocks = blocks
        self.prefix = prefix
        let header = try TermHeader(parsing: header)
        documents = header.documents
        if !header.inline.isEmpty { posting = try PostingReader(memory.copy(header.inline), after: nil) }
    }

    /// Reads the first block if the header has none. Must be called once, before all else.
    func start() throws {
        guard posting.head.count == 0 else { return }
        try blocks.readEach(from: prefix) {
            try take($0)
            return false
        }
        if posting.head.count == 0 { throw WordIndexError.corrupt("a term without blocks") }
    }

    @inline(__always) var key: Key { posting.key }
    @inline(__always) var length: Int { posting.body.length }
    @inline(__always) var single: UInt64? { posting.body.single }

    /// The beginning of the current block, or of the last one.
    var head: BlockHead<Key> { posting.head }

    func next() throws {
        if isAtEnd { return }
        if try !posting.next() { try goToNextBlock() }
    }

    func seek(atOrAfter target: Key) throws {
        if isAtEnd { return }
        if try posting.seek(atOrAfter: target) { return }
        guard !blockKey.isEmpty else {
            isAtEnd = true
            return
        }
        let previous = posting.head.last
        if target == previous.successor { return try goToNextBlock() }
        var isElsewhere = false
        _ = try blocks.readLast(atOrBefore: prefix + target.encoded) { block in
            guard hasPrefix(block.key, prefix), !blockKey.withUnsafeBytes({ equalBytes($0, block.key) }) else { return }
            try take(block)
            isElsewhere = true
        }
        guard isElsewhere else { return try goToNextBlock() }
        guard posting.key > previous else { throw WordIndexError.corrupt("blocks do not ascend") }
        if try !posting.seek(atOrAfter: target) { try goToNextBlock() }
    }

    func count(_ weights: SlotWeights) throws -> Double {
        let body = posting.body
        if let single = body.single { return weights[single] }
        var sum = 0.0
        try body.eachPlace { sum += weights[$0] }
        return sum
    }

    func appendPlaces(to places: inout [UInt64]) throws {
        try posting.body.eachPlace { places.append($0) }
    }

    private func goToNextBlock() throws {
        isAtEnd = true
        guard !blockKey.isEmpty else { return }
        let previous = posting.head.last
        try blocks.readEach(from: blockKey.successor) {
            if try take($0) { isAtEnd = false }
            return false
        }
        if !isAtEnd, posting.key <= previous { throw WordIndexError.corrupt("blocks do not ascend") }
    }

    @discardableResult private func take(_ block: WordBlock) throws -> Bool {
        guard hasPrefix(block.key, prefix) else { return false }
        let base = try Key(stored: block.key.part(prefix.count..<block.key.count))
        blockKey.removeAll(keepingCapacity: true)
        blockKey.append(contentsOf: block.key)
        // After an error nothing may point to the memory that the copy replaces.
        posting = PostingReader()
        posting = try PostingReader(memory.copy(block.value), after: base)
        return true
    }
}
