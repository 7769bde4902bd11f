/// Merges the changes of one term after the other into the blocks of an index.
final class TermMerger<Key: DocumentKey> {
    private let blocks: any WritableWordBlocks
    private let keys: WordKeys
    private let options: WordIndexOptions
    /// Whether the index has no terms but those that this merger has written, so that no header needs to be looked for.
    private let isNew: Bool

    init(_ blocks: any WritableWordBlocks, _ keys: WordKeys, _ options: WordIndexOptions, isNew: Bool) {
        self.blocks = blocks
        self.keys = keys
        self.options = options
        self.isNew = isNew
    }

    /// - Parameters:
    ///   - changes: At least one, ascending.
    ///   - bodies: The bytes in which the changes' bodies are.
    func merge(
        _ term: UnsafeRawBufferPointer, _ changes: ArraySlice<TermChange<Key>>, _ bodies: UnsafeRawBufferPointer
    ) throws {
        let headerKey = keys.header(term)
        let prefix = keys.postings(term)
        var documents = 0
        var inline: [UInt8] = []
        if !isNew {
            _ = try blocks.read(headerKey) { value in
                let header = try TermHeader(parsing: value)
                documents = header.documents
                inline = [UInt8](header.inline)
            }
        }
        let documentsBefore = documents
        if documents > 0, inline.isEmpty {
            try mergeBlocks(prefix, changes, bodies, &documents)
            guard documents >= 0 else { throw WordIndexError.corrupt("a term has more postings than documents") }
            guard documents != documentsBefore else { return }
            if documents > 0 { return try blocks.put(headerKey, TermHeader.bytes(documents: documents, inline: [])) }
        } else {
            let postings = try inline.withUnsafeBytes { bytes in
                let block = bytes.isEmpty ? nil : try PostingReader<Key>(bytes, after: nil)
                if let block, block.head.count != documents {
                    throw WordIndexError.corrupt("a term's header has another number of documents than postings")
                }
                return try BlockSplice.apply(changes, bodies, to: block, documents: &documents)
            }
            var small: [UInt8] = []
            if postings.size <= options.inlineSize + BlockBuilder<Key>.mostHeadBytes, !postings.isEmpty {
                small = postings.block(after: Key.origin)
            }
            if small.count > options.inlineSize { small = [] }
            if small.isEmpty { try write(postings, prefix, isAppending: true, replacing: nil) }
            if documents > 0 {
                return try blocks.put(headerKey, TermHeader.bytes(documents: documents, inline: small))
            }
        }
        try blocks.delete(headerKey)
    }

    /// Merges changes into the blocks of their own that a term has.
    private func mergeBlocks(
        _ prefix: [UInt8], _ changes: ArraySlice<TermChange<Key>>, _ bodies: UnsafeRawBufferPointer,
        _ documents: inout Int
    ) throws {
        var changes = changes
        while let change = changes.first {
            let block = try StoredBlock(holding: change.key, prefix, blocks)
            let (postings, isAppending) = try block.value.withUnsafeBytes { value in
                let reader = try PostingReader<Key>(value, after: block.base)
                let own = try changes.prefix(changesOf: block, last: reader.head.last, blocks)
                changes = changes[own.endIndex...]
                let isAppending = change.key > reader.head.last
                return (try BlockSplice.apply(own, bodies, to: reader, documents: &documents), isAppending)
            }
            let joined = try join(postings, block)
            try write(joined, prefix, isAppending: isAppending, replacing: block.base)
        }
    }

    /// The postings, with those of the next block if both are small. The next block is then deleted.
    private func join(_ postings: BlockBuilder<Key>, _ block: StoredBlock<Key>) throws -> BlockBuilder<Key> {
        guard !postings.isEmpty, postings.size < options.blockSize / 4,
            let next = try StoredBlock<Key>(after: block, blocks),
            postings.size + next.value.count < options.blockSize * 3 / 4
        else { return postings }
        let joined = try next.value.withUnsafeBytes { bytes in
            let reader = try PostingReader<Key>(bytes, after: next.base)
            guard reader.head.first > postings.head.last else {
                throw WordIndexError.corrupt("a block begins before the end of the block before it")
            }
            var joined = postings
            joined.append(whole: reader)
            return joined
        }
        try blocks.delete(next.key)
        return joined
    }

    /// Writes postings as one or several blocks.
    /// - Parameters:
    ///   - isAppending: Whether more postings are likely to come after these, so that all but the last block are filled.
    ///   - replacing: The document key in the key of the block that had the postings.
    private func write(
        _ postings: BlockBuilder<Key>, _ prefix: [UInt8], isAppending: Bool, replacing old: Key?
    ) throws {
        if let old, postings.isEmpty || postings.head.first < old { try blocks.delete(prefix + old.encoded) }
        guard !postings.isEmpty else { return }
        var base = postings.head.first
        if let old, old < base { base = old }
        let most = max(64, options.blockSize - prefix.count - base.encoded.count)
        if postings.size <= most { return try blocks.put(prefix + base.encoded, postings.block(after: base)) }
        let parts = (postings.size + most - 1) / most
        let wanted = isAppending ? most : postings.size / parts + 48
        let bytes = postings.block(after: Key.origin)
        try bytes.withUnsafeBytes { bytes in
            var reader = try PostingReader<Key>(bytes, after: nil)
            var part = BlockBuilder<Key>()
            repeat {
                let body = reader.bodyBytes
                if !part.isEmpty, part.size + body.count + reader.bodyStart - reader.start > wanted {
                    try blocks.put(prefix + base.encoded, part.block(after: base))
                    part.removeAll()
                    base = reader.key
                }
                part.append(reader.key, body, count: reader.body.count, length: reader.body.length)
            } while try reader.next()
            try blocks.put(prefix + base.encoded, part.block(after: base))
        }
    }
}

extension ArraySlice {
    /// The first changes, as many as belong to a block: at least one.
    fileprivate func prefix<Key>(
        changesOf block: StoredBlock<Key>, last: Key, _ blocks: any WordBlocks
    ) throws -> Self where Element == TermChange<Key> {
        var end = index(after: startIndex)
        while end < endIndex, self[end].key <= last { end += 1 }
        guard end < endIndex else { return self }
        let next = try StoredBlock<Key>.base(after: block, blocks)
        while end < endIndex, next.map({ self[end].key < $0 }) ?? true { end += 1 }
        return self[..<end]
    }
}
