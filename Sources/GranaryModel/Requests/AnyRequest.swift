/// A request without types, by names: which rows of an entity, in which order, and which output.
///
/// Each typed request has one, ``Request/untyped``. It is data: it can be compared, kept and sent as text (`Codable`),
/// and run again with `Request<DynamicRecord, [StoredValue]>(untyped)`.
///
/// Names are looked up in the schema when the request is run: an unknown name throws `unknownEntity` or
/// `unknownAttribute` with the list of known ones.
public struct AnyRequest: Sendable, Hashable {
    public var entity: String
    public var condition: AnyCondition?
    public var order: [Ordering]
    public var limit: Int?
    public var offset: Int
    /// The output for the rows. With groups, `order`, `limit` and `offset` choose the rows that are grouped.
    public var output: Output

    /// The kinds of output of a request.
    public enum Output: Sendable, Hashable {
        /// Records, each with the related records of these paths.
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
    /// Keeps only rows for which the condition also holds.
    package mutating func narrow(_ condition: AnyCondition) {
        self.condition = self.condition.map { AnyCondition.all([$0, condition]) } ?? condition
    }

    /// The grouping of the output; nil if it is not grouped.
    package var grouping: AnyGrouping? {
        guard case .groups(let grouping) = output else { return nil }
        return grouping
    }

    /// Whether equal rows are given only once.
    package var isDistinct: Bool {
        if case .columns(_, let isDistinct) = output { isDistinct } else { false }
    }

    /// The chosen values of rows or of groups; nil for records.
    package var columns: [AnyExpression]? {
        switch output {
        case .records: nil
        case .columns(let columns, _): columns
        case .groups(let grouping): grouping.columns
        }
    }

    /// The order of the output. With groups it is the order of the groups.
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

    /// The limit of the output. With groups it counts groups.
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

    /// The offset of the output. With groups it counts groups.
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

    /// Reverses the order, including that of equal values.
    ///
    /// - Parameter key: The name of the entity's key, if it is known.
    package mutating func reverse(key: String?) {
        var reversed = givenOrder.map(\.reversed)
        switch output {
        case .columns(let columns, true):
            // Only explicit terms count, and the columns follow in their order.
            reversed = order.explicit.map(\.reversed) + columns.map { Ordering($0, .descending) }
        case .groups(let grouping):
            reversed += grouping.groups.map { Ordering($0, .descending) }
        case .columns, .records:
            // Without an order the key is the order. Ties take the direction of the last term, even if that is always
            // null.
            if reversed.isEmpty {
                reversed = [
                    key.map { Ordering(attribute: $0, direction: .descending) } ?? Ordering(.value(.null), .descending)
                ]
            }
        }
        givenOrder = reversed
    }

    /// The rows as the subquery of a condition.
    package func subquery(column: AnyExpression) -> AnySubquery {
        AnySubquery(
            entity, column: column, condition: condition, order: order, limit: limit, offset: offset,
            isDistinct: isDistinct)
    }

    /// The same rows, without a choice of output.
    package var rowsAlone: AnyRequest {
        AnyRequest(entity, where: condition, order: order, limit: limit, offset: offset)
    }
}
