/// The words of one document, to add it to an index, to remove it or to compare it. May be used again for the next.
package struct DocumentWords {
    /// The words of the document, also those that are not indexed.
    package private(set) var length = 0
    /// The words of each slot.
    private(set) var slotLengths: [Int] = []
    private(set) var entries: [Entry] = []
    private var bytes: [UInt8] = []

    struct Entry {
        var start: Int
        var count: Int
        var place: UInt64
    }

    package init() {}

    package mutating func removeAll() {
        length = 0
        for slot in slotLengths.indices { slotLengths[slot] = 0 }
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Appends a folded word. An empty word and a word with a NUL byte count, but are not indexed.
    /// - Throws: `unsuitablePosition` for a slot above 65 535 or a position above 2 147 483 647.
    package mutating func append(_ word: UnsafeRawBufferPointer, slot: Int, position: Int) throws {
        guard 0...PostingBody.greatestSlot ~= slot else { throw WordIndexError.unsuitablePosition(slot) }
        guard 0...PostingBody.greatestPosition ~= position else { throw WordIndexError.unsuitablePosition(position) }
        length += 1
        while slotLengths.count <= slot { slotLengths.append(0) }
        slotLengths[slot] += 1
        let term = DocumentWords.term(of: word)
        guard !term.isEmpty, !term.contains(0) else { return }
        let place = PostingBody.place(slot: slot, position: position)
        entries.append(Entry(start: bytes.count, count: term.count, place: place))
        bytes.append(contentsOf: term)
    }

    /// The first bytes of a word, as many as are indexed.
    static func term(of word: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        word.count <= WordIndexOptions.longestTerm ? word : word.part(0..<WordIndexOptions.longestTerm)
    }

    func withTerms<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }
}
