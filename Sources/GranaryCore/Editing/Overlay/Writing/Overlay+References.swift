extension Overlay {
    /// Checks the references of a written record now, or together with other deferred references.
    func checkOrDefer(
        _ row: StoredRow, _ key: StoredValue, replacing old: StoredRow?, _ rules: EntityRules
    ) throws {
        guard !rules.outgoing.isEmpty else { return }
        let changed = rules.changedReferences(of: row, replacing: old)
        if deferred.isActive {
            deferred.note(RecordChange.Place(entity: rules.number, key: key), changed)
        } else {
            try rules.checkReferences(of: row, key, at: changed, among: self)
        }
    }

    package func deferReferences() throws {
        if isEnded { throw GranaryError.transactionEnded }
        deferred.begin()
    }

    package func checkReferences() throws {
        if isEnded { throw GranaryError.transactionEnded }
        guard let written = deferred.innermost else { return }
        try withBelow { _ in
            for (place, positions) in written where !positions.isEmpty {
                // The record may have been changed or deleted since. A link that is hidden because it dangles still
                // exists.
                let shown = try visible(place.key, of: place.entity)
                guard let row = shown ?? pending.change(place.key, of: place.entity)?.current else { continue }
                try rules[place.entity].checkReferences(of: row, place.key, at: positions, among: self)
            }
        }
        deferred.end()
    }
}
