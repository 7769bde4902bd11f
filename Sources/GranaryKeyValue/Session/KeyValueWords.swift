import GranaryStoreKit

// The blocks of the indexes of words lie in keyspace 0 beside the store's other data about itself, under "words/" and
// the key of the block. The value begins with its checksum, like all values there.

/// The blocks of the indexes of words in one state.
class KeyValueWords: WordBlocks {
    fileprivate static let prefix = Array("words/".utf8)
    fileprivate let session: KeyValueSession

    init(_ session: KeyValueSession) { self.session = session }

    fileprivate static func key(_ key: [UInt8]) -> [UInt8] { prefix + key }

    final func read(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        try session.check()
        return try KeyValueWords.key(key).withUnsafeBytes { key in
            guard let value = try session.engine.get(key, in: Meta.keyspace) else { return false }
            try body(try KeyValueWords.payload(value, key))
            return true
        }
    }

    final func readLast(atOrBefore key: [UInt8], _ body: (WordBlock) throws -> Void) throws -> Bool {
        try session.check()
        let cursor = try session.engine.cursor(in: Meta.keyspace)
        let wanted = KeyValueWords.key(key)
        let found = try wanted.withUnsafeBytes { wanted in
            guard let next = try cursor.seek(atOrAfter: wanted) else { return try cursor.last() }
            return areEqual(next.key, wanted) ? next : try cursor.previous()
        }
        guard let found, let block = try KeyValueWords.block(found) else { return false }
        try body(block)
        return true
    }

    final func readEach(from key: [UInt8], _ body: (WordBlock) throws -> Bool) throws {
        try session.check()
        let cursor = try session.engine.cursor(in: Meta.keyspace)
        var entry = try KeyValueWords.key(key).withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
        while let found = entry, let block = try KeyValueWords.block(found) {
            try session.check()
            guard try body(block) else { return }
            entry = try cursor.next()
        }
    }

    /// Nil for an entry that is no block.
    private static func block(_ entry: KeyValueEntry) throws -> WordBlock? {
        guard prefix.withUnsafeBytes({ hasPrefix(entry.key, $0) }) else { return nil }
        let value = try payload(entry.value, entry.key)
        return WordBlock(key: UnsafeRawBufferPointer(rebasing: entry.key[prefix.count...]), value: value)
    }

    private static func payload(
        _ value: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer
    ) throws -> UnsafeRawBufferPointer {
        guard let payload = Meta.payload(value, key: key) else {
            throw WordIndexError.corrupt("a block has a wrong checksum")
        }
        return payload
    }
}

/// The blocks in a transaction that changes them.
final class WritableKeyValueWords: KeyValueWords, WritableWordBlocks {
    private let writer: KeyValueStoreWriter

    init(_ writer: KeyValueStoreWriter) {
        self.writer = writer
        super.init(writer.session)
    }

    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        try writer.check()
        try writer.writing {
            try Meta.write(value, key: KeyValueWords.key(key), "a block of an index of words", writer.engine)
            return false
        }
    }

    func delete(_ key: [UInt8]) throws {
        try writer.check()
        try writer.writing {
            _ = try KeyValueWords.key(key).withUnsafeBytes { try writer.engine.delete($0, in: Meta.keyspace) }
            return false
        }
    }

    func deleteAll(prefix: [UInt8]) throws {
        try writer.check()
        let prefix = KeyValueWords.key(prefix)
        var keys = KeyList()
        let cursor = try writer.engine.cursor(in: Meta.keyspace)
        var entry = try prefix.withUnsafeBytes { try cursor.seek(atOrAfter: $0) }
        while let found = entry, prefix.withUnsafeBytes({ hasPrefix(found.key, $0) }) {
            keys.append(found.key)
            entry = try cursor.next()
        }
        if keys.count == 0 { return }
        try writer.writing {
            _ = try keys.withSorted { try writer.engine.delete($0, in: Meta.keyspace) }
            return false
        }
    }
}

extension KeyValueStoreWriter: WordWriting {
    func wordBlocks() throws -> (any WordBlocks)? { try writableWordBlocks() }

    func writableWordBlocks() throws -> any WritableWordBlocks {
        try check()
        return WritableKeyValueWords(self)
    }
}
