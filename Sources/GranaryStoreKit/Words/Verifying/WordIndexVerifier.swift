/// Compares an index of words with itself and with the documents that it should have.
package struct WordIndexVerifier {
    /// Calls the closure with each document, in any order. It must give the same documents each time.
    package typealias Documents = (_ body: (_ key: [UInt8], _ words: DocumentWords) throws -> Void) throws -> Void

    private let blocks: any WordBlocks
    private let keys: WordKeys
    private let keyForm: DocumentKeyForm
    private var faults: [String] = []
    private static let mostFaults = 100

    /// Returns the faults, one line each, at most about 100. The documents are asked for twice if there are faults.
    package static func verify(
        _ blocks: any WordBlocks, index: UInt32, keys: DocumentKeyForm, documents: Documents
    ) throws -> [String] {
        var verifier = WordIndexVerifier(blocks: blocks, keys: WordKeys(index: index), keyForm: keys)
        try verifier.compare(documents)
        return verifier.faults
    }

    private init(blocks: any WordBlocks, keys: WordKeys, keyForm: DocumentKeyForm) {
        self.blocks = blocks
        self.keys = keys
        self.keyForm = keyForm
    }

    private mutating func add(_ fault: String) {
        if faults.count < WordIndexVerifier.mostFaults { faults.append(fault) }
    }

    private mutating func compare(_ documents: Documents) throws {
        var expected = PostingSums()
        var totals = WordTotals(keys: keyForm)
        try documents { key, words in
            try totals.add(words: words.length, slots: words.slotLengths, sign: 1)
            words.eachPosting { term, body in
                key.withUnsafeBytes { expected.add(term: term, document: $0, body: body) }
            }
        }
        try compareTotals(totals)
        var found = PostingSums()
        try walk { term, document, body in found.add(term: term, document: document, body: body) }
        let buckets = found.differences(expected)
        if !buckets.isEmpty { try compare(documents, in: buckets) }
    }

    private mutating func compareTotals(_ expected: WordTotals) throws {
        do {
            var found = WordTotals(keys: keyForm)
            _ = try blocks.read(keys.totals) { found = try WordTotals(parsing: $0) }
            if !found.isEquivalent(to: expected) { add("the totals differ from those of the documents") }
        } catch let error as WordIndexError {
            add("the totals: \(error)")
        }
    }

    /// Finds the postings that are missing or wrong. Only terms in the buckets are kept in memory.
    private mutating func compare(_ documents: Documents, in buckets: Set<Int>) throws {
        var expected: Set<NamedPosting> = []
        try documents { key, words in
            words.eachPosting { term, body in
                guard buckets.contains(PostingSums.bucket(term)) else { return }
                expected.insert(NamedPosting(term: [UInt8](term), document: key, body: [UInt8](body)))
            }
        }
        var unexpected: [NamedPosting] = []
        var quiet = WordIndexVerifier(blocks: blocks, keys: keys, keyForm: keyForm)
        try quiet.walk { term, document, body in
            guard buckets.contains(PostingSums.bucket(term)) else { return }
            let posting = NamedPosting(term: [UInt8](term), document: [UInt8](document), body: [UInt8](body))
            if expected.remove(posting) == nil { unexpected.append(posting) }
        }
        for posting in unexpected { add("\(posting.description) is in the index only, or with other places") }
        for posting in expected { add("\(posting.description) is missing in the index, or has other places there") }
    }

    /// Calls the closure with each posting, and reports what contradicts itself.
    private mutating func walk(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws {
        switch keyForm {
        case .integers: try walk(UInt64.self, body)
        case .bytes: try walk(ByteKey.self, body)
        }
    }

    private mutating func walk<Key: DocumentKey>(
        _: Key.Type, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws {
        var walk = BlockWalk<Key>(keys: keys)
        try blocks.readEach(from: keys.index) { block in
            guard hasPrefix(block.key, keys.index) else { return false }
            do {
                try walk.read(block, body)
            } catch let error as WordIndexError {
                walk.faults.append("\(walk.name(of: block.key)): \(error)")
            }
            return true
        }
        for fault in walk.faults { add(fault) }
        for (term, documents) in walk.headers where documents != 0 {
            let name = String(decoding: term, as: UTF8.self)
            add("the word \"\(name)\": the header and the blocks have different numbers of documents")
        }
    }
}

extension DocumentWords {
    /// Calls the closure with each different term and its ``PostingBody``.
    func eachPosting(_ body: (_ term: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Void) {
        withTerms { bytes in
            var places: [[UInt8]: [UInt64]] = [:]
            for entry in entries {
                places[[UInt8](bytes[entry.start..<entry.start + entry.count]), default: []].append(entry.place)
            }
            var encoded: [UInt8] = []
            var scratch: [UInt8] = []
            for (term, places) in places {
                encoded.removeAll(keepingCapacity: true)
                let ascending = Set(places).sorted()
                PostingBody.append(length: length, places: ascending, to: &encoded, scratch: &scratch)
                term.withUnsafeBytes { term in encoded.withUnsafeBytes { body(term, $0) } }
            }
        }
    }
}

extension WordTotals {
    /// Whether all numbers are equal. Slots without words at the end do not count.
    fileprivate func isEquivalent(to other: WordTotals) -> Bool {
        guard keys == other.keys, documents == other.documents, words == other.words else { return false }
        return (0..<max(slots.count, other.slots.count)).allSatisfy { slot in
            (slot < slots.count ? slots[slot] : 0) == (slot < other.slots.count ? other.slots[slot] : 0)
        }
    }
}
