import ConformanceKit
import GranaryCore

/// What conditions and expressions by names mean, said once more and as plainly as it can be: evaluated row by row over a
/// state, with no positions, no plan and no negation pushed anywhere.
struct ReferenceEvaluator {
    let state: ReferenceState
    /// By entity, position of a reference and the key it names: the rows that refer to it.
    private let referring: [[Int: [StoredValue: [[StoredValue]]]]]

    init(_ state: ReferenceState) {
        self.state = state
        referring = state.schema.entities.enumerated().map { entity, description in
            var found: [Int: [StoredValue: [[StoredValue]]]] = [:]
            for (position, attribute) in description.attributes.enumerated() where attribute.reference != nil {
                found[position] = Dictionary(grouping: state.tables[entity].values) { $0[position] }
            }
            return found
        }
    }

    /// A row of an entity, or that there is none.
    struct Place {
        var entity: Int
        var row: [StoredValue]?
    }

    /// A value and the type of the expression that gave it.
    struct Typed {
        var value: StoredValue
        var type: AttributeType

        init(_ value: StoredValue, _ type: AttributeType) {
            self.value = value
            self.type = type
        }
    }

    // MARK: - Names

    func entity(named name: String) throws -> Int {
        guard let found = state.schema.entities.firstIndex(where: { $0.name == name }) else {
            throw GranaryError(.unknownEntity, "The reference knows no such entity.", entity: name)
        }
        return found
    }

    private func position(_ name: Substring, of entity: Int) throws -> Int {
        guard let found = state.schema.entities[entity].attributes.firstIndex(where: { $0.name == name }) else {
            throw GranaryError(.unknownAttribute, "The reference knows no such attribute.", attributes: [String(name)])
        }
        return found
    }

    /// Where a path's last part is asked, and that part.
    func follow(_ path: String, from place: Place) throws -> (Place, last: Substring) {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        var place = place
        for part in parts.dropLast() {
            let position = try position(part, of: place.entity)
            guard let reference = state.schema.entities[place.entity].attributes[position].reference else {
                throw GranaryError(.invalidQuery, "Not a to-one relationship.", attributes: [String(part)])
            }
            let target = try entity(named: reference.entity)
            let key = place.row?[position] ?? .null
            place = Place(entity: target, row: key == .null ? nil : state.row(key, in: target))
        }
        return (place, parts.last ?? "")
    }

    func attribute(_ path: String, _ place: Place) throws -> Typed {
        let (end, name) = try follow(path, from: place)
        let position = try position(name, of: end.entity)
        return Typed(
            end.row?[position] ?? .null, state.schema.entities[end.entity].attributes[position].type)
    }

    /// The rows of a to-many relationship, and their entity.
    func related(_ path: String, _ place: Place) throws -> (entity: Int, rows: [[StoredValue]]) {
        let (owner, name) = try follow(path, from: place)
        let description = state.schema.entities[owner.entity]
        guard let relationship = description.relationships.first(where: { $0.name == name }) else {
            throw GranaryError(.unknownAttribute, "The reference knows no such relationship.")
        }
        let source = try entity(named: relationship.entity)
        let position = try position(relationship.attribute[...], of: source)
        let key = owner.row?[description.keyPosition] ?? .null
        let rows = key == .null ? [] : referring[source][position]?[key] ?? []
        guard let through = relationship.through else { return (source, rows) }
        let link = try self.position(through[...], of: source)
        let target = try entity(named: state.schema.entities[source].attributes[link].reference?.entity ?? "")
        return (target, rows.compactMap { state.row($0[link], in: target) })
    }

    // MARK: - Conditions

    func holds(_ node: AnyCondition.Node, _ place: Place) throws -> Bool {
        switch node {
        case .always(let value): return value
        case .compare(let path, let comparison, let value):
            let attribute = try attribute(path, place)
            return ReferenceOrder.holds(
                comparison, attribute.value, ReferenceEvaluator.nearest(value, beside: attribute.type))
        case .among(let path, let values):
            let attribute = try attribute(path, place)
            return values.contains {
                ReferenceOrder.compare(ReferenceEvaluator.nearest($0, beside: attribute.type), attribute.value) == 0
            }
        case .relation(let left, let comparison, let right):
            var (left, right) = try pair(left, right, place)
            if ReferenceEvaluator.compareExactly(left.type, right.type) {
                (left, right) = (ReferenceEvaluator.exact(left), ReferenceEvaluator.exact(right))
            }
            return ReferenceOrder.holds(comparison, left.value, right.value)
        case .listed(let expression, let others):
            let value = try self.value(expression, place)
            return try others.contains {
                ReferenceOrder.compare(value.value, try self.value($0, place, beside: value.type).value) == 0
            }
        case .text(let expression, let match):
            guard case .text(let text) = try value(expression, place).value else { return false }
            let matcher = try TextMatcher(match)
            return try text.withUnsafeBytes { try matcher.matches($0) }
        case .exists(let relationship, let inner):
            let (entity, rows) = try related(relationship, place)
            guard let inner else { return !rows.isEmpty }
            return try rows.contains { try holds(inner, Place(entity: entity, row: $0)) }
        case .amongRows(let expression, let subquery):
            let value = try value(expression, place).value
            return try self.rows(ReferenceQuery(subquery)).contains { ReferenceOrder.compare($0[0], value) == 0 }
        case .search(let path, let search): return try found(search, at: path, place)
        case .all(let nodes): return try nodes.allSatisfy { try holds($0, place) }
        case .any(let nodes): return try nodes.contains { try holds($0, place) }
        case .not(let inner): return try !holds(inner, place)
        case .invalid(let code, let message, _): throw GranaryError(code, message)
        }
    }
}
