/// Changes an index of words: collects what documents gain and lose, and merges it into the blocks in the order of
/// their keys.
///
/// ```swift
/// let writer = try WordIndexWriter(blocks, index: 7, WordIndexOptions(keys: .integers))
/// try writer.remove(key, oldWords)
/// try writer.add(key, newWords)
/// try writer.flush()
/// ```
///
/// A document that changes is removed with its old words and added with its new ones; blocks of words that it has at
/// the same places before and after are not touched, as long as its number of words is the same too. Removing what the
/// index does not have throws `corrupt`, at the latest from `flush`. After any error the caller ends its transaction.
///
/// Nothing is visible in the blocks before ``flush()``, which the caller calls before its transaction ends. When the
/// changes take more memory than the options allow, the writer does it itself.
package final class WordIndexWriter {
    private let blocks: any WritableWordBlocks
    private let keys: WordKeys
    private let options: WordIndexOptions
    private var totals: WordTotals
    /// Whether the index has no blocks at all.
    private var isNew: Bool
    private var pending = PendingChanges()

    /// - Throws: `corrupt` if the index exists with another form of keys.
    package init(_ blocks: any WritableWordBlocks, index: UInt32, _ options: WordIndexOptions) throws {
        self.blocks = blocks
        self.options = options
        keys = WordKeys(index: index)
        totals = WordTotals(keys: options.keys)
        isNew = true
        if try blocks.read(keys.totals, { totals = try WordTotals(parsing: $0) }) { isNew = false }
        guard totals.keys == options.keys else { throw WordIndexError.corrupt("an index with another form of keys") }
    }

    /// A writer of an index that is made anew: its blocks are removed.
    package init(emptying blocks: any WritableWordBlocks, index: UInt32, _ options: WordIndexOptions) throws {
        self.blocks = blocks
        self.options = options
        keys = WordKeys(index: index)
        totals = WordTotals(keys: options.keys)
        isNew = true
        try blocks.deleteAll(prefix: keys.index)
    }

    /// Adds a document, which must not be in the index.
    package func add(_ document: [UInt8], _ words: DocumentWords) throws {
        try append(document, words, isRemoval: false)
    }

    /// Removes a document with the words that it was added with.
    package func remove(_ document: [UInt8], _ words: DocumentWords) throws {
        try append(document, words, isRemoval: true)
    }

    /// Removes every block of the index, and forgets what was not merged yet.
    package func removeAll() throws {
        pending = PendingChanges()
        totals = WordTotals(keys: options.keys)
        isNew = true
        try blocks.deleteAll(prefix: keys.index)
    }

    /// Merges all changes into the blocks.
    package func flush() throws {
        guard !pending.isEmpty else { return }
        let merged = pending
        pending = PendingChanges()
        switch options.keys {
        case .integers: try merge(merged, UInt64.self)
        case .bytes: try merge(merged, ByteKey.self)
        }
        try blocks.put(keys.totals, totals.bytes)
        isNew = false
    }

    private func append(_ document: [UInt8], _ words: DocumentWords, isRemoval: Bool) throws {
        let isSuitable =
            switch options.keys {
            case .integers: document.count == 8
            case .bytes: document.count <= WordIndexOptions.longestDocumentKey
            }
        guard isSuitable else { throw WordIndexError.unsuitableKey(byteCount: document.count) }
        try totals.add(words: words.length, slots: words.slotLengths, sign: isRemoval ? -1 : 1)
        pending.append(document, words, isRemoval: isRemoval)
        if pending.byteCount > min(options.memory, PendingChanges.mostBytes) { try flush() }
    }

    private func merge<Key: DocumentKey>(_ pending: PendingChanges, _: Key.Type) throws {
        let merger = TermMerger<Key>(blocks, keys, options, isNew: isNew)
        var net = try NetChanges<Key>(pending)
        var changes: [UInt8] = []
        for term in pending.terms.sorted() {
            pending.copyChanges(of: term, to: &changes)
            try changes.withUnsafeBytes { bytes in
                try net.read(bytes)
                guard !net.changes.isEmpty else { return }
                try pending.terms.withTerm(term) { try merger.merge($0, net.changes[...], bytes) }
            }
        }
    }
}
