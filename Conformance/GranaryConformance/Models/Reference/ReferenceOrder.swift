import ConformanceKit
package import GranaryCore

/// How values compare, said once more and as plainly as it can be.
package enum ReferenceOrder {
    /// Negative, zero or positive: nil first, numbers by value, text and bytes by byte.
    package static func compare(_ left: StoredValue, _ right: StoredValue) -> Int {
        switch (left, right) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.integer(let a), .real(let b)): exactly(a, b)
        case (.real(let a), .integer(let b)): -exactly(b, a)
        case (.text(let a), .text(let b)), (.bytes(let a), .bytes(let b)):
            a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
        default: 0
        }
    }

    /// No rounding: the double's whole part is an integer, and what is left of it decides a tie.
    private static func exactly(_ integer: Int64, _ real: Double) -> Int {
        let whole = real.rounded(.down)
        guard let floor = Int64(exactly: whole) else { return real > 0 ? -1 : 1 }
        if integer != floor { return integer < floor ? -1 : 1 }
        return real > whole ? -1 : 0
    }

    /// Of nil `==` holds with nil alone, `!=` with all else, no order ever.
    package static func holds(_ comparison: Comparison, _ left: StoredValue, _ right: StoredValue) -> Bool {
        let order = compare(left, right)
        switch comparison {
        case .equal: return order == 0
        case .notEqual: return order != 0
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if left == .null || right == .null { return false }
            if order == 0 { return comparison == .lessOrEqual || comparison == .greaterOrEqual }
            return (order < 0) == (comparison == .less || comparison == .lessOrEqual)
        }
    }

    /// One term of an order over values, nils where they are wanted.
    package static func compare(
        _ left: StoredValue, _ right: StoredValue, isDescending: Bool, nilsFirst: Bool
    ) -> Int {
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return nilsFirst ? -1 : 1
        case (_, .null): return nilsFirst ? 1 : -1
        default:
            let order = compare(left, right)
            return isDescending ? -order : order
        }
    }
}
