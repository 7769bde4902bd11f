public enum SortDirection: String, Sendable, Hashable, Codable {
    case ascending, descending

    public var reversed: SortDirection { self == .ascending ? .descending : .ascending }
}

/// The position of nil in an order.
public enum NilPosition: String, Sendable, Hashable, Codable {
    case first, last
}

/// One term of an order: an attribute, a path through to-one relationships (`album.artist.name`) or any expression.
///
/// Ties of all terms come by key, in the direction of the last term.
public struct Ordering: Sendable, Hashable {
    public var expression: AnyExpression.Node
    public var direction: SortDirection
    /// Nil for the default: nils come first ascending and last descending.
    public var nils: NilPosition?
    /// Whether the term applies only without other terms: true for a list's own order, which any requested order
    /// replaces.
    public var givesWay = false

    public init(attribute: String, direction: SortDirection = .ascending, nils: NilPosition? = nil) {
        self.init(.attribute(attribute), direction, nils: nils)
    }

    public init(_ expression: AnyExpression, _ direction: SortDirection = .ascending, nils: NilPosition? = nil) {
        self.expression = expression.root
        self.direction = direction
        self.nils = nils
    }

    /// The reversed order, including nils.
    public var reversed: Ordering {
        var reversed = self
        reversed.direction = direction.reversed
        reversed.nils = nils.map { $0 == .first ? .last : .first }
        return reversed
    }
}

extension Ordering: CustomStringConvertible {
    /// As in a sort string: `name`, `-rating`.
    public var description: String {
        let nils = nils.map { " nils \($0.rawValue)" } ?? ""
        return (direction == .descending ? "-" : "") + expression.text + nils
    }
}

extension Ordering {
    /// The terms of a sort string: names separated by commas, descending with `-` in front. `-rank()` orders by how
    /// well records answer the search of the condition.
    public static func list(_ text: String) -> [Ordering] {
        text.split(separator: ",").map { part in
            var name = part.drop { $0 == " " }
            while name.last == " " { name.removeLast() }
            let isDescending = name.first == "-"
            let isSigned = isDescending || name.first == "+"
            let value = String(isSigned ? name.dropFirst() : name)
            let direction = isDescending ? SortDirection.descending : .ascending
            return value == "rank()" ? Ordering(.rank(), direction) : Ordering(attribute: value, direction: direction)
        }
    }
}

extension [Ordering] {
    /// The terms that apply.
    package var effective: [Ordering] {
        contains { $0.givesWay } && contains { !$0.givesWay } ? explicit : self
    }

    /// The same order, when no other terms will be added.
    package var settled: [Ordering] {
        map { term in
            var term = term
            term.givesWay = false
            return term
        }
    }

    /// The explicitly given terms.
    package var explicit: [Ordering] { filter { !$0.givesWay } }
}
