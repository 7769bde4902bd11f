/// The six comparisons.
public enum Comparison: String, Sendable, Hashable, Codable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="

    /// The comparison that is true for exactly those values, except nil, for which this one is false.
    public var complement: Comparison {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        }
    }

    /// Whether the comparison holds for two values in this order (negative, zero or positive).
    @inlinable public func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .notEqual: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }

    /// The comparison with its sides exchanged.
    package var mirrored: Comparison {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }

    /// Whether the comparison holds for two values. Nil equals only nil, and has no order.
    public func holds(_ left: StoredValue, _ right: StoredValue) -> Bool {
        if left == .null || right == .null {
            switch self {
            case .equal: return left == right
            case .notEqual: return left != right
            default: return false
            }
        }
        return left.withCell { a in right.withCell { b in holds(GranaryModel.compare(a, b)) } }
    }
}
