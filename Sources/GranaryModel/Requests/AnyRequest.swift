/// A request without types, by names: which rows of an entity, in which order, and what is given of them.
///
/// Each typed request has one, ``Request/untyped``. It is data: it can be compared, kept and sent as text (`Codable`), and
/// asked again with `Request<DynamicRecord, [StoredValue]>(untyped)`.
///
/// Names are looked up in the schema when it is run: a wrong one throws `unknownEntity` or `unknownAttribute` and lists
/// the right ones.
public struct AnyRequest: Sendable, Hashable {
    public var entity: String
    public var condition: AnyCondition?
    public var order: [Ordering]
    public var limit: Int?
    public var offset: Int
    /// What is given of the rows. Of groups, `order`, `limit` and `offset` choose the rows that are grouped.
    public var output: Output

    /// What a request gives of its rows.
    public enum Output: Sendable, Hashable {
        /// Records, each with what these paths of relationships lead to.
        case records(with: [String])
        /// Chosen values. If they are distinct, equal rows are given once, and limit and offset count different rows.
        case columns([AnyExpression], isDistinct: Bool)
        /// Groups of rows.
        indirect case groups(AnyGrouping)
    }

    public init(
        _ entity: String, where condition: AnyCondition? = nil, order: [Ordering] = [], limit: Int? = nil,
        offset: Int = 0, output: Output = .records(with: [])
    ) {
        self.entity = entity
        self.condition = condition
        self.order = order
        self.limit = limit
        self.offset = offset
        self.output = output
    }
}

extension AnyRequest {
    /// Rows of which this holds, in addition to what held before.
    package mutating func narrow(_ condition: AnyCondition) {
        self.condition = self.condition.map { AnyCondition.all([$0, condition]) } ?? condition
    }

    /// How the rows given are grouped; nil if they are not.
    package var grouping: AnyGrouping? {
        guard case .groups(let grouping) = output else { return nil }
        return grouping
    }

    /// Whether equal rows are given once.
    package var isDistinct: Bool {
        if case .columns(_, let isDistinct) = output { isDistinct } else { false }
    }

    /// The values chosen, of rows or of groups; nil of records.
    package var columns: [AnyExpression]? {
        switch output {
        case .records: nil
        case .columns(let columns, _): columns
        case .groups(let grouping): grouping.columns
        }
    }

    /// The order of what is given: of groups, their own.
    package var givenOrder: [Ordering] {
        get { grouping?.order ?? order }
        set {
            guard var grouping else {
                order = newValue
                return
            }
            grouping.order = newValue
            output = .groups(grouping)
        }
    }

    /// How many of what is given: of groups, of them.
    package var givenLimit: Int? {
        get { if let grouping { grouping.limit } else { limit } }
        set {
            guard var grouping else {
                limit = newValue
                return
            }
            grouping.limit = newValue
            output = .groups(grouping)
        }
    }

    /// How many of what is given are left out from the front.
    package var givenOffset: Int {
        get { grouping?.offset ?? offset }
        set {
            guard var grouping else {
                offset = newValue
                return
            }
            grouping.offset = newValue
            output = .groups(grouping)
        }
    }

    /// The order turned round, the one of equal values included.
    ///
    /// - Parameter key: The name of the entity's key, if it is known.
    package mutating func reverse(key: String?) {
        var reversed = givenOrder.map(\.reversed)
        switch output {
        case .columns(let columns, true):
            // Only what was asked for counts, and the columns follow in their order.
            reversed = order.explicit.map(\.reversed) + columns.map { Ordering($0, .descending) }
        case .groups(let grouping):
            reversed += grouping.groups.map { Ordering($0, .descending) }
        case .columns, .records:
            // Without an order the key gives it. Ties take the direction of the last term: also one that is always null.
            if reversed.isEmpty {
                reversed = [
                    key.map { Ordering(attribute: $0, direction: .descending) } ?? Ordering(.value(.null), .descending)
                ]
            }
        }
        givenOrder = reversed
    }

    /// The rows that a condition's subquery looks among.
    package func subquery(column: AnyExpression) -> AnySubquery {
        AnySubquery(
            entity, column: column, condition: condition, order: order, limit: limit, offset: offset,
            isDistinct: isDistinct)
    }

    /// The same rows, whatever is given of them.
    package var rowsAlone: AnyRequest {
        AnyRequest(entity, where: condition, order: order, limit: limit, offset: offset)
    }
}
