extension Overlay {
    /// - Throws: `danglingReference` if a record refers to one that is not there. With `old`, references that stay as they
    ///   were are not looked at: what they name may be gone because of what others did.
    func checkReferences(
        of row: StoredRow, _ key: StoredValue, of entity: Int, old: StoredRow? = nil, over below: any StoreReader
    ) throws {
        try checkReferences(of: row, key, of: entity, at: changedReferences(of: row, entity, old), over: below)
    }

    private func changedReferences(of row: StoredRow, _ entity: Int, _ old: StoredRow?) -> AttributeSet {
        let rules = rules[entity]
        guard let old else { return rules.references }
        return AttributeSet(rules.outgoing.lazy.map(\.position).filter { !areSame(old[$0], row[$0]) })
    }

    private func checkReferences(
        of row: StoredRow, _ key: StoredValue, of entity: Int, at positions: AttributeSet, over below: any StoreReader
    ) throws {
        let rules = rules[entity]
        for reference in rules.outgoing where positions.contains(reference.position) {
            let cell = row[reference.position]
            if cell.isNull { continue }
            let target = StoredValue(cell)
            // A record may refer to itself.
            if reference.target == entity && target == key { continue }
            guard try exists(target, of: reference.target, over: below) else {
                throw GranaryError.dangling(rules.entity, reference.position)
            }
        }
    }

    /// Checks the references of a record that was written, now or when deferred references are.
    func checkOrDefer(
        _ row: StoredRow, _ key: StoredValue, of entity: Int, old: StoredRow? = nil, over below: any StoreReader
    ) throws {
        guard !rules[entity].outgoing.isEmpty else { return }
        if deferrals.isEmpty {
            try checkReferences(of: row, key, of: entity, old: old, over: below)
        } else {
            let positions = changedReferences(of: row, entity, old)
            // Within another such part the record may have references from before that are still to be checked.
            if positions.isEmpty && deferrals.count == 1 { return }
            deferred.append((RecordChange.Place(entity: entity, key: key), positions))
        }
    }

    package func deferReferences() throws {
        if isEnded { throw Overlay.ended }
        deferrals.append(deferred.count)
    }

    package func checkReferences() throws {
        if isEnded { throw Overlay.ended }
        guard let start = deferrals.last else { return }
        let earlier = referencesDeferred(before: start)
        try withBelow { below in
            for (place, changed) in deferred[start...] {
                // The record may have been changed or deleted since. A link that is not shown, as it dangles, is there.
                let shown = try visible(place.key, of: place.entity)
                guard let row = shown ?? pending.change(place.key, of: place.entity)?.current else { continue }
                var positions = changed
                if let more = earlier[place] { positions.formUnion(more) }
                try checkReferences(of: row, place.key, of: place.entity, at: positions, over: below)
            }
        }
        deferrals.removeLast()
        if deferrals.isEmpty { deferred.removeAll() }
    }

    /// The references that the parts around one have deferred, of the records written in it.
    private func referencesDeferred(before start: Int) -> [RecordChange.Place: AttributeSet] {
        guard start > 0 else { return [:] }
        let written = Set(deferred[start...].map(\.place))
        var found: [RecordChange.Place: AttributeSet] = [:]
        for (place, positions) in deferred[..<start] where written.contains(place) {
            found[place, default: AttributeSet()].formUnion(positions)
        }
        return found
    }
}
