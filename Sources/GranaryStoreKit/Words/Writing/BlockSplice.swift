/// Applies changes to the postings of one block.
///
/// A posting's key is encoded after the key of the posting before it, so a stretch of postings can be copied as it is
/// if the posting before the stretch is also the one before it in the new block. Only postings behind a change are
/// encoded again. What is after the last change is copied without a look at it.
struct BlockSplice<Key: DocumentKey> {
    private(set) var builder = BlockBuilder<Key>()
    private var posting: PostingReader<Key>
    private var isAtEnd: Bool
    /// Where the postings begin that can be copied as they are; nil if the next one must be encoded again.
    private var runStart: Int?
    private var runEnd = 0
    private var runCount = 0
    private var runLast = Key.origin

    /// - Parameters:
    ///   - block: A reader at its first posting, or nil for no postings.
    ///   - changes: Ascending.
    ///   - bodies: The bytes in which the changes' bodies are.
    ///   - documents: The number of the term's documents, which is kept up to date.
    /// - Returns: The new postings, of any size.
    /// - Throws: `corrupt` if a posting to remove does not exist.
    static func apply(
        _ changes: ArraySlice<TermChange<Key>>, _ bodies: UnsafeRawBufferPointer, to block: PostingReader<Key>?,
        documents: inout Int
    ) throws -> BlockBuilder<Key> {
        var splice = BlockSplice(block)
        for change in changes {
            let existed = try splice.apply(change, bodies)
            documents += (change.isRemoval ? 0 : 1) - (existed ? 1 : 0)
        }
        try splice.keepRest()
        return splice.builder
    }

    private init(_ block: PostingReader<Key>?) {
        posting = block ?? PostingReader()
        isAtEnd = block == nil
    }

    /// Returns whether the document had a posting.
    private mutating func apply(_ change: TermChange<Key>, _ bodies: UnsafeRawBufferPointer) throws -> Bool {
        while !isAtEnd, posting.key < change.key {
            keep()
            try advance()
        }
        endRun()
        let exists = !isAtEnd && posting.key == change.key
        if exists {
            if !change.isRemoval { runStart = posting.reader.offset }
            try advance()
        } else if change.isRemoval {
            throw WordIndexError.corrupt("a posting to remove does not exist")
        }
        if !change.isRemoval {
            builder.append(change.key, bodies.part(change.body), count: change.count, length: change.length)
        }
        return exists
    }

    private mutating func advance() throws {
        if try !posting.next() { isAtEnd = true }
    }

    /// Keeps the current posting.
    private mutating func keep() {
        if runStart == nil {
            builder.append(posting.key, posting.bodyBytes, count: posting.body.count, length: posting.body.length)
            runStart = posting.reader.offset
        } else {
            runCount += 1
            runEnd = posting.reader.offset
            runLast.copy(posting.key)
        }
    }

    private mutating func keepRest() throws {
        if !isAtEnd {
            keep()
            if posting.remaining > 0 {
                runCount += posting.remaining
                runEnd = posting.reader.bytes.count
                runLast.copy(posting.head.last)
            }
        }
        endRun()
    }

    private mutating func endRun() {
        if let runStart, runCount > 0 {
            builder.append(
                encoded: posting.reader.bytes.part(runStart..<runEnd), count: runCount, last: runLast,
                boundsOf: posting.head)
        }
        runStart = nil
        runCount = 0
    }
}
