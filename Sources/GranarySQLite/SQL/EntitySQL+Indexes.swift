import GranaryStoreKit

// Which conditions an index of the entity can answer. This only decides how a condition on related records is written:
// SQLite chooses the indexes.

extension EntitySQL {
    /// Whether an index, or the key, begins with the attribute under a folding.
    func isIndexed(_ position: Int, _ folding: TextFolding = []) -> Bool {
        if position == keyPosition && folding.isEmpty { return true }
        let attribute = entity.attributes[position]
        return entity.indexes.contains { index in
            index.attributes.first == attribute.name
                && (attribute.type.storage == .text ? index.folding == folding : folding.isEmpty)
        }
    }

    /// Whether an aggregate over referring records is the first or last entry for them in an index.
    func hasEnd(of aggregate: RelatedAggregate) -> Bool {
        guard aggregate.function == .minimum || aggregate.function == .maximum, aggregate.condition == nil,
            let position = aggregate.expression?.position
        else { return false }
        let attribute = entity.attributes[position]
        let names = [entity.attributes[aggregate.position].name, attribute.name]
        return entity.indexes.contains { index in
            index.attributes.starts(with: names) && (attribute.type.storage != .text || index.folding.isEmpty)
        }
    }

    /// Whether an index finds the records that meet the condition.
    func isIndexed(_ condition: ResolvedCondition, _ tables: [EntitySQL]) -> Bool {
        switch condition {
        case .always(let holds): return !holds
        case .compare(_, .notEqual, _), .notAmong: return false
        case .compare(let position, _, _), .among(let position, _): return isIndexed(position)
        case .relation(let left, let comparison, .value, let isNegated):
            return comparison != .notEqual && !isNegated && isIndexed(left)
        case .relation: return false
        case .listed(let expression, _, let isNegated), .amongRows(let expression, _, let isNegated):
            return !isNegated && isIndexed(expression)
        case .text(let expression, let match, let isNegated):
            guard !isNegated, [.equal, .prefix, .like].contains(match.kind),
                ![0x2A, 0x3F].contains(match.pattern.first)
            else {
                return false
            }
            if case .attribute(let position) = expression { return isIndexed(position, match.folding) }
            return match.folding.isEmpty && isIndexed(expression)
        case .toOne(let position, let entity, let inner, let isNegated):
            return !isNegated && isIndexed(position) && tables[entity].isIndexed(inner, tables)
        case .toMany(let entity, _, let inner, let isNegated):
            return !isNegated && tables[entity].isIndexed(inner, tables)
        case .all(let parts): return parts.contains { isIndexed($0, tables) }
        case .any(let parts): return parts.allSatisfy { isIndexed($0, tables) }
        }
    }

    private func isIndexed(_ expression: ResolvedExpression) -> Bool {
        switch expression {
        case .attribute(let position): isIndexed(position)
        case .function(.folded(let folding), .attribute(let position)): isIndexed(position, folding)
        default: false
        }
    }

    /// The index with a name in the database.
    func index(named name: String) -> Index? {
        entity.indexes.first { SchemaSQL.name(of: $0, in: entity) == name }
    }

    /// The attributes of an index over expressions. If its uniqueness is violated, SQLite names the index:
    /// `UNIQUE constraint failed: index 'Artist.name[c] unique'`.
    func indexedAttributes(in message: String) -> [String]? {
        let parts = message.split(separator: "'", maxSplits: 2)
        guard parts.count == 2, parts[0].hasSuffix("index ") else { return nil }
        return index(named: String(parts[1]))?.attributes
    }
}
