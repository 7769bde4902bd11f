/// The changes that a writer has collected: for each term the documents that got it or lost it, in the order in which
/// they came.
///
/// A change in the bytes of a term: difference of the document's number in ``documentEnds`` from that of the change
/// before, doubled, plus 1 for a removal; then the ``PostingBody``.
struct PendingChanges {
    private(set) var terms = TermTable()
    private var changes = ByteChains()
    /// For each term the number of the last document.
    private var lastDocuments: [Int] = []
    private var documentBytes: [UInt8] = []
    private(set) var documentEnds: [Int] = []
    // Used again for each document.
    private var order: [UInt64] = []
    private var places: [UInt64] = []
    private var change: [UInt8] = []
    private var scratch: [UInt8] = []

    var isEmpty: Bool { documentEnds.isEmpty }
    var byteCount: Int {
        changes.byteCount + terms.byteCount + lastDocuments.count * 8 + documentBytes.count + documentEnds.count * 8
    }

    /// The most bytes that can be collected.
    static let mostBytes = ByteChains.mostBytes / 2

    mutating func append(_ key: [UInt8], _ words: DocumentWords, isRemoval: Bool) {
        documentBytes.append(contentsOf: key)
        documentEnds.append(documentBytes.count)
        collect(words)
        var start = 0
        while start < order.count {
            let term = order[start] >> 32
            places.removeAll(keepingCapacity: true)
            while start < order.count, order[start] >> 32 == term {
                places.append(words.entries[Int(order[start] & 0xFFFF_FFFF)].place)
                start += 1
            }
            if places.count > 1 { makeAscending() }
            append(to: Int(term), length: words.length, isRemoval: isRemoval)
        }
    }

    /// Makes ``order`` the terms' numbers, ascending, each with the number of the word in its lower half.
    private mutating func collect(_ words: DocumentWords) {
        order.removeAll(keepingCapacity: true)
        words.withTerms { bytes in
            for (number, entry) in words.entries.enumerated() {
                let (term, isNew) = terms.number(of: bytes.part(entry.start..<entry.start + entry.count))
                if isNew {
                    changes.appendChain()
                    lastDocuments.append(0)
                }
                order.append(UInt64(term) << 32 | UInt64(number))
            }
        }
        guard order.count <= 24 else { return order.sort() }
        order.withUnsafeMutableBufferPointer { order in
            for index in order.indices.dropFirst() {
                let moved = order[index]
                var place = index
                while place > 0, order[place - 1] > moved {
                    order[place] = order[place - 1]
                    place -= 1
                }
                order[place] = moved
            }
        }
    }

    /// Sorts the places, which are sorted already in most cases, and removes doubles.
    private mutating func makeAscending() {
        if zip(places, places.dropFirst()).allSatisfy({ $0 < $1 }) { return }
        places = Set(places).sorted()
    }

    private mutating func append(to term: Int, length: Int, isRemoval: Bool) {
        let document = documentEnds.count - 1
        change.removeAll(keepingCapacity: true)
        change.appendVarint((document - lastDocuments[term]) << 1 | (isRemoval ? 1 : 0))
        PostingBody.append(length: length, places: places, to: &change, scratch: &scratch)
        changes.append(change, to: term)
        lastDocuments[term] = document
    }

    /// The key of a document that was the `number`-th to come.
    func key<Key: DocumentKey>(_ number: Int, as: Key.Type) throws -> Key {
        let start = number == 0 ? 0 : documentEnds[number - 1]
        return try documentBytes.withUnsafeBytes { try Key(encoded: $0.part(start..<documentEnds[number])) }
    }

    /// Replaces `bytes` with the changes of a term.
    func copyChanges(of term: Int, to bytes: inout [UInt8]) { changes.copy(term, to: &bytes) }
}
