/// Which of the words that records have are asked for: to complete what a person types, or to correct it.
public enum WordChoice: Sendable, Hashable {
    /// The words that begin like the last word of a text, the commonest first.
    case beginning(with: String)
    /// The words that differ from the last word of a text by at most two letters, the nearest first, then the
    /// commonest.
    case like(String)
}

/// A word that records have.
public struct FoundWord: Sendable, Hashable {
    /// The word as it is searched: in lower case, without accents.
    public var word: String
    /// The number of records that have it.
    public var records: Int

    public init(_ word: String, records: Int) { (self.word, self.records) = (word, records) }
}
