/// Goes through documents in the order of their keys. A new cursor is at its first document.
///
/// | requirement | what each kind guarantees |
/// |---|---|
/// | `key` | the current document's; meaningless at the end |
/// | `next` | the next document; does nothing at the end |
/// | `seek` | the first document at or after the key, from the current one on; never goes back |
/// | `estimate` | a number of documents that is seldom exceeded, to begin with the rarest |
///
/// The kinds are cases and not classes with a common protocol, because the compiler makes code for one type of keys
/// only behind calls whose target it knows; other calls look up the type each time, which takes ten times as long as a
/// posting.
enum DocumentCursor<Key: DocumentKey> {
    case term(TermDocuments<Key>)
    case all(AllCursor<Key>)
    case any(AnyCursor<Key>)

    @inline(__always) var isAtEnd: Bool {
        switch self {
        case .term(let cursor): cursor.isAtEnd
        case .all(let cursor): cursor.isAtEnd
        case .any(let cursor): cursor.isAtEnd
        }
    }

    @inline(__always) var key: Key {
        switch self {
        case .term(let cursor): cursor.key
        case .all(let cursor): cursor.key
        case .any(let cursor): cursor.key
        }
    }

    var estimate: Int {
        switch self {
        case .term(let cursor): cursor.estimate
        case .all(let cursor): cursor.estimate
        case .any(let cursor): cursor.estimate
        }
    }

    @inline(__always) func next() throws {
        switch self {
        case .term(let cursor): try cursor.next()
        case .all(let cursor): try cursor.next()
        case .any(let cursor): try cursor.next()
        }
    }

    @inline(__always) func seek(atOrAfter target: Key) throws {
        switch self {
        case .term(let cursor): try cursor.seek(atOrAfter: target)
        case .all(let cursor): try cursor.seek(atOrAfter: target)
        case .any(let cursor): try cursor.seek(atOrAfter: target)
        }
    }

    /// Goes to the key, or after it. Returns whether it is at the key.
    @inline(__always) func isAt(_ target: Key) throws -> Bool {
        if !isAtEnd, key < target { try seek(atOrAfter: target) }
        return !isAtEnd && key == target
    }
}
