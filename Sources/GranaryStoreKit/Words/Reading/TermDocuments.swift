/// The documents that have one term of a question: a ``DocumentCursor`` that knows more of its documents.
///
/// | requirement | what each kind guarantees |
/// |---|---|
/// | `length` | the words of the current document |
/// | `count` | the places of the current document, each with the weight of its slot |
/// | `single` | the only place of the current document; nil if there are several, or if that is not known |
/// | `appendPlaces` | the places, ascending and without doubles |
enum TermDocuments<Key: DocumentKey> {
    /// No documents.
    case nothing
    case word(TermCursor<Key>)
    case prefix(PrefixCursor<Key>)
    case chosen(ChosenPlaces<Key>)

    @inline(__always) var isAtEnd: Bool {
        switch self {
        case .nothing: true
        case .word(let cursor): cursor.isAtEnd
        case .prefix(let cursor): cursor.isAtEnd
        case .chosen(let cursor): cursor.isAtEnd
        }
    }

    @inline(__always) var key: Key {
        switch self {
        case .nothing: Key.origin
        case .word(let cursor): cursor.key
        case .prefix(let cursor): cursor.key
        case .chosen(let cursor): cursor.key
        }
    }

    var estimate: Int {
        switch self {
        case .nothing: 0
        case .word(let cursor): cursor.documents
        case .prefix(let cursor): cursor.estimate
        case .chosen(let cursor): cursor.estimate
        }
    }

    @inline(__always) var length: Int {
        switch self {
        case .nothing: 0
        case .word(let cursor): cursor.length
        case .prefix(let cursor): cursor.length
        case .chosen(let cursor): cursor.length
        }
    }

    @inline(__always) func next() throws {
        switch self {
        case .nothing: break
        case .word(let cursor): try cursor.next()
        case .prefix(let cursor): try cursor.next()
        case .chosen(let cursor): try cursor.next()
        }
    }

    @inline(__always) func seek(atOrAfter target: Key) throws {
        switch self {
        case .nothing: break
        case .word(let cursor): try cursor.seek(atOrAfter: target)
        case .prefix(let cursor): try cursor.seek(atOrAfter: target)
        case .chosen(let cursor): try cursor.seek(atOrAfter: target)
        }
    }

    @inline(__always) func count(_ weights: SlotWeights) throws -> Double {
        switch self {
        case .nothing: 0
        case .word(let cursor): try cursor.count(weights)
        case .prefix(let cursor): try cursor.count(weights)
        case .chosen(let cursor): try cursor.count(weights)
        }
    }

    @inline(__always) var single: UInt64? {
        if case .word(let cursor) = self { cursor.single } else { nil }
    }

    func appendPlaces(to places: inout [UInt64]) throws {
        switch self {
        case .nothing: break
        case .word(let cursor): try cursor.appendPlaces(to: &places)
        case .prefix(let cursor): try cursor.appendPlaces(to: &places)
        case .chosen(let cursor): try cursor.appendPlaces(to: &places)
        }
    }

    /// Goes to the key, or after it. Returns whether it is at the key.
    @inline(__always) func isAt(_ target: Key) throws -> Bool {
        if !isAtEnd, key < target { try seek(atOrAfter: target) }
        return !isAtEnd && key == target
    }
}
