// What is pending is a net effect: the order in which it came about is not kept. So it is applied in an order that works for
// every net effect, with references checked at the end: records that stop referring first, so that a deletion is not
// denied by one of them; then deletions, of the entities that refer before those referred to; then other changes; then
// what is new. Two records that swap unique values need a detour: their values are parked first.

/// Writes pending changes one level up: into a store, or into the context that is the parent.
struct ChangeMerger {
    let pending: PendingChanges
    let schema: Schema
    let policy: MergePolicy

    /// What was written, and which conflicts the policy has settled.
    struct Report {
        var inserted = 0
        var updated = 0
        var deleted = 0
        var conflicts: [MergeConflict] = []
    }

    private struct Write {
        var place: RecordChange.Place
        var row: StoredRow
        /// As it was where the context began from, and as it is one level up.
        var base: StoredRow?
        var store: StoredRow?
    }

    private struct Plan {
        var released: [Write] = []
        var updated: [Write] = []
        var inserted: [Write] = []
        var deleted: [Int: [StoredValue]] = [:]
        var report = Report()
    }

    /// Merges, all or nothing.
    ///
    /// - Throws: `mergeConflict` with every conflict that the policy does not settle, and what writing throws.
    func merge(into writer: any StoreWriter) throws -> Report {
        let plan = try plan(writer)
        try writer.beginSavepoint()
        do {
            try writer.deferReferences()
            let report = try apply(plan, to: writer)
            try writer.checkReferences()
            try writer.releaseSavepoint()
            return report
        } catch {
            try? writer.rollbackSavepoint()
            throw error
        }
    }

    private func plan(_ writer: any StoreWriter) throws -> Plan {
        var plan = Plan()
        var unsettled: [MergeConflict] = []
        for entity in pending.entities {
            let description = schema.entities[entity]
            let references = AttributeSet(
                description.attributes.indices.filter { description.attributes[$0].reference != nil })
            let changes = pending.changes(of: entity).sorted { $0.key < $1.key }
            let newKeys = changes.lazy.filter { $0.value.base == nil }.map(\.key)
            let isFree = try isFree(from: newKeys.first, to: newKeys.last, of: entity, in: writer)
            for (key, change) in changes {
                let place = RecordChange.Place(entity: entity, key: key)
                if isFree, change.base == nil, let row = change.current {
                    plan.inserted.append(Write(place: place, row: row))
                    continue
                }
                let store: StoredRow? = try key.withCell { cell in
                    guard let row = try writer.find(cell, in: entity) else { return nil }
                    return StoredRow(row)
                }
                let merge = ThreeWayMerge(place: place, entity: description, change: change, store: store)
                let wanted: StoredRow?
                switch merge.outcome() {
                case .merged(let row): wanted = row
                case .conflict(let conflict):
                    let resolution = try policy.resolution(of: conflict)
                    if case .fail = resolution {
                        unsettled.append(conflict)
                        continue
                    }
                    wanted = try merge.resolved(resolution, conflict)
                    plan.report.conflicts.append(conflict)
                }
                add(wanted, store, merge, references, to: &plan)
            }
        }
        if !unsettled.isEmpty { throw GranaryError.unmerged(unsettled) }
        return plan
    }

    /// Whether nothing one level up has one of these keys or one between them: new records mostly come after all others,
    /// and then need not be looked for one by one.
    private func isFree(
        from first: StoredValue?, to last: StoredValue?, of entity: Int, in writer: any StoreWriter
    ) throws -> Bool {
        guard let first, let last else { return false }
        let position = schema.entities[entity].keyPosition
        let between = ResolvedCondition.all([
            .compare(position: position, .greaterOrEqual, first), .compare(position: position, .lessOrEqual, last),
        ])
        let rows = try writer.rows(FetchRequest(entity: entity, condition: between, limit: 1))
        return try rows.firstRow { _ in true } == nil
    }

    private func add(
        _ wanted: StoredRow?, _ store: StoredRow?, _ merge: ThreeWayMerge, _ references: AttributeSet,
        to plan: inout Plan
    ) {
        switch (store, wanted) {
        case (nil, nil): break
        case (nil, let row?):
            plan.inserted.append(Write(place: merge.place, row: row, base: merge.change.base))
        case (_?, nil): plan.deleted[merge.place.entity, default: []].append(merge.place.key)
        case (let store?, let row?):
            if row.isSame(as: store) { return }
            let write = Write(place: merge.place, row: row, base: merge.change.base, store: store)
            if row.difference(from: store).intersects(references) {
                plan.released.append(write)
            } else {
                plan.updated.append(write)
            }
        }
    }

    private func apply(_ plan: Plan, to writer: any StoreWriter) throws -> Report {
        var report = plan.report
        try update(plan.released, in: writer, &report)
        for entity in deletionOrder where plan.deleted[entity] != nil {
            report.deleted += try delete(plan.deleted[entity] ?? [], of: entity, in: writer)
        }
        try update(plan.updated, in: writer, &report)
        for write in plan.inserted {
            let isDone = try settling(write, &report) {
                _ = try writer.insert(write.row.row, into: write.place.entity)
            }
            if isDone { report.inserted += 1 }
        }
        return report
    }

    private func delete(_ keys: [StoredValue], of entity: Int, in writer: any StoreWriter) throws -> Int {
        // One statement where records of one entity refer to each other, so that only those that stay can deny it.
        let position = schema.entities[entity].keyPosition
        guard schema.entities[entity].refersToItself, keys.count > 1 else {
            return try keys.reduce(0) { count, key in
                count + (try key.withCell { try writer.delete($0, from: entity) } ? 1 : 0)
            }
        }
        return try writer.deleteAll(
            FetchRequest(entity: entity, condition: .among(position: position, keys.sorted())))
    }

    private func update(_ writes: [Write], in writer: any StoreWriter, _ report: inout Report) throws {
        guard !writes.isEmpty else { return }
        try writer.beginSavepoint()
        do {
            for write in writes { _ = try writer.update(write.row.row, in: write.place.entity) }
            try writer.releaseSavepoint()
            report.updated += writes.count
            return
        } catch {
            try writer.rollbackSavepoint()
            guard (error as? GranaryError)?.code == .uniqueness else { throw error }
        }
        // Some may be in each other's way only: they are all parked before any of them gets its values.
        for write in writes {
            if let parked = try parked(write, writer) { _ = try writer.update(parked.row, in: write.place.entity) }
        }
        for write in writes {
            let isDone = try settling(write, &report) {
                _ = try writer.update(write.row.row, in: write.place.entity)
            }
            if isDone {
                report.updated += 1
            } else if let store = write.store {
                // It is given up, so what it was parked for is undone.
                _ = try writer.update(store.row, in: write.place.entity)
            }
        }
    }

    /// Writes one record; a unique value that another record has taken is a conflict. Returns whether it was written.
    private func settling(_ write: Write, _ report: inout Report, _ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch var error as GranaryError where error.code == .uniqueness {
            let entity = schema.entities[write.place.entity]
            let positions = error.attributes.compactMap { try? entity.position(ofAttribute: $0) }
            let conflict = MergeConflict(
                .uniqueness, AttributeSet(positions), write.place, entity, base: write.base, context: write.row,
                store: write.store, merged: write.row)
            error.details = [conflict]
            switch try policy.resolution(of: conflict) {
            case .storeWins, .rollBack:
                report.conflicts.append(conflict)
                return false
            case .fail, .contextWins, .overwrite, .replace: throw error
            }
        }
    }

    /// The stored record with values for its unique constraints that nobody has; nil if none of them changes.
    private func parked(_ write: Write, _ writer: any StoreWriter) throws -> StoredRow? {
        guard let store = write.store else { return nil }
        let entity = schema.entities[write.place.entity]
        let changed = write.row.difference(from: store)
        var assignments: [Assignment] = []
        for index in entity.indexes where index.isUnique {
            let positions = try index.attributes.map { try entity.position(ofAttribute: $0) }
            guard positions.contains(where: changed.contains) else { continue }
            guard let position = positions.first(where: { changed.contains($0) }) else { continue }
            if let value = entity.attributes[position].parkingValue {
                assignments.append(Assignment(position: position, value: value))
            }
        }
        return assignments.isEmpty ? nil : store.setting(assignments)
    }

    /// Entities that refer come before those they refer to, as far as there is no circle.
    private var deletionOrder: [Int] {
        var order: [Int] = []
        var state = Array(repeating: 0, count: schema.entities.count)
        for start in schema.entities.indices where state[start] == 0 {
            // Depth first without recursion: an entity is done when all it refers to are.
            var path = [start]
            while let entity = path.last {
                if state[entity] == 0 {
                    state[entity] = 1
                    for attribute in schema.entities[entity].attributes {
                        guard let name = attribute.reference?.entity,
                            let target = try? schema.position(ofEntity: name), state[target] == 0
                        else { continue }
                        path.append(target)
                    }
                } else {
                    path.removeLast()
                    if state[entity] == 1 {
                        state[entity] = 2
                        order.append(entity)
                    }
                }
            }
        }
        return order.reversed()
    }
}

extension Entity {
    /// Whether a record can refer to another of the same entity.
    fileprivate var refersToItself: Bool { attributes.contains { $0.reference?.entity == name } }
}

extension Attribute {
    /// A value that no other record has: nil where that is free, else one made by chance. nil if there is none.
    fileprivate var parkingValue: StoredValue? {
        if isOptional { return .null }
        if reference != nil { return nil }
        var generator = SystemRandomNumberGenerator()
        switch type.storage {
        case .null: return nil
        case .integer:
            return .integer(Int64.random(in: type.integerRange ?? Int64.min...Int64.max, using: &generator))
        case .real: return .real(Double.random(in: -1e15...1e15, using: &generator))
        case .text: return .string("granary-" + String(UInt64.random(in: 0...UInt64.max, using: &generator), radix: 36))
        case .bytes:
            if type == .decimal { return nil }
            return .bytes((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
    }
}

extension PendingChanges {
    /// Writes the changes one level up; a conflict is an error.
    package func merge(into writer: any StoreWriter, _ schema: Schema) throws {
        _ = try ChangeMerger(pending: self, schema: schema, policy: .error).merge(into: writer)
    }
}
