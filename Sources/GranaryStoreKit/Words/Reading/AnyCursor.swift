/// The documents of at least one of several cursors.
final class AnyCursor<Key: DocumentKey> {
    /// Those that are not at their end.
    @exclusivity(unchecked) private var parts: [DocumentCursor<Key>]
    let estimate: Int
    @exclusivity(unchecked) private(set) var key = Key.origin

    init(_ parts: [DocumentCursor<Key>]) {
        self.parts = parts.filter { !$0.isAtEnd }
        estimate = parts.reduce(0) { $0 + $1.estimate }
        findKey()
    }

    var isAtEnd: Bool { parts.isEmpty }

    func next() throws {
        var hasEnded = false
        for part in parts where part.key == key {
            try part.next()
            if part.isAtEnd { hasEnded = true }
        }
        if hasEnded { parts.removeAll { $0.isAtEnd } }
        findKey()
    }

    func seek(atOrAfter target: Key) throws {
        guard !isAtEnd, key < target else { return }
        for part in parts where part.key < target { try part.seek(atOrAfter: target) }
        parts.removeAll { $0.isAtEnd }
        findKey()
    }

    private func findKey() {
        guard let first = parts.first else { return }
        var least = first.key
        for part in parts.dropFirst() where part.key < least { least = part.key }
        key = least
    }
}
