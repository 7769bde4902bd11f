extension ThreeWayMerge {
    /// The version, if the record was changed one level up since it was read, and the context's change may depend on
    /// values that were read. Additions alone do not depend on them.
    func staleVersion(_ base: StoredRow, _ mine: StoredRow, _ theirs: StoredRow) -> AttributeSet {
        guard let position = entity.versionPosition, !areSame(base[position], theirs[position]),
            mine.difference(from: base).positions.contains(where: { !change.differences.contains($0) })
        else { return AttributeSet() }
        return AttributeSet([position])
    }

    /// The record of a resolution, with its version one level up.
    ///
    /// - Throws: `mergeConflict` for `fail`, `invalidQuery` for a replacement that is another record.
    func resolved(_ resolution: MergePolicy.Resolution, _ conflict: MergeConflict) throws -> StoredRow? {
        try chosen(resolution, conflict).map { entity.withVersion(of: store, $0) }
    }
}

extension ChangeMerger {
    /// The same merger, for a merge into a store.
    var raisingVersions: ChangeMerger {
        var merger = self
        merger.raisesVersions = true
        return merger
    }

    /// The row that replaces one in the store. It gets the next version if this merge raises versions.
    func raised(_ row: StoredRow, over store: StoredRow, _ entity: Int) throws -> StoredRow {
        let description = schema.entities[entity]
        guard raisesVersions, let position = description.versionPosition, !row.isSame(as: store),
            let next = try description.nextVersion(after: store[position], at: position)
        else { return row }
        return row.setting([Assignment(position: position, value: .integer(next))])
    }

    /// A row that differs from the planned one, with the right version: the next one if the row changes anything in the
    /// store, otherwise the store's.
    func versioned(_ row: StoredRow, _ write: Write) throws -> StoredRow {
        guard let store = write.store else { return row }
        return try raised(schema.entities[write.entity].withVersion(of: store, row), over: store, write.entity)
    }

    /// Notes the versions that records were written with.
    func noteVersions(_ plan: Plan, _ report: inout Report) {
        guard raisesVersions else { return }
        for write in plan.updated {
            guard let position = schema.entities[write.entity].versionPosition else { continue }
            let place = place(of: write)
            let row: StoredRow? = report.otherwise[place] ?? write.row
            if let row { report.versions[place] = row.value(at: position) }
        }
    }
}
