extension ChangeMerger {
    func apply(_ plan: Plan, to writer: any StoreWriter) throws -> Report {
        var report = plan.report
        if !plan.deleted.isEmpty {
            try release(plan.updated, in: writer)
            try delete(plan.deleted, in: writer)
            report.deleted = plan.deleted.reduce(0) { $0 + $1.value.count }
        }
        try update(plan, in: writer, &report)
        for write in plan.inserted {
            let conflict = try unsettled(write) {
                try write.row.withRow { _ = try writer.insert($0, into: write.place.entity) }
            }
            if let conflict { report.conflicts.append(conflict) } else { report.inserted += 1 }
        }
        return report
    }

    /// Gives records the references that they shall have, and as yet nothing else.
    private func release(_ writes: [Write], in writer: any StoreWriter) throws {
        for write in writes {
            guard let store = write.merge.store else { continue }
            let entity = write.merge.entity
            let changed = write.row.difference(from: store).positions.filter {
                entity.attributes[$0].reference != nil
            }
            if changed.isEmpty { continue }
            let values = changed.map { Assignment(position: $0, value: write.row.value(at: $0)) }
            let released = store.setting(values)
            do {
                try update(released, write, in: writer)
            } catch let error as GranaryError where error.code == .uniqueness {
                // What is in the way may go, or change, later on.
                guard let parked = entity.parked(released, besides: values) else { throw error }
                try update(parked, write, in: writer)
            }
        }
    }

    private func update(_ plan: Plan, in writer: any StoreWriter, _ report: inout Report) throws {
        var writes: [(write: Write, old: StoredRow, new: StoredRow)] = []
        for write in plan.updated {
            guard let store = write.merge.store else { continue }
            guard !plan.deleted.isEmpty else {
                writes.append((write, store, write.row))
                continue
            }
            // The delete rules may have taken it along, or references of it.
            guard let current = try stored(write.place, writer) else { continue }
            let references = write.merge.entity.attributes.indices.filter {
                write.merge.entity.attributes[$0].reference != nil
            }
            let kept = references.map { Assignment(position: $0, value: current.value(at: $0)) }
            writes.append((write, store, write.row.setting(kept)))
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
        // Some may be in each other's way only: they are all parked before any of them gets its values.
        for (write, _, new) in writes {
            let parked = try stored(write.place, writer).flatMap { current in
                write.merge.entity.parked(current, differingFrom: new)
            }
            if let parked { try update(parked, write, in: writer) }
        }
        for (write, old, new) in writes {
            let conflict = try unsettled(write) { try update(new, write, in: writer) }
            guard let conflict else {
                report.updated += 1
                continue
            }
            // What was deleted for good may be what it goes back to refer to.
            guard plan.deleted.isEmpty else { throw GivenUp(conflict: conflict) }
            do {
                try update(old, write, in: writer)
            } catch let error as GranaryError where error.code == .uniqueness {
                throw GivenUp(conflict: conflict)
            }
            report.conflicts.append(conflict)
        }
    }

    private func update(_ row: StoredRow, _ write: Write, in writer: any StoreWriter) throws {
        _ = try row.withRow { try writer.update($0, in: write.place.entity) }
    }

    /// Writes one record. A unique value that another record has taken is a conflict: returned if the record's change is
    /// to be given up for it.
    private func unsettled(_ write: Write, _ body: () throws -> Void) throws -> MergeConflict? {
        do {
            try body()
            return nil
        } catch var error as GranaryError where error.code == .uniqueness {
            let entity = write.merge.entity
            let positions = error.attributes.compactMap { try? entity.position(ofAttribute: $0) }
            let conflict = MergeConflict(
                .uniqueness, AttributeSet(positions), write.place, entity, base: write.merge.change.base,
                context: write.row, store: write.merge.store, merged: write.row)
            error.details = [conflict]
            switch try policy.resolution(of: conflict) {
            case .storeWins, .rollBack: return conflict
            case .fail, .contextWins, .overwrite, .replace: throw error
            }
        }
    }
}
