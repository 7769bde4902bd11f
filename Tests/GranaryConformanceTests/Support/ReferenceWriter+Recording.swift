import ConformanceKit
import ConformanceModels
import GranaryCore

extension ReferenceWriter {
    /// The row with a key that the store makes, if it is to: greater than any there was and any that a context was given.
    func withKey(_ row: [StoredValue], _ entity: Int) throws -> (row: [StoredValue], made: Int64?) {
        let description = state.schema.entities[entity]
        let position = description.keyPosition
        guard description.keyGeneration == .assigned, case .integer(let given) = row[position] else {
            return (row, nil)
        }
        var last = state.largestKey[entity]
        guard given == 0 else {
            if given > last { contents.coordinator.noteAssignedKey(given, of: entity) }
            return (row, nil)
        }
        while last < Int64.max {
            contents.coordinator.noteAssignedKey(last + 1, of: entity)
            let reserved = contents.coordinator.greatestReservedKey(of: entity)
            if reserved <= last {
                var row = row
                row[position] = .integer(last + 1)
                return (row, last + 1)
            }
            last = reserved
        }
        throw GranaryError(
            .limit, "The greatest key there is was assigned. No other can be.", entity: description.name,
            attributes: [description.key])
    }

    func place(_ row: [StoredValue], _ entity: Int) -> RecordChange.Place {
        RecordChange.Place(entity: entity, key: row[state.keyPosition(entity)])
    }

    /// What a statement may change, as it was: what it did is the difference.
    struct Before {
        private let rows: [[StoredValue: [StoredValue]]]
        private let place: RecordChange.Place?

        /// - Parameter place: The one row that the statement can change; if nil, all are kept.
        init(_ state: ReferenceState, _ place: RecordChange.Place?) {
            self.place = place
            rows = place == nil ? state.tables : Before.only(place, of: state)
        }

        func note(_ state: ReferenceState, into recorder: ChangeRecorder) {
            let after = place == nil ? state.tables : Before.only(place, of: state)
            for entity in after.indices where rows[entity] != after[entity] {
                for (key, old) in rows[entity] {
                    key.withCell { cell in
                        guard let new = after[entity][key] else { return recorder.delete(cell, from: entity) }
                        let changed = AttributeSet(old.indices.filter { old[$0] != new[$0] })
                        if !changed.isEmpty { recorder.update(cell, in: entity, changed) }
                    }
                }
                for key in after[entity].keys where rows[entity][key] == nil {
                    key.withCell { recorder.insert($0, into: entity) }
                }
            }
        }

        private static func only(
            _ place: RecordChange.Place?, of state: ReferenceState
        ) -> [[StoredValue: [StoredValue]]] {
            state.tables.indices.map { entity in
                guard let place, place.entity == entity, let row = state.row(place.key, in: entity) else { return [:] }
                return [place.key: row]
            }
        }
    }
}
