import ConformanceKit
package import GranaryCore

/// Makes random queries over the music shop: every kind of condition and expression, orders, limits, columns and groups.
/// All are valid, and none overflows.
package struct QueryMaker {
    package var choices: Choices

    /// What an expression gives.
    package enum Kind: CaseIterable {
        case integer, text, double, date, decimal, cents, bool

        package init?(_ type: AttributeType) {
            switch type {
            case .int64: self = .integer
            case .string: self = .text
            case .double: self = .double
            case .date: self = .date
            case .decimal: self = .decimal
            case .scaledDecimal: self = .cents
            case .bool: self = .bool
            default: return nil
            }
        }
    }

    /// The query that choices make.
    package static func query(_ choices: inout Choices) -> MadeQuery {
        var maker = QueryMaker(choices: choices)
        defer { choices = maker.choices }
        return maker.query()
    }

    private mutating func query() -> MadeQuery {
        let entity = choices.one(
            of: ["Song", "Song", "Song", "Album", "Artist", "Playlist", "Employee", "Genre", "Playlist_songs"])
        let form = choices.below(6)
        let condition = choices.chance(75) ? self.condition(entity, depth: 3) : nil
        var made = MadeQuery(ReferenceQuery(entity), condition)
        if choices.chance(30) { made.query.limit = choices.below(8) }
        if choices.chance(20) { made.query.offset = choices.below(5) }
        switch form {
        case 0, 1: made.query.order = orders(entity)
        case 2:
            made.query.order = orders(entity)
            made.query.columns = columns(entity).map(\.root)
        case 3:
            let columns = columns(entity)
            made.query.columns = columns.map(\.root)
            made.query.isDistinct = true
            for column in columns where choices.chance(40) { made.query.order.append(order(by: column)) }
        default:
            // Cut rows are aggregated too, in whatever order they come.
            if made.query.limit != nil || made.query.offset > 0 { made.query.order = orders(entity) }
            if form == 5 { made.query.groups = columns(entity).map(\.root) }
            for _ in 0..<(1 + choices.below(3)) {
                let aggregate = aggregate(entity)
                if !made.query.aggregates.contains(aggregate) { made.query.aggregates.append(aggregate) }
            }
        }
        return made
    }

    private mutating func columns(_ entity: String) -> [AnyExpression] {
        var columns: [AnyExpression] = []
        for _ in 0..<(1 + choices.below(3)) { columns.append(expression(entity, kind(entity), depth: 2)) }
        return columns
    }

    package mutating func orders(_ entity: String) -> [Ordering] {
        var orders: [Ordering] = []
        for _ in 0..<choices.one(of: [0, 1, 1, 2, 3]) {
            orders.append(order(by: expression(entity, kind(entity), depth: 1)))
        }
        return orders
    }

    package mutating func order(by expression: AnyExpression) -> Ordering {
        Ordering(
            expression, choices.chance(50) ? .descending : .ascending,
            nils: choices.one(of: [nil, nil, .first, .last]))
    }

    private mutating func aggregate(_ entity: String) -> ReferenceQuery.Aggregate {
        let condition = choices.chance(30) ? condition(entity, depth: 1) : nil
        guard choices.chance(75) else { return .init(.count, nil, where: condition) }
        // Doubles more often than the rest: their sums are the easiest to get wrong.
        let hasDoubles = !paths(entity, .double).isEmpty
        let kind = hasDoubles && choices.chance(35) ? .double : kind(entity)
        let function = choices.one(of: functions(of: kind))
        return .init(function, leafOrDeeper(entity, kind).root, where: condition, isDistinct: choices.chance(25))
    }

    package func functions(of kind: Kind) -> [AggregateFunction] {
        switch kind {
        case .integer, .double, .decimal, .cents: [.count, .sum, .average, .minimum, .maximum]
        case .date: [.count, .minimum, .maximum, .average]
        case .text, .bool: [.count, .minimum, .maximum]
        }
    }

    /// What is summed: of decimals only what keeps its digits few.
    package mutating func leafOrDeeper(_ entity: String, _ kind: Kind) -> AnyExpression {
        kind == .decimal ? leaf(entity, kind) : expression(entity, kind, depth: 1)
    }

    // MARK: - Names

    /// A kind of which the entity, or one it refers to, has an attribute.
    package mutating func kind(_ entity: String) -> Kind {
        choices.one(of: Kind.allCases.filter { !paths(entity, $0).isEmpty })
    }

    /// The paths to attributes of a kind, through up to three references, short ones first.
    package func paths(_ entity: String, _ kind: Kind) -> [String] { ShopNames.shared.paths[entity]?[kind] ?? [] }

    /// The paths to JSON.
    package func jsonPaths(_ entity: String) -> [String] { ShopNames.shared.json[entity] ?? [] }

    /// The to-many relationships, own ones and through a reference, with the entity they lead to.
    package func relationships(_ entity: String) -> [(path: String, target: String)] {
        ShopNames.shared.relationships[entity] ?? []
    }
}
