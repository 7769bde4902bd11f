/// How large an index of words is.
public struct WordIndexSize: Sendable, Hashable {
    /// The entity whose records are indexed.
    public let entity: String
    /// The number of records.
    public let records: Int
    /// The number of words of all records, without stop words.
    public let words: Int
    /// The bytes of the index, without what the store keeps around them.
    public let bytes: Int

    package init(entity: String, records: Int, words: Int, bytes: Int) {
        (self.entity, self.records, self.words, self.bytes) = (entity, records, words, bytes)
    }
}

extension SearchedEntity {
    /// The size of the index in some blocks; nil if they do not have it, or if it is damaged.
    func size(in blocks: any WordBlocks) throws -> WordIndexSize? {
        do {
            guard try blocks.read(descriptionKey, { _ in }) else { return nil }
            let totals = try WordIndexReader(blocks, index: index).totals
            var bytes = 0
            try blocks.readEach(from: prefix) { block in
                guard hasPrefix(block.key, prefix) else { return false }
                bytes += block.key.count + block.value.count
                return true
            }
            return WordIndexSize(
                entity: entity.path, records: totals?.documents ?? 0, words: totals?.words ?? 0, bytes: bytes)
        } catch is WordIndexError {
            return nil
        }
    }
}
