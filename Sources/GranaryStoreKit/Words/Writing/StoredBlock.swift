/// A copy of a term's posting block.
struct StoredBlock<Key: DocumentKey> {
    private(set) var key: [UInt8] = []
    private(set) var value: [UInt8] = []
    /// The document key in the block's key.
    private(set) var base = Key.origin
    /// The bytes before it.
    private let prefix: [UInt8]

    /// The block in which a document's posting is or belongs.
    init(holding document: Key, _ prefix: [UInt8], _ blocks: any WordBlocks) throws {
        self.prefix = prefix
        _ = try blocks.readLast(atOrBefore: prefix + document.encoded) { try take($0) }
        if key.isEmpty {
            try blocks.readEach(from: prefix) {
                try take($0)
                return false
            }
        }
        guard !key.isEmpty else { throw WordIndexError.corrupt("a term without blocks") }
    }

    /// The next block of the same term; nil after the last one.
    init?(after block: StoredBlock, _ blocks: any WordBlocks) throws {
        prefix = block.prefix
        try blocks.readEach(from: block.key.successor) {
            try take($0)
            return false
        }
        if key.isEmpty { return nil }
    }

    /// The document key in the key of the next block of the same term; nil after the last one.
    static func base(after block: StoredBlock, _ blocks: any WordBlocks) throws -> Key? {
        var base: Key?
        try blocks.readEach(from: block.key.successor) { next in
            if hasPrefix(next.key, block.prefix) {
                base = try Key(stored: next.key.part(block.prefix.count..<next.key.count))
            }
            return false
        }
        return base
    }

    private mutating func take(_ block: WordBlock) throws {
        guard hasPrefix(block.key, prefix) else { return }
        base = try Key(stored: block.key.part(prefix.count..<block.key.count))
        key = [UInt8](block.key)
        value = [UInt8](block.value)
    }
}
