/// How JSON is read, and what is too much.
public struct JSONOptions: Sendable, Hashable {
    /// How documents follow each other in the input.
    public enum Layout: Sendable, Hashable {
        /// One value, with nothing but white space around it.
        case document
        /// JSON lines: one value a line. Lines with nothing but white space are skipped.
        case lines
    }

    /// What becomes of a member whose key its object has had before.
    public enum DuplicateKeys: Sendable, Hashable {
        /// Reading fails.
        case error
        /// Members after the first are skipped.
        case first
        /// All members are given, in their order: code that assigns each value keeps the last. Takes the least time.
        case last
    }

    public var layout: Layout
    public var duplicateKeys: DuplicateKeys
    /// How many arrays and objects may lie within each other.
    public var maximumDepth: Int
    /// How many bytes of UTF-8 a string may have. A string longer than 64 KB is held in memory as a whole. Keys and numbers
    /// may have 64 KB at most.
    public var maximumTextLength: Int

    public init(
        layout: Layout = .document, duplicateKeys: DuplicateKeys = .error, maximumDepth: Int = 512,
        maximumTextLength: Int = 32 << 20
    ) {
        self.layout = layout
        self.duplicateKeys = duplicateKeys
        self.maximumDepth = maximumDepth
        self.maximumTextLength = maximumTextLength
    }
}
