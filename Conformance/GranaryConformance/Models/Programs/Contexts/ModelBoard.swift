import ConformanceKit
package import GranaryCore

// The model of a context shares no code with contexts: rows are in dictionaries, every rule is a scan of all rows, and a
// call that fails is given up by keeping the copy made before it.

/// What the store, or one context, shows; and what the context has pending.
package struct ModelBoard {
    package typealias Place = RecordChange.Place
    package typealias Row = [StoredValue]

    package struct Change: Equatable {
        /// As it was one level up when it was first changed.
        package var base: Row?
        package var current: Row?
        /// The positions that were changed by additions alone since the base.
        package var added: Set<Int> = []
        /// As the context wrote it, where it follows what others have changed since.
        package var written: Row?
    }

    /// One record before and after, with the positions that something was added to.
    package typealias Step = (place: Place, before: Row?, after: Row?, added: Set<Int>)

    /// The rules that a call would break: any of these codes is right, and nothing was changed.
    package struct Breach: Error {
        package var codes: Set<GranaryError.Code>

        package init(_ codes: GranaryError.Code...) { self.codes = Set(codes) }
        package init(_ codes: Set<GranaryError.Code>) { self.codes = codes }
    }

    /// What one level up shows; nil for the store.
    package let below: [Place: Row]?
    private(set) var rows: [Place: Row]
    private(set) var changes: [Place: Change]
    /// What was done since this was made: a record before and after.
    private(set) var steps: [Step] = []

    package init(store rows: [Place: Row]) {
        below = nil
        self.rows = rows
        changes = [:]
    }

    package init(over below: [Place: Row], _ changes: [Place: Change]) {
        self.below = below
        self.changes = changes
        rows = [:]
        show()
    }

    /// What is below with the changes, and without what goes with those deleted by them, though others have added it since. A
    /// record that was written here stays: whether it may refer to what is gone is for the rules to say.
    package mutating func show() {
        guard let below else { return }
        rows = below
        for (place, change) in changes { rows[place] = change.current }
        var gone = Set(changes.filter { $0.value.current == nil }.map(\.key))
        let written = Set(steps.filter { $0.after != nil }.map(\.place))
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for (place, row) in rows where !gone.contains(place) && !written.contains(place) {
                let goes = ModelBoard.references(of: place.entity).contains {
                    $0.rule == .cascade && gone.contains(Place(entity: $0.target, key: row[$0.position]))
                }
                if goes {
                    gone.insert(place)
                    rows[place] = nil
                    hasGrown = true
                }
            }
        }
    }

    private var schema: Schema { ContextProgram.schema }

    /// Makes a record another, without looking at rules. What is again as it was at first is not pending any more: it is
    /// shown as one level up.
    ///
    /// - Parameters:
    ///   - added: The positions that something was added to.
    ///   - assigned: Those that were given a value, which may be the one they had.
    package mutating func put(_ row: Row?, at place: Place, added: Set<Int> = [], assigned: Set<Int> = []) {
        steps.append((place, rows[place], row, added))
        guard let below else {
            rows[place] = row
            return
        }
        let base = changes[place].map(\.base) ?? rows[place]
        if base == row {
            changes[place] = nil
            rows[place] = below[place]
        } else {
            changes[place] = Change(
                base: base, current: row,
                added: ModelBoard.added(
                    base, changes[place].map { ($0.current, $0.added) }, row, added: added, assigned: assigned))
            rows[place] = row
        }
    }

    /// The positions that are changed by additions alone since the base, after a further change.
    ///
    /// - Parameter before: What the record was before it, and these positions then; nil if it was as the base.
    package static func added(
        _ base: Row?, _ before: (row: Row?, added: Set<Int>)?, _ after: Row?, added: Set<Int>, assigned: Set<Int> = []
    ) -> Set<Int> {
        guard let base, let after else { return [] }
        let old = before.map(\.row) ?? base
        return Set(
            base.indices.filter { position in
                if base[position] == after[position] { return false }
                let wasAsTheBase = old.map { $0[position] == base[position] } ?? true
                let wasAdded = before?.added.contains(position) ?? false
                if added.contains(position) { return wasAsTheBase || wasAdded }
                return wasAdded && !assigned.contains(position) && old?[position] == after[position]
            })
    }

    // MARK: - Calls

    /// Returns how many records the call is about.
    package mutating func perform(_ write: ContextProgram.Write) throws(Breach) -> Int {
        var trial = self
        let count: Int
        switch write {
        case .insert(let entity, let row): count = try trial.insert(row, entity)
        case .update(let entity, let row): count = try trial.update(row, entity)
        case .upsert(let entity, let row):
            let isThere = trial.rows[Place(entity: entity, key: row[0])] != nil
            count = isThere ? try trial.update(row, entity) : try trial.insert(row, entity)
        case .change(let entity, let key, let values):
            guard let row = trial.rows[Place(entity: entity, key: key)] else { return 0 }
            count = try trial.update(ModelBoard.setting(values, in: row), entity)
        case .delete(let entity, let key):
            let place = Place(entity: entity, key: key)
            count = trial.rows[place] == nil ? 0 : 1
            if count > 0 { try trial.delete([place]) }
        case .updateAll(let query, let values):
            let places = trial.places(query)
            let added = Set(values.filter { $0.operation == .add }.map(\.position))
            let assigned = Set(values.map(\.position)).subtracting(added)
            for place in places.sorted() {
                guard let row = trial.rows[place] else { continue }
                _ = try trial.update(ModelBoard.setting(values, in: row), place.entity, added, assigned)
            }
            count = places.count
        case .deleteAll(let query):
            let places = trial.places(query)
            try trial.delete(places)
            count = places.count
        }
        trial.show()
        self = trial
        return count
    }

    package static func setting(_ values: [Assignment], in row: Row) -> Row {
        var row = row
        for value in values {
            row[value.position] =
                value.operation == .add ? sum(row[value.position], value.value) : value.value
        }
        return row
    }

    /// Two small integers added up; nil if one of them is nil.
    package static func sum(_ value: StoredValue, _ amount: StoredValue) -> StoredValue {
        guard case .integer(let value) = value, case .integer(let amount) = amount else { return .null }
        return .integer(value + amount)
    }

    /// What was added to make one of two integers the other; nil if one of them is nil.
    package static func amount(from old: StoredValue, to new: StoredValue) -> StoredValue? {
        guard case .integer(let old) = old, case .integer(let new) = new else { return nil }
        return .integer(new - old)
    }

    private mutating func insert(_ row: Row, _ entity: Int) throws(Breach) -> Int {
        let place = Place(entity: entity, key: row[0])
        var codes = broken(by: row, at: place, old: nil)
        if rows[place] != nil { codes.insert(.uniqueness) }
        if !codes.isEmpty { throw Breach(codes) }
        put(row, at: place)
        return 1
    }

    private mutating func update(
        _ row: Row, _ entity: Int, _ added: Set<Int> = [], _ assigned: Set<Int> = []
    ) throws(Breach) -> Int {
        let place = Place(entity: entity, key: row[0])
        guard let old = rows[place] else { return 0 }
        if old == row && assigned.isDisjoint(with: changes[place]?.added ?? []) { return 1 }
        let codes = broken(by: row, at: place, old: old)
        if !codes.isEmpty { throw Breach(codes) }
        put(row, at: place, added: added, assigned: assigned)
        return 1
    }

    // MARK: - Rules

    /// What a row breaks at a place; with `old`, in what differs from it.
    package func broken(by row: Row, at place: Place, old: Row?) -> Set<GranaryError.Code> {
        var codes: Set<GranaryError.Code> = []
        if !clashes(of: row, at: place, old: old).isEmpty { codes.insert(.uniqueness) }
        if dangles(row, at: place, old: old) { codes.insert(.danglingReference) }
        return codes
    }

    /// The other records with the same unique values.
    package func clashes(of row: Row, at place: Place, old: Row?) -> [Place] {
        let entity = schema.entities[place.entity]
        return entity.indexes.filter(\.isUnique).flatMap { index -> [Place] in
            let positions = index.attributes.compactMap { name in entity.attributes.firstIndex { $0.name == name } }
            let values = positions.map { row[$0] }
            if values.contains(.null) { return [] }
            if let old, positions.map({ old[$0] }) == values { return [] }
            return rows.filter { other, found in
                other.entity == place.entity && other.key != place.key && positions.map { found[$0] } == values
            }.map(\.key)
        }
    }

    package func dangles(_ row: Row, at place: Place, old: Row?) -> Bool {
        ModelBoard.references(of: place.entity).contains { reference in
            let value = row[reference.position]
            if value == .null || old?[reference.position] == value { return false }
            let target = Place(entity: reference.target, key: value)
            return target != place && rows[target] == nil
        }
    }

    /// Whether any record refers to this one, by a reference with a rule if one is given.
    package func isReferredTo(_ place: Place, by rule: DeleteRule? = nil, besides others: Set<Place> = []) -> Bool {
        rows.contains { other, row in
            !others.contains(other)
                && ModelBoard.references(of: other.entity).contains {
                    $0.target == place.entity && row[$0.position] == place.key && (rule == nil || $0.rule == rule)
                }
        }
    }

    package static func references(of entity: Int) -> [(position: Int, target: Int, rule: DeleteRule)] {
        let schema = ContextProgram.schema
        return schema.entities[entity].attributes.enumerated().compactMap { position, attribute in
            guard let reference = attribute.reference,
                let target = schema.entities.firstIndex(where: { $0.name == reference.entity })
            else { return nil }
            return (position, target, reference.onDelete)
        }
    }

    /// Deletes records with what the rules say, all or none.
    package mutating func delete(_ places: [Place]) throws(Breach) {
        var doomed = Set(places)
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for (place, row) in rows where !doomed.contains(place) {
                let goes = ModelBoard.references(of: place.entity).contains {
                    $0.rule == .cascade && doomed.contains(Place(entity: $0.target, key: row[$0.position]))
                }
                if goes {
                    doomed.insert(place)
                    hasGrown = true
                }
            }
        }
        for (place, row) in rows where !doomed.contains(place) {
            var row = row
            for reference in ModelBoard.references(of: place.entity)
            where doomed.contains(Place(entity: reference.target, key: row[reference.position])) {
                if reference.rule == .deny { throw Breach(.deniedDeletion) }
                if reference.rule == .nullify { row[reference.position] = .null }
            }
            if row != rows[place] { put(row, at: place) }
        }
        for place in doomed where rows[place] != nil { put(nil, at: place) }
    }

    // MARK: - Questions

    /// The rows as the reference has them, which knows how to answer.
    package var reference: ReferenceState {
        var state = ReferenceState(schema)
        for (place, row) in rows { state.put(row, place.entity) }
        return state
    }

    private func places(_ query: AnyRequest) -> [Place] {
        guard let entity = schema.entities.firstIndex(where: { $0.name == query.entity }) else { return [] }
        let found = try? reference.rows(
            of: entity, where: query.condition, order: query.order, limit: query.limit, offset: query.offset)
        return (found ?? []).map { Place(entity: entity, key: $0[0]) }
    }

    /// All rows, by entity and key.
    package var contents: [[Row]] {
        schema.entities.indices.map { entity in
            rows.filter { $0.key.entity == entity }.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    package mutating func forgetSteps() { steps = [] }
}
