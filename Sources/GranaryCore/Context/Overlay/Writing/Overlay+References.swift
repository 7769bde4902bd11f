extension Overlay {
    /// Checks the references of a record that is written, now or when deferred references are.
    func checkOrDefer(
        _ row: StoredRow, _ key: StoredValue, replacing old: StoredRow?, _ rules: EntityRules
    ) throws {
        guard !rules.outgoing.isEmpty else { return }
        let changed = rules.changedReferences(of: row, replacing: old)
        if deferrals.isEmpty { return try rules.checkReferences(of: row, key, at: changed, among: self) }
        // Within another such part the record may have references from before that are still to be checked.
        if changed.isEmpty && deferrals.count == 1 { return }
        deferred.append((RecordChange.Place(entity: rules.number, key: key), changed))
    }

    package func deferReferences() throws {
        if isEnded { throw Overlay.ended }
        deferrals.append(deferred.count)
    }

    package func checkReferences() throws {
        if isEnded { throw Overlay.ended }
        guard let start = deferrals.last else { return }
        let earlier = referencesDeferred(before: start)
        try withBelow { _ in
            for (place, changed) in deferred[start...] {
                // The record may have been changed or deleted since. A link that is not shown, as it dangles, is there.
                let shown = try visible(place.key, of: place.entity)
                guard let row = shown ?? pending.change(place.key, of: place.entity)?.current else { continue }
                var positions = changed
                if let more = earlier[place] { positions.formUnion(more) }
                try rules[place.entity].checkReferences(of: row, place.key, at: positions, among: self)
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
