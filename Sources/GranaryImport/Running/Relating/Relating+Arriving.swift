import GranaryCore

// References that wait for a record of a later batch are connected with the batch that brings the record, before the lists of
// the batch are settled. So the store has the same records after each object of the source, whatever the batches are: a later
// object finds the reference connected if both records have come, and waiting otherwise.
//
// A record that is found only in the store, because its type has changed the values that name it, is connected at the end.

extension Relating {
    /// Connects the references of earlier batches to the records that the batch brings.
    mutating func connectArrived(_ waiting: Waiting) throws {
        var references: [(number: Int, reference: WaitingReference, key: StoredValue)] = []
        for case let plan? in plans where !plan.rows.isEmpty {
            let names = waiting.names(ofAwaited: plan.position)
            guard !names.isEmpty else { continue }
            for row in plan.rows.indices where plan.rows[row].isChangedByBatch {
                guard let key = plan.rows[row].key else { continue }
                for positions in names {
                    guard let name = writtenName(positions, plan, row) else { continue }
                    let found = waiting.references(to: plan.position, name)
                    guard !found.isEmpty else { continue }
                    outcome.arrived.append(SoughtRecord(entity: plan.position, name: name))
                    references += found.map { ($0.number, $0.reference, key) }
                }
            }
        }
        references.removeAll { isSaid($0.reference.owner) }
        references.sort { $0.number < $1.number }
        for part in references.chunks() {
            try session.forEach(part, at: \.reference.place) { part in
                let count = outcome.connected.count
                do {
                    for (_, reference, key) in part { try connect(reference, to: key) }
                } catch {
                    outcome.connected.removeSubrange(count...)
                    throw error
                }
            }
        }
    }

    private mutating func connect(_ reference: WaitingReference, to key: StoredValue) throws {
        let (plan, owner) = (try plans.plan(reference.owner.entity), reference.owner)
        let attribute = plan.entity.attributes[owner.position]
        try session.kept.forget(attribute.knownNames, of: [owner.key], plan, in: context)
        try session.connect(owner.position, of: owner.key, plan, to: key, reference.place)
        outcome.connected.append(RecordPlace(entity: owner.entity, key: owner.key))
    }

    /// Whether the batch itself says something of an attribute of a record.
    private func isSaid(_ place: ReferencePlace) -> Bool {
        guard let plan = plans[place.entity], let identity = plan.identities.firstIndex(of: plan.keyPositions),
            let row = plan.tables[identity][[place.key]].map(plan.merged), plan.rows[row].isWritten
        else { return false }
        return plan.itemSaying(place.position, of: row) != nil
    }

    /// What names a record that was written; nil if it lacks a value.
    private func writtenName(_ positions: [Int], _ plan: EntityPlan, _ row: Int) -> NamedRecord? {
        if positions == plan.keyPositions {
            return plan.rows[row].key.map { NamedRecord(positions: positions, values: [$0]) }
        }
        let values = positions.map { StoredValue(plan.stage[row, $0]) }
        guard !values.contains(.null) else { return nil }
        return NamedRecord(positions: positions, values: plan.compared(values, by: positions))
    }
}

extension StagedRow {
    /// Whether it was inserted or updated, so that it may have what other records wait for.
    fileprivate var isChangedByBatch: Bool {
        switch outcome {
        case .inserted, .updated: true
        default: false
        }
    }
}
