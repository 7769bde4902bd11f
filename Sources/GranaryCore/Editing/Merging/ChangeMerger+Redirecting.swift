// A record that a context refers to may be missing when the context is saved: a new record was given up because its
// unique value was taken, or the record was deleted elsewhere. Checking this beforehand would cost a look-up for each
// reference of each record. So the check runs only after a write has failed: everything is taken back and done again
// with other references.

extension ChangeMerger {
    // MARK: - Records given up

    /// The stored record with the same values of a unique index; for the first such index.
    func holder(
        of row: StoredRow, _ place: RecordChange.Place, in reader: any StoreReader
    ) throws -> StoredRow? {
        let entity = schema.entities[place.entity]
        for index in entity.indexes where index.isUnique {
            let values = IndexedValues(index, of: entity)
            guard values.value(of: row) != nil else { continue }
            let rows = try reader.rows(FetchRequest(entity: place.entity, condition: values.condition(row), limit: 2))
            while let found = try rows.next() {
                let found = StoredRow(found)
                if found.value(at: entity.keyPosition) != place.key { return found }
            }
        }
        return nil
    }

    /// Whether a record to be written refers to one of these records.
    func refers(_ plan: Plan, to dropped: [MergeConflict]) -> Bool {
        if dropped.isEmpty { return false }
        let places = Set(dropped.map(\.place))
        return [plan.updated, plan.inserted].joined().contains { write in
            targets(of: write, withLoose: true).contains { places.contains($0.place) }
        }
    }

    /// Removes given-up new records from the plan. References to them lead to the records that have their values.
    func redirect(_ conflicts: [MergeConflict], in plan: inout Plan) {
        plan.report.conflicts += conflicts
        plan.report.notes.addSuccessors(conflicts)
        let places = Set(conflicts.map(\.place))
        plan.inserted.removeAll { places.contains(place(of: $0)) }
        lead(&plan) { [successors = plan.report.notes.successors] in successors[$0] }
    }

    /// Replaces references to a given-up record by references to its successor: the record that has its unique values.
    func lead(_ plan: inout Plan, to successor: (RecordChange.Place) throws -> StoredValue?) rethrows {
        let new = Set(plan.inserted.map(place(of:)))
        let links = Set([plan.updated, plan.inserted].joined().compactMap(linkEnds))
        try rewrite(&plan) { write in
            let led = try targets(of: write, withLoose: true).compactMap { target -> Assignment? in
                if new.contains(target.place) { return nil }
                return try successor(target.place).map { Assignment(position: target.position, value: $0) }
            }
            if led.isEmpty { return write.row }
            var ledWrite = write
            ledWrite.row = write.row.setting(led)
            // A link that the context has made to the successor itself exists already and keeps its place.
            if let places = linkEnds(ledWrite), links.contains(places) { return nil }
            return ledWrite.row
        }
    }

    /// The entity and the two ends of a link to be written; nil for any other record.
    private func linkEnds(_ write: Write) -> [StoredValue]? {
        guard let ends = rules[write.entity].ends else { return nil }
        return [.integer(Int64(write.entity)), write.row.value(at: ends.source), write.row.value(at: ends.target)]
    }

    // MARK: - Records deleted elsewhere

    /// Whether a record that is written and stays refers to a record that a cascade will delete. Links to such records
    /// do not count: they are dropped after everything else is written.
    func refers(_ plan: Plan, toCascaded cascaded: Set<RecordChange.Place>) -> Bool {
        if cascaded.isEmpty { return false }
        return [plan.updated, plan.inserted].joined().contains { write in
            rules[write.entity].linked == nil && !cascaded.contains(place(of: write))
                && targets(of: write, withLoose: false).contains { cascaded.contains($0.place) }
        }
    }

    /// Settles references that the context has made to records that no longer exist, or that a cascade will delete: an
    /// optional reference becomes nil, a required one is settled by the policy.
    ///
    /// - Returns: Whether there were such references.
    /// - Throws: `mergeConflict` with the conflicts that the policy does not settle.
    func releaseDangling(
        in plan: inout Plan, cascaded: Set<RecordChange.Place> = [], _ reader: any StoreReader
    ) throws -> Bool {
        var (hasAny, goesOn) = (false, true)
        var unsettled: [MergeConflict] = []
        while goesOn {
            goesOn = false
            let (new, deleted) = (Set(plan.inserted.map(place(of:))), plan.deleted)
            let gone = { (write: Write) in
                try targets(of: write, withLoose: false).filter { target in
                    if target.place == place(of: write) || new.contains(target.place) { return false }
                    if cascaded.contains(target.place) { return true }
                    if deleted[target.place.entity]?.contains(target.place.key) == true { return true }
                    return try stored(target.place, reader) == nil
                }.map(\.position)
            }
            var report = plan.report
            try rewrite(&plan) { write in
                if rules[write.entity].linked != nil || cascaded.contains(place(of: write)) { return write.row }
                let positions = try gone(write)
                if positions.isEmpty { return write.row }
                (hasAny, goesOn) = (true, true)
                let (row, conflict, isSettled) = try released(write, positions, gone)
                if isSettled { report.conflicts.append(conflict) } else { unsettled.append(conflict) }
                return row
            }
            plan.report = report
        }
        if !unsettled.isEmpty { throw GranaryError.unmerged(unsettled) }
        return hasAny
    }

    /// A record without references to missing records; nil if it is not to be written.
    ///
    /// - Parameters:
    ///   - positions: The positions of the references to missing records.
    ///   - gone: Finds these positions for another row of the record, as for the replacement of a policy.
    private func released(
        _ write: Write, _ positions: [Int], _ gone: (Write) throws -> [Int]
    ) throws -> (row: StoredRow?, conflict: MergeConflict, isSettled: Bool) {
        let entity = schema.entities[write.entity]
        let nils = positions.filter { entity.attributes[$0].isOptional }.map { Assignment(position: $0, value: .null) }
        let row = nils.isEmpty ? write.row : try versioned(write.row.setting(nils), write)
        let conflict = MergeConflict(
            .targetDeleted, AttributeSet(positions), place(of: write), entity, base: write.change.base,
            context: write.change.current, store: write.store, merged: row)
        let required = positions.filter { !entity.attributes[$0].isOptional }
        if required.isEmpty { return (row, conflict, true) }
        let resolution = try policy.resolution(of: conflict)
        switch resolution {
        case .storeWins:
            guard let store = write.store else { return (nil, conflict, true) }
            let kept = required.map { Assignment(position: $0, value: store.value(at: $0)) }
            return (try versioned(row.setting(kept), write), conflict, true)
        case .rollBack: return (nil, conflict, true)
        case .replace:
            let merge = ThreeWayMerge(
                place: place(of: write), entity: entity, change: write.change, store: write.store
            ) { _, _ in true }
            guard let replacement = try merge.resolved(resolution, conflict) else { return (nil, conflict, true) }
            var replaced = write
            replaced.row = replacement
            // A replacement that also refers to a missing record would lead to the same question again and again.
            guard try gone(replaced).allSatisfy({ entity.attributes[$0].isOptional }) else {
                return (nil, conflict, false)
            }
            return (try versioned(replacement, write), conflict, true)
        case .fail, .contextWins, .overwrite: return (nil, conflict, false)
        }
    }

    /// The references of a record to be written that differ from the store's.
    ///
    /// - Parameter withLoose: Whether to include references that may dangle. They stay as they are if their record is
    ///   deleted elsewhere. They change if another record now stands for their record.
    func targets(of write: Write, withLoose: Bool) -> [(position: Int, place: RecordChange.Place)] {
        let attributes = schema.entities[write.entity].attributes
        return attributes.indices.compactMap { position in
            guard let reference = attributes[position].reference, withLoose || reference.onDelete != .noAction,
                !write.row[position].isNull, write.store.map({ areSame($0[position], write.row[position]) }) != true,
                let target = schema.target(of: write.entity, position)
            else { return nil }
            return (position, RecordChange.Place(entity: target, key: write.row.value(at: position)))
        }
    }

    /// Replaces the row of each record to be written; nil removes it from the plan.
    private func rewrite(_ plan: inout Plan, _ row: (Write) throws -> StoredRow?) rethrows {
        func rewritten(_ writes: [Write]) throws -> [Write] {
            try writes.compactMap { write in
                guard let row = try row(write) else { return nil }
                if let store = write.store, row !== write.row, row.isSame(as: store) { return nil }
                var write = write
                write.row = row
                return write
            }
        }
        let (updated, inserted) = (try rewritten(plan.updated), try rewritten(plan.inserted))
        (plan.updated, plan.inserted) = (updated, inserted)
    }
}
