/// Checks one block of an index after the other, in the order of their keys.
struct BlockWalk<Key: DocumentKey> {
    let keys: WordKeys
    var faults: [String] = []
    /// The documents of each term with blocks, by its header, less those found in its blocks.
    private(set) var headers: [[UInt8]: Int] = [:]
    private var lastTerm: [UInt8] = []
    private var lastKey = Key.origin

    init(keys: WordKeys) { self.keys = keys }

    /// Calls the closure with the term, the document's key and the body of each posting.
    mutating func read(
        _ block: WordBlock, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws {
        if block.key.count == keys.totals.count, hasPrefix(block.key, keys.totals) { return }
        if let term = keys.term(ofHeader: block.key) {
            guard !term.isEmpty, !term.contains(0), term.count <= WordIndexOptions.longestTerm else {
                throw WordIndexError.corrupt("a header whose key has no term")
            }
            let header = try TermHeader(parsing: block.value)
            guard !header.inline.isEmpty else {
                headers[[UInt8](term)] = header.documents
                return
            }
            let postings = try PostingReader<Key>(header.inline, after: nil)
            guard postings.head.count == header.documents else {
                throw WordIndexError.corrupt("another number of documents than postings")
            }
            return try read(postings, term, body)
        }
        guard hasPrefix(block.key, keys.allPostings) else { throw WordIndexError.corrupt("an unknown kind of block") }
        let rest = block.key.part(keys.allPostings.count..<block.key.count)
        guard let end = rest.firstIndex(of: 0), end > 0 else {
            throw WordIndexError.corrupt("a block whose key has no term")
        }
        let term = rest.part(0..<end)
        let base = try Key(stored: rest.part(end + 1..<rest.count))
        let postings = try PostingReader<Key>(block.value, after: base)
        headers[[UInt8](term), default: 0] -= postings.head.count
        if lastTerm.withUnsafeBytes({ equalBytes($0, term) }), lastKey >= base {
            throw WordIndexError.corrupt("a block that begins before the end of the block before it")
        }
        lastTerm = [UInt8](term)
        lastKey = postings.head.last
        try read(postings, term, body)
    }

    private func read(
        _ first: PostingReader<Key>, _ term: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws {
        var posting = first
        var document: [UInt8] = []
        repeat {
            var last: UInt64?
            try posting.body.eachPlace { last = $0 }
            guard last != nil else { throw WordIndexError.corrupt("a posting without places") }
            guard posting.body.count <= posting.head.greatestCount, posting.body.length >= posting.head.leastLength
            else { throw WordIndexError.corrupt("a posting exceeds the bounds of its block") }
            document.removeAll(keepingCapacity: true)
            posting.key.append(to: &document)
            document.withUnsafeBytes { body(term, $0, posting.bodyBytes) }
        } while try posting.next()
    }

    /// The term of a block for a line of text.
    func name(of key: UnsafeRawBufferPointer) -> String {
        let rest = key.dropFirst(keys.allHeaders.count).prefix { $0 != 0 }
        return "the word \"\(String(decoding: rest, as: UTF8.self))\""
    }
}
