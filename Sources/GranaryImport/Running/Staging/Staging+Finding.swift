import GranaryCore

// Which record an object is may be told by the store alone: by a query that the mapping makes of the object, or by the record that
// the owner of the object refers to. Both may depend on what earlier objects of the source change, so such an object begins a part
// of the batch of its own.

extension Staging {
    /// Finds the record of an object by the query of the mapping. Returns false if the object is left out: because it fails, or
    /// because earlier objects must be written first.
    @inline(never)
    mutating func identifyByQuery(_ object: inout SourceObject) throws -> Bool {
        let (plan, row) = (object.plan, object.row)
        guard let lookUp, let finder = plan.mapping.finder, !object.origin.isNamedOnly, !isTarget(plan, object.place)
        else { return true }
        guard begins(object) else {
            plan.drop(row)
            return false
        }
        do {
            guard let request = try finder(object.content.value, object.place) else { return true }
            let keys = try lookUp.keys(matching: request, plan)
            guard keys.count <= 1 else { throw severalFound(plan) }
            guard let key = keys.first else {
                object.sought = [
                    OpenIdentity(entity: plan.position, identity: plan.identities.count, parts: [.query(request)])
                ]
                return true
            }
            let position = plan.entity.keyPosition
            if object.isGiven(position), !key.withCell({ areSame($0, plan.stage[row, position]) }) {
                throw otherKey(plan)
            }
            plan.stage.give(stored: key, row, position)
            object.isFound = true
            return true
        } catch {
            plan.drop(row)
            try account.failObject(GranaryError.wrapping(error, plan.entity), at: object.place)
            return false
        }
    }

    /// Gives an object that does not tell its record the key that the reference which has it has in the store. Returns the
    /// object unchanged if no record is related; nil if earlier objects must be written first.
    @inline(never)
    mutating func identifyByHolder(_ object: SourceObject) throws -> SourceObject? {
        guard let lookUp, let holder = object.origin.holder else { return object }
        guard begins(object) else { return nil }
        guard let key = try lookUp.key(heldBy: holder) else { return object }
        var object = object
        object.plan.stage.give(stored: key, object.row, object.plan.entity.keyPosition)
        object.isFound = true
        return object
    }

    /// Whether an object is in the first record of the part. If not, the batch is cut before its record.
    private mutating func begins(_ object: SourceObject) -> Bool {
        if object.item == 0 { return true }
        batch.cut(before: object.item)
        return false
    }

    private func severalFound(_ plan: EntityPlan) -> GranaryError {
        GranaryError(
            .invalidRecord,
            "The query for the object finds several records of \(plan.entity.name), so it is not known which one it is. Narrow the query, or order it and limit it to 1.",
            entity: plan.entity.name)
    }

    private func otherKey(_ plan: EntityPlan) -> GranaryError {
        GranaryError(
            .invalidRecord,
            "The object has another \(plan.entity.name).\(plan.entity.key) than the record that the query finds for it, and the key of a record never changes. Ignore the key of the source, or let the query find the record with this key.",
            entity: plan.entity.name, attributes: [plan.entity.key])
    }
}

extension LookUp {
    /// The keys of the first two records of a query.
    fileprivate func keys(matching request: AnyRequest, _ plan: EntityPlan) throws -> [StoredValue] {
        guard request.entity.hasSameBytes(as: plan.entity.name) else {
            throw GranaryError(
                .invalidQuery,
                "The query for an object that is a record of \(plan.entity.name) asks for records of \(request.entity). Return a query of \(plan.entity.name).",
                entity: plan.entity.name)
        }
        let rows = AnyRequest(
            request.entity, where: request.condition, order: request.order, limit: min(request.limit ?? 2, 2),
            offset: request.offset)
        var keys: [StoredValue] = []
        let cursor = try context.rows(try FetchRequest(rows, in: plans.schema))
        while let row = try cursor.next() { keys.append(StoredValue(row[plan.entity.keyPosition])) }
        return keys
    }

    /// The key of the record that a reference of a row has in the store; nil if the row's record is not there, or refers to
    /// nothing.
    fileprivate func key(heldBy reference: OpenReference) throws -> StoredValue? {
        guard let plan = plans[reference.entity] else { return nil }
        let row = plan.merged(reference.row)
        let identities =
            plan.identifiesByFirst && !plan.rows[row].isFound ? plan.identities.prefix(1) : plan.identities[...]
        for positions in identities {
            guard let values = plan.values(of: positions, row),
                let record = try existing([values], plan, at: positions)[values]
            else { continue }
            let key = record.value(at: reference.position)
            return key == .null ? nil : key
        }
        return nil
    }
}
