import GranaryStoreKit

/// How a request is answered: which entries of which keyspace are read, in which direction, what remains to be checked,
/// and whether they come in the requested order.
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
            /// After all keys that begin with `lower`. Most ranges have this end, which takes no memory.
            case ofPrefix
        }

        var lower: [UInt8]
        var end: End
    }

    /// Ranges of one keyspace.
    struct Scan {
        var access: Access
        var ranges: [Range]
        /// The search terms.
        var search: [SearchWord]
    }

    /// A query that was run for this plan: its answer is part of the condition as a list of values.
    struct Preparation {
        var plan: Plan
        /// Whether the list is searched for. Otherwise rows are checked against it.
        var isSearched: Bool
    }

    var table: Table
    var access: Access
    /// Disjoint and, unless nils are wanted at the other end, ascending. Empty if nothing can match.
    var ranges: [Range]
    /// Used if different indexes each give a part of the answer. The access is then the key: entries come as if the key
    /// had been searched for all of them.
    var union: [Scan] = []
    var isReverse: Bool
    /// The part of the condition that the ranges do not prove.
    var residual: ResolvedCondition?
    /// The whole order, ending with the key.
    var order: [SortTerm]
    /// Whether the entries come in that order.
    var isOrdered: Bool
    var limit: Int?
    var offset: Int
    /// The search terms.
    var search: [SearchWord]
    /// Whether only the number of rows is needed.
    var isCount = false
    var preparations: [Preparation] = []
    /// The whole condition, with the answers of other queries as lists.
    var condition: ResolvedCondition?

    /// The number of rows that must be found: the limit and the skipped rows before it.
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
