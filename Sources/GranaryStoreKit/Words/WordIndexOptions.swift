/// How the keys of an index's documents look.
package enum DocumentKeyForm: UInt8, Sendable, Hashable {
    /// 8 bytes: integers, big-endian with the sign bit flipped.
    case integers = 0
    /// Any bytes, at most ``WordIndexOptions/longestDocumentKey``.
    case bytes = 1
}

/// What a writer of an index may choose.
package struct WordIndexOptions: Sendable, Hashable {
    /// The longest term in bytes. Of longer words the first bytes count, in documents and in questions.
    package static let longestTerm = WordReader.longestWord
    /// The longest key of a document in bytes.
    package static let longestDocumentKey = 330

    /// The form of all keys, fixed when the index gets its first document.
    package var keys: DocumentKeyForm
    /// The most bytes of a block's key and value together. May change from one writer to the next.
    package var blockSize = 1000
    /// A term whose postings take no more bytes than this keeps them in its header.
    package var inlineSize = 64
    /// The bytes of changes that a writer collects before it merges them into the blocks, approximately.
    package var memory = 64 << 20

    package init(keys: DocumentKeyForm) { self.keys = keys }
}
