import ConformanceKit
package import GranaryCore
package import GranaryPlatform

/// What a store should hold, kept in the plainest way: a dictionary of rows an entity, each statement a scan.
///
/// It is what random programs are compared with, so it shares no code with any store: its own comparison, its own
/// conditions, its own delete rules. A copy is a snapshot.
package struct ReferenceState: Sendable {
    package let schema: Schema
    /// By entity and key; rows by attribute position.
    package private(set) var tables: [[StoredValue: [StoredValue]]]
    /// By entity and unique index: which values are taken by which key. Rows with nil in one of them are not in it.
    private var taken: [[[[StoredValue]: StoredValue]]]
    private let uniques: [[[Int]]]
    private let foldings: [[TextFolding]]
    private let uniqueNames: [[[String]]]
    /// By entity: the greatest integer key there ever was.
    package private(set) var largestKey: [Int64]
    /// Whether references may dangle for now.
    package var defersReferences = false

    package init(_ schema: Schema) {
        self.schema = schema
        tables = schema.entities.map { _ in [:] }
        let indexes = schema.entities.map { $0.indexes.filter(\.isUnique) }
        uniqueNames = indexes.map { $0.map(\.attributes) }
        foldings = indexes.map { $0.map(\.folding) }
        uniques = zip(schema.entities, indexes).map { entity, indexes in
            indexes.map { index in
                index.attributes.compactMap { name in entity.attributes.firstIndex { $0.name == name } }
            }
        }
        taken = uniques.map { $0.map { _ in [:] } }
        largestKey = schema.entities.map { _ in 0 }
    }

    /// The rules a statement would break: any of these codes is right, and nothing was changed.
    package struct Breach: Error, Hashable {
        package var codes: [GranaryError.Code]
        package var entity: String
        package var attributes: [String]
    }

    package func row(_ key: StoredValue, in entity: Int) -> [StoredValue]? { tables[entity][key] }

    package func keyPosition(_ entity: Int) -> Int { schema.entities[entity].keyPosition }

    /// - Returns: The key made, if one was.
    package mutating func insert(_ given: [StoredValue], into entity: Int) throws(Breach) -> Int64? {
        let (row, assigned) = try withKey(given, entity)
        var breaches = self.breaches(of: row, in: entity)
        if tables[entity][row[keyPosition(entity)]] != nil {
            breaches.insert((.uniqueness, [schema.entities[entity].key]), at: 0)
        }
        try refuse(breaches, entity)
        put(row, entity)
        return assigned
    }

    /// - Returns: Whether there was a row with that key.
    package mutating func update(_ row: [StoredValue], in entity: Int) throws(Breach) -> Bool {
        guard tables[entity][row[keyPosition(entity)]] != nil else { return false }
        try refuse(breaches(of: row, in: entity), entity)
        put(row, entity)
        return true
    }

    package mutating func upsert(_ given: [StoredValue], into entity: Int) throws(Breach) -> Int64? {
        let (row, assigned) = try withKey(given, entity)
        try refuse(breaches(of: row, in: entity), entity)
        put(row, entity)
        return assigned
    }

    /// Sets values by position in these rows, or adds them, all or none.
    package mutating func set(_ values: [Assignment], in rows: [[StoredValue]], of entity: Int) throws(Breach) {
        let before = self
        do throws(Breach) {
            var new: [[StoredValue]] = []
            for var row in rows {
                for value in values { row[value.position] = try assigned(value, row[value.position], entity) }
                new.append(row)
            }
            // Rules hold at the end: all rows go before any comes back.
            for row in rows { remove(row[keyPosition(entity)], entity) }
            var clash: Breach?
            for row in new {
                let breaches = uniquenessBreaches(of: row, in: entity)
                if clash == nil, !breaches.isEmpty {
                    clash = Breach(
                        codes: breaches.map(\.code), entity: schema.entities[entity].name,
                        attributes: breaches[0].attributes)
                }
                put(row, entity)
            }
            if let clash { throw clash }
            for row in new { try refuse(breaches(of: row, in: entity), entity) }
        } catch {
            self = before
            throw error
        }
    }

    /// The references that dangle, anywhere.
    package func checkReferences() throws(Breach) {
        for (entity, table) in tables.enumerated() {
            for row in table.values { try refuse(danglingReferences(of: row, in: entity), entity) }
        }
    }

    // MARK: - Rows

    package mutating func put(_ row: [StoredValue], _ entity: Int) {
        remove(row[keyPosition(entity)], entity)
        let key = row[keyPosition(entity)]
        tables[entity][key] = row
        if case .integer(let number) = key { largestKey[entity] = max(largestKey[entity], number) }
        for (index, positions) in uniques[entity].enumerated() {
            if let values = constrained(row, positions, foldings[entity][index]) { taken[entity][index][values] = key }
        }
    }

    package mutating func remove(_ key: StoredValue, _ entity: Int) {
        guard let row = tables[entity].removeValue(forKey: key) else { return }
        for (index, positions) in uniques[entity].enumerated() {
            if let values = constrained(row, positions, foldings[entity][index]) { taken[entity][index][values] = nil }
        }
    }

    private func constrained(_ row: [StoredValue], _ positions: [Int], _ folding: TextFolding) -> [StoredValue]? {
        let values = positions.map { (position: Int) -> StoredValue in
            guard case .text(let text) = row[position], let folded = try? folding.folded(text) else {
                return row[position]
            }
            return .text(folded)
        }
        return values.contains(.null) ? nil : values
    }

    private func withKey(_ row: [StoredValue], _ entity: Int) throws(Breach) -> ([StoredValue], Int64?) {
        let key = keyPosition(entity)
        guard schema.entities[entity].keyGeneration == .assigned, row[key] == .integer(0) else { return (row, nil) }
        let (next, isSpent) = largestKey[entity].addingReportingOverflow(1)
        if isSpent {
            throw Breach(
                codes: [.limit], entity: schema.entities[entity].name, attributes: [schema.entities[entity].key])
        }
        var row = row
        row[key] = .integer(next)
        return (row, next)
    }

    private func assigned(_ change: Assignment, _ old: StoredValue, _ entity: Int) throws(Breach) -> StoredValue {
        guard change.operation == .add else { return change.value }
        let attribute = schema.entities[entity].attributes[change.position]
        let breach = Breach(codes: [.overflow], entity: schema.entities[entity].name, attributes: [attribute.name])
        switch (old, change.value) {
        case (.integer(let old), .integer(let amount)):
            let (sum, isTooLarge) = old.addingReportingOverflow(amount)
            guard !isTooLarge, attribute.type.integerRange?.contains(sum) ?? true else { throw breach }
            return .integer(sum)
        case (.real(let old), .real(let amount)):
            let sum = attribute.type == .float ? Double(Float(old) + Float(amount)) : old + amount
            if sum.isNaN {
                throw Breach(codes: [.range], entity: breach.entity, attributes: breach.attributes)
            }
            return .real(sum)
        case (.bytes, .bytes):
            guard let left = try? old.value(as: Decimal.self), let right = try? change.value.value(as: Decimal.self),
                let sum = try? StoredValue(encoding: left + right)
            else { throw breach }
            return sum
        default: return old
        }
    }

    // MARK: - Rules

    private typealias Breaches = [(code: GranaryError.Code, attributes: [String])]

    private func breaches(of row: [StoredValue], in entity: Int) -> Breaches {
        let found = uniquenessBreaches(of: row, in: entity)
        return defersReferences ? found : found + danglingReferences(of: row, in: entity)
    }

    private func uniquenessBreaches(of row: [StoredValue], in entity: Int) -> Breaches {
        var found: Breaches = []
        for (index, positions) in uniques[entity].enumerated() {
            guard let values = constrained(row, positions, foldings[entity][index]),
                let other = taken[entity][index][values]
            else { continue }
            if other != row[keyPosition(entity)] { found.append((.uniqueness, uniqueNames[entity][index])) }
        }
        return found
    }

    private func danglingReferences(of row: [StoredValue], in entity: Int) -> Breaches {
        var found: Breaches = []
        for (position, attribute) in schema.entities[entity].attributes.enumerated() {
            guard let reference = attribute.reference, reference.onDelete != .noAction, row[position] != .null,
                let target = schema.entities.firstIndex(where: { $0.name == reference.entity })
            else { continue }
            let isItself = target == entity && row[position] == row[keyPosition(entity)]
            if !isItself && tables[target][row[position]] == nil {
                found.append((.danglingReference, [attribute.name]))
            }
        }
        return found
    }

    private func refuse(_ breaches: Breaches, _ entity: Int) throws(Breach) {
        guard let first = breaches.first else { return }
        throw Breach(
            codes: breaches.map(\.code), entity: schema.entities[entity].name, attributes: first.attributes)
    }
}
