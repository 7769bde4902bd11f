import GranaryStoreKit

/// How a request is answered: which entries of which keyspace are read, in which direction, what is left to check, and
/// whether they come in the order asked for.
struct Plan {
    enum Access: Hashable {
        case key
        case index(Int)
    }

    /// Entries from `lower` on, up to an end.
    struct Range {
        enum End {
            case none
            case before([UInt8])
            /// After all that begins with `lower`. Most ranges have this one, which takes no memory.
            case ofPrefix
        }

        var lower: [UInt8]
        var end: End
    }

    /// Ranges of one keyspace.
    struct Scan {
        var access: Access
        var ranges: [Range]
        /// What is searched for.
        var search: [SearchWord]
    }

    /// A query that was run to plan this one: its answer stands in the condition as a list of values.
    struct Preparation {
        var plan: Plan
        /// Whether the list is searched for. If not, rows are checked against it.
        var isSearched: Bool
    }

    var table: Table
    var access: Access
    /// Apart from each other and, unless nils are asked for at the other end, ascending. Empty if nothing can match.
    var ranges: [Range]
    /// Where different indexes have a part of the answer each. The access is then the key: entries are given as if the key
    /// had been searched for all of them.
    var union: [Scan] = []
    var isReverse: Bool
    /// What the ranges do not prove.
    var residual: ResolvedCondition?
    /// The whole order, ending with the key.
    var order: [SortTerm]
    /// Whether the entries come in that order.
    var isOrdered: Bool
    var limit: Int?
    var offset: Int
    /// What is searched for.
    var search: [SearchWord]
    /// Whether only the number of rows is asked for.
    var isCount = false
    var preparations: [Preparation] = []
    /// The whole condition, with what other queries have answered as lists.
    var condition: ResolvedCondition?

    /// How many rows have to be known to answer: the limit and what is skipped before.
    var needed: Int? {
        guard let limit else { return nil }
        let (sum, overflow) = limit.addingReportingOverflow(offset)
        return overflow ? nil : sum
    }

    var keyspace: Keyspace { table.keyspace(access) }
}

extension Table {
    func keyspace(_ access: Plan.Access) -> Keyspace {
        switch access {
        case .key: keyspace
        case .index(let number): indexes[number].keyspace
        }
    }
}
