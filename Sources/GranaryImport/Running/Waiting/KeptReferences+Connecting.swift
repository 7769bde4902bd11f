import GranaryCore

/// A reference that is kept in the store, and whose record has come.
private struct ArrivedReference {
    let pending: PendingReferences
    /// The entity that keeps it.
    let kept: Int
    /// The entity of the record that has it.
    let entity: Int
    /// The key of the record that has come.
    let key: StoredValue
}

extension KeptReferences {
    /// Connects what earlier imports have kept with what this one has brought. Only what names records of entities that the
    /// import is about is looked up.
    func connect(_ session: ImportSession) throws {
        let context = session.context
        for (position, entity) in schema.entities.enumerated() {
            guard let kept = schema.pendingEntity(of: entity), try isAny(kept, in: context) else { continue }
            var found: [(pending: PendingReferences, record: SoughtRecord)] = []
            var unknown: [StoredValue] = []
            let cursor = try context.rows(FetchRequest(entity: kept))
            while let row = try cursor.next() {
                let pending = try PendingReferences(row: row)
                guard let target = schema.entity(knownAs: pending.target),
                    let name = NamedRecord(pending.names, in: schema.entities[target])
                else {
                    // The schema has it no more.
                    unknown.append(pending.key)
                    continue
                }
                if plans[target] != nil { found.append((pending, SoughtRecord(entity: target, name: name))) }
            }
            try delete(unknown, from: kept, in: context)
            found.sort { ($0.pending.place ?? .max, $0.pending.key) < ($1.pending.place ?? .max, $1.pending.key) }
            for part in found.chunks() {
                let keys = try session.lookUp.keys(of: part.map(\.record))
                let come = zip(part, keys).compactMap { part, key in
                    key.map { ArrivedReference(pending: part.pending, kept: kept, entity: position, key: $0) }
                }
                try session.forEach(come, at: { _ in ImportPlace(index: 0, isElement: false) }) { come in
                    for reference in come {
                        try delete([reference.pending.key], from: kept, in: context)
                        try connect(reference, session)
                    }
                }
            }
        }
    }

    private func delete(_ keys: [StoredValue], from kept: Int, in context: Context) throws {
        guard !keys.isEmpty else { return }
        let condition = ResolvedCondition.isOneOf(keys, at: schema.entities[kept].keyPosition)
        _ = try context.deleteAll(FetchRequest(entity: kept, condition: condition))
    }

    /// Connects one reference, unless something else has been said since it was kept.
    private func connect(_ reference: ArrivedReference, _ session: ImportSession) throws {
        let context = session.context
        let (entity, pending) = (schema.entities[reference.entity], reference.pending)
        if let relationship = entity.relationships.first(where: { $0.isKnown(as: pending.relationship) }) {
            return try relate(reference, relationship, in: context)
        }
        guard
            let attribute = entity.attributes.firstIndex(where: { $0.isKnown(as: pending.relationship) }),
            entity.attributes[attribute].reference != nil
        else { return }
        guard let row = try record(pending.owner, of: reference.entity, in: context),
            row.value(at: attribute) == pending.previous
        else { return }
        let owner = ResolvedCondition.compare(position: entity.keyPosition, .equal, pending.owner)
        _ = try context.updateAll(
            FetchRequest(entity: reference.entity, condition: owner),
            setting: [Assignment(position: attribute, value: reference.key)])
        if let plan = plans[reference.entity], let former = pending.previous, former != reference.key {
            session.replaced.note(former, at: attribute, of: plan, ImportPlace(index: 0, isElement: false))
        }
        account.report.connectedReferences += 1
    }

    private func relate(
        _ reference: ArrivedReference, _ relationship: Relationship, in context: Context
    ) throws {
        let (pending, key) = (reference.pending, reference.key)
        let links = try LinkLayout(relationship, in: schema)
        if !links.isManyToMany {
            // A record that says itself whose it is stays there.
            guard let row = try record(key, of: links.source, in: context), row[links.owner].isNull else { return }
        }
        let related = RelatedRecords<DynamicRecord, DynamicRecord>(of: pending.owner, relationship)
        if try related.contains(key: key, in: context) { return }
        if let place = pending.place, links.place != nil, links.keepsOrder {
            let waiting = try count(before: place, reference, relationship, in: context)
            try related.insert(key: key, at: place - waiting, in: context)
        } else {
            try related.add(keys: [key], in: context)
        }
        account.report.connectedReferences += 1
    }

    /// How many of a list that come before a place still wait.
    private func count(
        before place: Int, _ reference: ArrivedReference, _ relationship: Relationship, in context: Context
    ) throws -> Int {
        let request = FetchRequest(
            entity: reference.kept,
            condition: .all([
                .compare(position: PendingReferences.owner, .equal, reference.pending.owner),
                .isOneOf(relationship.knownNames.map { .string($0) }, at: PendingReferences.relationship),
                .compare(position: PendingReferences.place, .less, .integer(Int64(place))),
            ]))
        var count = 0
        let cursor = try context.rows(request)
        while try cursor.next() != nil { count += 1 }
        return count
    }
}
