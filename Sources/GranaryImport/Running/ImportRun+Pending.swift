import GranaryCore

// References that are kept in the store because what they name has not come: see ``PendingReference``. What is said of the same
// attribute or list later takes their place, and the import that brings what they name connects them.

extension ImportRun {
    /// Whether references of an entity's records wait in the store, asked once.
    private func hasPending(_ entity: Int, in context: Context) throws -> Bool {
        if let known = pending[entity] { return known }
        var isAny = false
        let cursor = try context.rows(FetchRequest(entity: entity, limit: 1))
        while try cursor.next() != nil { isAny = true }
        pending[entity] = isAny
        return isAny
    }

    // MARK: Keeping

    /// Keeps a reference that names what has not come.
    func keep(_ reference: WaitingReference, in context: Context) throws {
        let plan = try plan(reference.owner.entity)
        let position = reference.owner.position
        let name = plan.entity.attributes[position].name
        try forgetPending(plan.entity.attributes[position].knownNames, of: [reference.owner.key], plan, in: context)
        guard let row = try record(reference.owner.key, of: plan.position, in: context) else { return }
        let target = schema.entities[reference.target]
        try keep(
            PendingReferences(
                name, of: reference.owner.key, target: target.name, names: reference.name.named(in: target),
                previous: row.value(at: position)),
            plan, in: context)
    }

    /// Keeps the members of a list that have not come.
    func keep(_ members: [(place: Int, name: NamedRecord)], of list: WaitingList, in context: Context) throws {
        let plan = try plan(list.owner.entity)
        let relationship = plan.entity.relationships[list.owner.relationship]
        let name = relationship.name
        let adds = list.rule.policy == .add
        if !adds { try forgetPending(relationship.knownNames, of: [list.owner.key], plan, in: context) }
        let target = schema.entities[list.target]
        for member in members {
            try keep(
                PendingReferences(
                    name, of: list.owner.key, target: target.name, names: member.name.named(in: target),
                    place: adds ? nil : member.place),
                plan, in: context)
        }
    }

    private func keep(_ reference: PendingReferences, _ plan: EntityPlan, in context: Context) throws {
        guard let entity = plan.pendingEntity else { return }
        try context.insert(try reference.values(), into: entity)
        pending[entity] = true
        account.report.pendingReferences += 1
    }

    // MARK: Forgetting

    /// Forgets what waits of the references and lists that the batch has said something of.
    func forgetPending(in context: Context) throws {
        for case let plan? in plans {
            guard let entity = plan.pendingEntity, try hasPending(entity, in: context) else { continue }
            for position in plan.referring {
                let keys = plan.rows.indices.compactMap { row in
                    plan.rows[row].isWritten && says(position, plan, row) ? plan.rows[row].key : nil
                }
                try forgetPending(plan.entity.attributes[position].knownNames, of: keys, plan, in: context)
            }
            let said = batch.lists.filter { list in
                list.entity == plan.position && list.rule.policy != .add && plan.rows[plan.merged(list.row)].isWritten
            }
            for (relationship, lists) in Dictionary(grouping: said, by: \.relationship) {
                let keys = lists.compactMap { plan.rows[plan.merged($0.row)].key }
                try forgetPending(plan.entity.relationships[relationship].knownNames, of: keys, plan, in: context)
            }
        }
    }

    /// Whether the source says something of a reference, also that it is to a record which has not come.
    private func says(_ position: Int, _ plan: EntityPlan, _ row: Int) -> Bool {
        if plan.stage.isGiven(row, position) { return true }
        var next = plan.rows[row].references?.first
        while let number = next {
            if plan.references[number].position == position { return true }
            next = plan.references[number].next
        }
        return false
    }

    /// Forgets what waits of the references of records that lists name: they are the owners' of these now.
    func forgetPending(ofMembers members: [[StoredValue]], _ links: LinkLayout, in context: Context) throws {
        guard !links.isManyToMany else { return }
        let plan = try plan(links.source)
        guard plan.pendingEntity != nil else { return }
        try forgetPending(
            plan.entity.attributes[links.owner].knownNames, of: members.flatMap { $0 }, plan, in: context)
    }

    /// Forgets what waits of a reference or a list of some records.
    func forgetPending(
        _ names: [String], of owners: [StoredValue], _ plan: EntityPlan, in context: Context
    ) throws {
        guard let entity = plan.pendingEntity, !owners.isEmpty, try hasPending(entity, in: context) else { return }
        _ = try context.deleteAll(
            FetchRequest(
                entity: entity,
                condition: .all([
                    .isOneOf(owners, at: PendingReferences.owner),
                    .isOneOf(names.map { .string($0) }, at: PendingReferences.relationship),
                ])))
    }

    // MARK: Connecting

    /// Connects what earlier imports have kept with what this one has brought. Only what names records of entities that the
    /// import is about is looked up.
    func connectPending(in context: Context) throws {
        for (position, entity) in schema.entities.enumerated() {
            guard let kept = schema.pendingEntity(of: entity), try hasPending(kept, in: context) else { continue }
            var found: [(pending: PendingReferences, target: Int, name: NamedRecord)] = []
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
                if plans[target] != nil { found.append((pending, target, name)) }
            }
            try delete(unknown, from: kept, in: context)
            found.sort { ($0.pending.place ?? .max, $0.pending.key) < ($1.pending.place ?? .max, $1.pending.key) }
            for part in found.chunks() {
                let keys = try find(part.map { (entity: $0.target, name: $0.name) }, in: context)
                let come = zip(part, keys).compactMap { part, key in key.map { (part.pending, $0) } }
                try forEach(come, in: context, at: { _ in ImportPlace(index: 0, isElement: false) }) { come in
                    for (pending, key) in come {
                        try delete([pending.key], from: kept, in: context)
                        try connect(pending, kept, of: entity, position, to: key, in: context)
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
    private func connect(
        _ pending: PendingReferences, _ kept: Int, of entity: Entity, _ position: Int, to key: StoredValue,
        in context: Context
    ) throws {
        if let relationship = entity.relationships.first(where: { $0.isKnown(as: pending.relationship) }) {
            return try relate(pending, relationship, kept, to: key, in: context)
        }
        guard
            let attribute = entity.attributes.firstIndex(where: { $0.isKnown(as: pending.relationship) }),
            entity.attributes[attribute].reference != nil
        else { return }
        guard let row = try record(pending.owner, of: position, in: context),
            row.value(at: attribute) == pending.previous
        else { return }
        let owner = ResolvedCondition.compare(position: entity.keyPosition, .equal, pending.owner)
        _ = try context.updateAll(
            FetchRequest(entity: position, condition: owner),
            setting: [Assignment(position: attribute, value: key)])
        account.report.connectedReferences += 1
    }

    private func relate(
        _ pending: PendingReferences, _ relationship: Relationship, _ kept: Int, to key: StoredValue,
        in context: Context
    ) throws {
        let links = try LinkLayout(relationship, in: schema)
        if !links.isManyToMany {
            // A record that says itself whose it is stays there.
            guard let row = try record(key, of: links.source, in: context), row[links.owner].isNull else { return }
        }
        let related = RelatedRecords<DynamicRecord, DynamicRecord>(of: pending.owner, relationship)
        if try related.contains(key: key, in: context) { return }
        if let place = pending.place, links.place != nil, links.keepsOrder {
            let waiting = try count(before: place, pending, relationship, kept, in: context)
            try related.insert(key: key, at: place - waiting, in: context)
        } else {
            try related.add(keys: [key], in: context)
        }
        account.report.connectedReferences += 1
    }

    /// How many of a list that come before a place still wait.
    private func count(
        before place: Int, _ pending: PendingReferences, _ relationship: Relationship, _ kept: Int,
        in context: Context
    ) throws -> Int {
        let request = FetchRequest(
            entity: kept,
            condition: .all([
                .compare(position: PendingReferences.owner, .equal, pending.owner),
                .isOneOf(relationship.knownNames.map { .string($0) }, at: PendingReferences.relationship),
                .compare(position: PendingReferences.place, .less, .integer(Int64(place))),
            ]))
        var count = 0
        let cursor = try context.rows(request)
        while try cursor.next() != nil { count += 1 }
        return count
    }

    private func record(_ key: StoredValue, of entity: Int, in context: Context) throws -> StoredRow? {
        let condition = ResolvedCondition.compare(position: schema.entities[entity].keyPosition, .equal, key)
        var found: StoredRow?
        let cursor = try context.rows(FetchRequest(entity: entity, condition: condition))
        while let row = try cursor.next() { found = StoredRow(row) }
        return found
    }
}

extension NamedRecord {
    /// The values by the names of the attributes.
    fileprivate func named(in entity: Entity) -> [String: StoredValue] {
        Dictionary(zip(positions.map { entity.attributes[$0].name }, values)) { $1 }
    }

    /// Nil if the entity lacks one of the attributes.
    fileprivate init?(_ names: [String: StoredValue], in entity: Entity) {
        var positions: [Int] = []
        var values: [StoredValue] = []
        for (name, value) in names.sorted(by: { $0.key < $1.key }) {
            guard let position = entity.attributes.firstIndex(where: { $0.isKnown(as: name) }) else { return nil }
            positions.append(position)
            values.append(value)
        }
        self.init(positions: positions, values: values)
    }
}

// What was kept may have been renamed since.

extension Schema {
    fileprivate func entity(knownAs name: String) -> Int? {
        entities.firstIndex { $0.name == name } ?? entities.firstIndex { $0.renamedFrom.contains(name) }
    }
}

extension Attribute {
    /// Its name, and those that it had.
    var knownNames: [String] { [name] + renamedFrom }
    fileprivate func isKnown(as name: String) -> Bool { knownNames.contains(name) }
}

extension Relationship {
    var knownNames: [String] { [name] + renamedFrom }
    fileprivate func isKnown(as name: String) -> Bool { knownNames.contains(name) }
}
