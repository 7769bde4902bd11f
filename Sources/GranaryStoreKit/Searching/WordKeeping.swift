/// A state of a store that can keep indexes of words.
package protocol WordKeeping: StoreReader {
    /// The blocks of the indexes, to read them; nil if there are none yet.
    func wordBlocks() throws -> (any WordBlocks)?
}

/// A transaction that can change indexes of words.
package protocol WordWriting: WordKeeping {
    /// The blocks of the indexes. What is written to them counts as no change of the store.
    func writableWordBlocks() throws -> any WritableWordBlocks
}

/// A reader that knows how often words occur without a look at the rows.
package protocol WordCounting: StoreReader {
    /// The statistics for a ranking of an entity's records; nil if they must be counted.
    func wordStatistics(_ question: WordQuestion, of entity: Int) throws -> WordStatistics?
    /// The first words that are asked for; nil if they must be counted.
    func words(_ asked: AskedWord, of entity: Int, limit: Int) throws -> [TermSuggestion]?
    /// The size of an entity's index as it is committed; nil if there is none.
    func wordIndexSize(of entity: Int) throws -> WordIndexSize?
}
