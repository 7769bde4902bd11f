/// What a term's postings must become for one document.
struct TermChange<Key: DocumentKey> {
    var key: Key
    /// Where the new body is in the bytes of the term's changes; empty if the posting is removed.
    var body: Range<Int>
    var count: Int
    var length: Int

    var isRemoval: Bool { body.isEmpty }
}

/// Reduces the collected changes of terms to at most one a document.
struct NetChanges<Key: DocumentKey> {
    /// The keys of the collected documents, by number.
    private let keys: [Key]
    /// For each document its rank among the different keys; nil if the keys came in ascending order.
    private let ranks: [Int]?
    private(set) var changes: [TermChange<Key>] = []
    private var steps: [Step] = []

    private struct Step {
        var document: Int
        var rank: Int
        var isRemoval: Bool
        var body: Range<Int>
        var count: Int
        var length: Int
    }

    init(_ pending: PendingChanges) throws {
        var keys: [Key] = []
        keys.reserveCapacity(pending.documentEnds.count)
        var isAscending = true
        for number in pending.documentEnds.indices {
            let key = try pending.key(number, as: Key.self)
            if let last = keys.last, last >= key { isAscending = false }
            keys.append(key)
        }
        self.keys = keys
        ranks = isAscending ? nil : NetChanges.ranks(of: keys)
    }

    private static func ranks(of keys: [Key]) -> [Int] {
        let order = keys.indices.sorted { keys[$0] < keys[$1] }
        var ranks = [Int](repeating: 0, count: keys.count)
        var rank = 0
        for (place, number) in order.enumerated() {
            if place > 0, keys[order[place - 1]] != keys[number] { rank += 1 }
            ranks[number] = rank
        }
        return ranks
    }

    /// Makes ``changes`` those of a term, ascending.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws {
        changes.removeAll(keepingCapacity: true)
        steps.removeAll(keepingCapacity: true)
        var reader = BlockBytes(bytes)
        var document = 0
        while !reader.isAtEnd {
            let head = try reader.smallVarint()
            document += head >> 1
            let start = reader.offset
            let body = try PostingBody(&reader)
            let isRemoval = head & 1 == 1
            if let ranks {
                steps.append(
                    Step(
                        document: document, rank: ranks[document], isRemoval: isRemoval, body: start..<reader.offset,
                        count: body.count, length: body.length))
            } else {
                changes.append(
                    TermChange(
                        key: keys[document], body: isRemoval ? start..<start : start..<reader.offset,
                        count: body.count, length: body.length))
            }
        }
        if ranks != nil { reduce(bytes) }
    }

    /// Only the first and the last step of a document count. The first one says whether the posting existed before.
    private mutating func reduce(_ bytes: UnsafeRawBufferPointer) {
        steps.sort { ($0.rank, $0.document) < ($1.rank, $1.document) }
        var start = 0
        while start < steps.count {
            var end = start + 1
            while end < steps.count, steps[end].rank == steps[start].rank { end += 1 }
            let (first, last) = (steps[start], steps[end - 1])
            start = end
            switch (first.isRemoval, last.isRemoval) {
            case (false, true): continue
            case (true, false) where equalBytes(bytes.part(first.body), bytes.part(last.body)): continue
            default: break
            }
            let body = last.isRemoval ? last.body.lowerBound..<last.body.lowerBound : last.body
            changes.append(
                TermChange(key: keys[last.document], body: body, count: last.count, length: last.length))
        }
    }
}
