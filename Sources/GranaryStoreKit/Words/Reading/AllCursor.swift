/// The documents of all of several cursors, without those of others.
final class AllCursor<Key: DocumentKey> {
    /// The rarest part.
    private let lead: DocumentCursor<Key>
    /// The next one, out of the array because most questions have two parts; nil if there is only one.
    private let second: DocumentCursor<Key>?
    /// The others, the rarest first.
    private let parts: [DocumentCursor<Key>]
    private let excluded: [DocumentCursor<Key>]
    @exclusivity(unchecked) private(set) var isAtEnd = false

    /// - Parameter parts: At least one.
    init(_ parts: [DocumentCursor<Key>], excluding excluded: [DocumentCursor<Key>]) throws {
        let sorted = parts.sorted { $0.estimate < $1.estimate }
        lead = sorted[0]
        second = sorted.count > 1 ? sorted[1] : nil
        self.parts = Array(sorted.dropFirst(2))
        self.excluded = excluded
        try settle()
    }

    var key: Key { lead.key }
    var estimate: Int { lead.estimate }

    func next() throws {
        guard !isAtEnd else { return }
        try lead.next()
        try settle()
    }

    func seek(atOrAfter target: Key) throws {
        guard !isAtEnd, key < target else { return }
        try lead.seek(atOrAfter: target)
        try settle()
    }

    /// Goes to the first common document from the lead's document on.
    private func settle() throws {
        search: while !lead.isAtEnd {
            let key = lead.key
            if let second, try !second.isAt(key) {
                if second.isAtEnd { break }
                try lead.seek(atOrAfter: second.key)
                continue
            }
            for part in parts where try !part.isAt(key) {
                if part.isAtEnd { break search }
                try lead.seek(atOrAfter: part.key)
                continue search
            }
            if !excluded.isEmpty, try excluded.contains(where: { try $0.isAt(key) }) {
                try lead.next()
                continue
            }
            return
        }
        isAtEnd = true
    }
}
