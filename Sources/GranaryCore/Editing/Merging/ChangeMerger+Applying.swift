extension ChangeMerger {
    func apply(_ plan: Plan, to writer: any StoreWriter) throws -> Report {
        var report = plan.report
        var left: Set<RecordChange.Place> = []
        if !plan.deleted.isEmpty {
            let cascaded = try cascaded(plan, in: writer)
            if refers(plan, toCascaded: cascaded) { throw Detour.cascaded(cascaded) }
            report.notes.cascadedDeletions += deletions(cascaded)
            left = try release(plan, in: writer)
            try delete(plan.deleted, in: writer)
            report.deleted = plan.deleted.reduce(0) { $0 + $1.value.count }
        }
        guard let overlay = writer as? Overlay, overlay.showing.mayDiffer else {
            return try write(plan, besides: left, to: writer, &report)
        }
        let returning = Set(plan.inserted.map(place(of:))).filter { place in
            overlay.pending.change(place.key, of: place.entity).map { $0.current == nil } ?? false
        }
        return try overlay.returning(returning) { try write(plan, besides: left, to: writer, &report) }
    }

    /// Writes the changed and the new records. Returns the whole report.
    private func write(
        _ plan: Plan, besides left: Set<RecordChange.Place>, to writer: any StoreWriter, _ report: inout Report
    ) throws -> Report {
        try update(plan, besides: left, in: writer, &report)
        var dropped: [MergeConflict] = []
        for write in plan.inserted {
            if rules[write.entity].linked != nil {
                try insertLink(write, in: writer, &report)
                continue
            }
            let conflict = try put(write.row, of: write, in: writer, &report) { row in
                try insert(row, write, in: writer)
            }
            if let conflict { dropped.append(conflict) } else { report.inserted += 1 }
        }
        if refers(plan, to: dropped) { throw Detour.redirected(dropped) }
        for conflict in dropped { report.giveUp(conflict) }
        report.notes.addSuccessors(dropped)
        noteVersions(plan, &report)
        return report
    }

    /// Gives changed records their new references, and changes nothing else yet. Returns the records that must wait for
    /// deletions.
    private func release(_ plan: Plan, in writer: any StoreWriter) throws -> Set<RecordChange.Place> {
        var left: Set<RecordChange.Place> = []
        for write in plan.updated {
            guard let store = write.store else { continue }
            let entity = schema.entities[write.entity]
            let changed = changedReferences(write)
            if changed.isEmpty { continue }
            let values = changed.map { Assignment(position: $0, value: write.row.value(at: $0)) }
            let released = store.setting(values)
            do {
                try update(released, write, in: writer)
            } catch let error as GranaryError where error.code == .uniqueness {
                // The record that has the value may be deleted or changed later in this merge.
                if let interim = entity.withPlaceholders(in: released, besides: values) {
                    try update(interim, write, in: writer)
                } else if changed.contains(where: { plan.deletes(entity.attributes[$0], store.value(at: $0), schema) })
                {
                    throw error
                } else {
                    left.insert(place(of: write))
                }
            }
        }
        return left
    }

    private func update(
        _ plan: Plan, besides left: Set<RecordChange.Place>, in writer: any StoreWriter, _ report: inout Report
    ) throws {
        var writes: [(write: Write, old: StoredRow, new: StoredRow)] = []
        for write in plan.updated {
            guard let store = write.store else { continue }
            guard !plan.deleted.isEmpty else {
                writes.append((write, store, write.row))
                continue
            }
            // A delete rule may have deleted the record, or set references of it to nil.
            let place = place(of: write)
            guard let current = try stored(place, writer) else {
                report.otherwise[place] = .some(nil)
                continue
            }
            let changed = left.contains(place) ? changedReferences(write) : []
            let kept = schema.entities[write.entity].references.filter { !changed.contains($0) }.map {
                Assignment(position: $0, value: current.value(at: $0))
            }
            let row = write.row.setting(kept)
            if !row.isSame(as: write.row) { report.otherwise[place] = row }
            writes.append((write, store, row))
        }
        guard !writes.isEmpty else { return }
        try writer.beginSavepoint()
        do {
            for (write, _, new) in writes { try update(new, write, in: writer) }
            try writer.releaseSavepoint()
            report.updated += writes.count
            return
        } catch {
            try writer.rollbackSavepoint()
            guard (error as? GranaryError)?.code == .uniqueness else { throw error }
        }
        // Some records may only block each other: all of them get placeholders before any record gets its values.
        for (write, _, new) in writes {
            let interim = try stored(place(of: write), writer).flatMap { current in
                schema.entities[write.entity].withPlaceholders(in: current, differingFrom: new)
            }
            if let interim { try update(interim, write, in: writer) }
        }
        for (write, old, new) in writes {
            let conflict = try put(new, of: write, in: writer, &report) { try update($0, write, in: writer) }
            guard let conflict else {
                report.updated += 1
                continue
            }
            // The old state of the record may refer to a record that is now deleted.
            guard plan.deleted.isEmpty else { throw Detour.givenUp(conflict) }
            do {
                try update(old, write, in: writer)
            } catch let error as GranaryError where error.code == .uniqueness {
                throw Detour.givenUp(conflict)
            }
            report.giveUp(conflict)
        }
    }

    /// The positions of references that differ from the stored ones.
    func changedReferences(_ write: Write) -> [Int] {
        guard let store = write.store else { return [] }
        let difference = write.row.difference(from: store)
        return schema.entities[write.entity].references.filter(difference.contains)
    }

    private func update(_ row: StoredRow, _ write: Write, in writer: any StoreWriter) throws {
        guard let overlay = writer as? Overlay, let store = write.store else {
            _ = try row.withRow { try writer.update($0, in: write.entity) }
            return
        }
        // In the overlay an addition stays an addition, and a place in a list counts as set after the insertion.
        let places = row.difference(from: store).positions.filter {
            rules[write.entity].isPlace($0) && !write.added.contains($0)
        }
        let changed = ChangedAttributes(added: write.added, assigned: AttributeSet(places))
        _ = try row.withRow { try overlay.update($0, in: write.entity, changed: changed) }
    }

    private func insert(_ row: StoredRow, _ write: Write, in writer: any StoreWriter) throws {
        guard let overlay = writer as? Overlay else {
            _ = try row.withRow { try writer.insert($0, into: write.entity) }
            return
        }
        let changed = ChangedAttributes(assigned: write.change.assigned)
        _ = try row.withRow { try overlay.insert($0, into: write.entity, changed: changed) }
    }

    /// Writes one record. A unique value that another record has is a conflict. If the policy gives a replacement, it
    /// is tried once, and the conflict is settled if that is written. Returns the conflict if the record's change is to
    /// be given up.
    private func put(
        _ row: StoredRow, of write: Write, in writer: any StoreWriter, _ report: inout Report,
        _ body: (StoredRow) throws -> Void
    ) throws -> MergeConflict? {
        do {
            try body(row)
            return nil
        } catch var error as GranaryError where error.code == .uniqueness {
            let entity = schema.entities[write.entity]
            let positions = error.attributes.compactMap { try? entity.position(ofAttribute: $0) }
            var conflict = MergeConflict(
                .uniqueness, AttributeSet(positions), place(of: write), entity, base: write.change.base,
                context: row, store: write.store, merged: row)
            conflict.holder = try holder(of: row, place(of: write), in: writer).map { DynamicRecord(entity, $0.values) }
            error.details = [conflict]
            let resolution = try policy.resolution(of: conflict)
            switch resolution {
            case .storeWins, .rollBack: return conflict
            case .replace:
                let merge = ThreeWayMerge(
                    place: place(of: write), entity: entity, change: write.change, store: write.store
                ) { _, _ in true }
                guard var replacement = try merge.resolved(resolution, conflict) else { throw error }
                replacement = try versioned(replacement, write)
                try body(replacement)
                report.conflicts.append(conflict)
                report.otherwise[place(of: write)] = replacement
                return nil
            case .fail, .contextWins, .overwrite: throw error
            }
        }
    }
}

extension ChangeMerger.Plan {
    /// Whether the plan deletes the record that an attribute's value refers to.
    fileprivate func deletes(_ attribute: Attribute, _ value: StoredValue, _ schema: Schema) -> Bool {
        guard let name = attribute.reference?.entity, let entity = try? schema.position(ofEntity: name) else {
            return false
        }
        return deleted[entity]?.contains(value) ?? false
    }
}

extension ChangeMerger.Report {
    /// Notes that the change of a record was not written because of another record.
    fileprivate mutating func giveUp(_ conflict: MergeConflict) {
        conflicts.append(conflict)
        otherwise[conflict.place] = .some(nil)
    }
}

extension Entity {
    /// The positions of the attributes that refer to records.
    var references: [Int] { attributes.indices.filter { attributes[$0].reference != nil } }
}

extension Schema {
    /// The entity that the reference at a position refers to. Nil if the attribute is not a reference.
    func target(of entity: Int, _ position: Int) -> Int? {
        entities[entity].attributes[position].reference.flatMap { try? self.position(ofEntity: $0.entity) }
    }
}
