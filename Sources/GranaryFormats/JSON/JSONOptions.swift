/// How JSON is read, and its limits.
public struct JSONOptions: Sendable, Hashable {
    /// How documents follow each other in the input.
    public enum Layout: Sendable, Hashable {
        /// One value, with only white space around it.
        case document
        /// JSON lines: one value per line. Lines that contain only white space are skipped.
        case lines
    }

    /// What happens with a member whose key occurred before in the same object.
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
    /// The greatest depth of nested arrays and objects.
    public var maximumDepth: Int
    /// The greatest length of a string in bytes of UTF-8. A string longer than 64 KB is held in memory as a whole. Keys
    /// and numbers may have at most 64 KB.
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
