extension Overlay {
    /// Checks the references of a record that is written, now or when deferred references are.
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
        guard let noted = deferred.innermost else { return }
        try withBelow { _ in
            guard try noted.contains(where: dangles) else { return }
            // Whatever was written in between, the error names the record that was written first, and the first of its attributes,
            // as it does in every store.
            for (place, positions) in deferred.innermostInOrder {
                guard let row = try written(place) else { continue }
                try rules[place.entity].checkReferences(of: row, place.key, at: positions, among: self)
            }
        }
        deferred.end()
    }

    /// Whether one of these references of a record names a record that does not exist.
    private func dangles(_ record: (place: RecordChange.Place, positions: AttributeSet)) throws -> Bool {
        guard !record.positions.isEmpty, let row = try written(record.place) else { return false }
        return try rules[record.place.entity].danglingReference(
            of: row, record.place.key, at: record.positions, among: self) != nil
    }

    /// A record that was written, which may have been changed or deleted since. A link that is not shown, as it dangles, is there.
    private func written(_ place: RecordChange.Place) throws -> StoredRow? {
        try visible(place.key, of: place.entity) ?? pending.change(place.key, of: place.entity)?.current
    }
}
