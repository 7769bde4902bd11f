import GranaryCore

/// How a request is answered: which entries of which keyspace are read, in which direction, what is left to check, and
/// whether they come in the order asked for.
struct Plan {
    enum Access: Equatable {
        case key
        case index(Int)
    }

    /// Entries from `lower` on, up to and without `upper`.
    struct Range: Hashable {
        var lower: [UInt8]
        var upper: [UInt8]?
    }

    var table: Table
    var access: Access
    /// Ascending and apart from each other. Empty if nothing can match.
    var ranges: [Range]
    var isReverse: Bool
    /// What the ranges do not prove.
    var residual: ResolvedCondition?
    /// The whole order, ending with the key.
    var order: [SortTerm]
    /// Whether the entries come in that order.
    var isOrdered: Bool
    var limit: Int?
    var offset: Int
    /// What is searched for, in words: `name > ?`.
    var search: [String]

    /// How many rows have to be known to answer: the limit and what is skipped before.
    var needed: Int? {
        guard let limit else { return nil }
        let (sum, overflow) = limit.addingReportingOverflow(offset)
        return overflow ? nil : sum
    }

    var keyspace: Keyspace {
        switch access {
        case .key: table.keyspace
        case .index(let number): table.indexes[number].keyspace
        }
    }
}
