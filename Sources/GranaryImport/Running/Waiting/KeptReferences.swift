import GranaryCore

// References that are kept in the store because what they name has not come: see ``PendingReference``. What is said of the same
// attribute or list later takes their place, and the import that brings what they name connects them.

/// The references that are kept in the store.
///
/// It is used by one thread at a time.
final class KeptReferences {
    let plans: EntityPlans
    let account: Account
    /// Whether the store has some, by the entities that keep them, as far as it is known.
    private var known: [Int: Bool] = [:]

    init(_ plans: EntityPlans, _ account: Account) {
        self.plans = plans
        self.account = account
    }

    var schema: Schema { plans.schema }

    /// Forgets what is known of the store, as other writers may have kept some since the last commit.
    func beginTransaction() { known = [:] }

    /// Whether references of an entity's records wait in the store, asked once.
    func isAny(_ entity: Int, in context: Context) throws -> Bool {
        if let known = known[entity] { return known }
        var isAny = false
        let cursor = try context.rows(FetchRequest(entity: entity, limit: 1))
        while try cursor.next() != nil { isAny = true }
        known[entity] = isAny
        return isAny
    }

    // MARK: Keeping

    /// Keeps a reference that names what has not come.
    func keep(_ reference: WaitingReference, in context: Context) throws {
        let plan = try plans.plan(reference.owner.entity)
        let position = reference.owner.position
        let name = plan.entity.attributes[position].name
        try forget(plan.entity.attributes[position].knownNames, of: [reference.owner.key], plan, in: context)
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
        let plan = try plans.plan(list.owner.entity)
        let relationship = plan.entity.relationships[list.owner.relationship]
        let name = relationship.name
        let adds = list.rule.policy == .add
        if !adds { try forget(relationship.knownNames, of: [list.owner.key], plan, in: context) }
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
        known[entity] = true
        account.report.pendingReferences += 1
    }

    // MARK: Forgetting

    /// Forgets what waits of the references and lists that the batch has said something of.
    func forget(saidBy batch: Batch, in context: Context) throws {
        for case let plan? in plans {
            guard let entity = plan.pendingEntity, try isAny(entity, in: context) else { continue }
            for position in plan.referring {
                let keys = plan.rows.indices.compactMap { row in
                    plan.rows[row].isWritten && plan.itemSaying(position, of: row) != nil ? plan.rows[row].key : nil
                }
                try forget(plan.entity.attributes[position].knownNames, of: keys, plan, in: context)
            }
            let said = batch.lists.filter { list in
                list.entity == plan.position && list.rule.policy != .add && plan.rows[plan.merged(list.row)].isWritten
            }
            for (relationship, lists) in Dictionary(grouping: said, by: \.relationship) {
                let keys = lists.compactMap { plan.rows[plan.merged($0.row)].key }
                try forget(plan.entity.relationships[relationship].knownNames, of: keys, plan, in: context)
            }
        }
    }

    /// Forgets what waits of the references of records that lists name: they are the owners' of these now.
    func forget(ofMembers members: [[StoredValue]], _ links: LinkLayout, in context: Context) throws {
        guard !links.isManyToMany else { return }
        let plan = try plans.plan(links.source)
        guard plan.pendingEntity != nil else { return }
        try forget(
            plan.entity.attributes[links.owner].knownNames, of: members.flatMap { $0 }, plan, in: context)
    }

    /// Forgets what waits of a reference or a list of some records.
    func forget(
        _ names: [String], of owners: [StoredValue], _ plan: EntityPlan, in context: Context
    ) throws {
        guard let entity = plan.pendingEntity, !owners.isEmpty, try isAny(entity, in: context) else { return }
        _ = try context.deleteAll(
            FetchRequest(
                entity: entity,
                condition: .all([
                    .isOneOf(owners, at: PendingReferences.owner),
                    .isOneOf(names.map { .string($0) }, at: PendingReferences.relationship),
                ])))
    }

    func record(_ key: StoredValue, of entity: Int, in context: Context) throws -> StoredRow? {
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
    init?(_ names: [String: StoredValue], in entity: Entity) {
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
    func entity(knownAs name: String) -> Int? {
        entities.firstIndex { $0.name == name } ?? entities.firstIndex { $0.renamedFrom.contains(name) }
    }
}

extension Attribute {
    /// Its name, and those that it had.
    var knownNames: [String] { [name] + renamedFrom }
    func isKnown(as name: String) -> Bool { knownNames.contains(name) }
}

extension Relationship {
    var knownNames: [String] { [name] + renamedFrom }
    func isKnown(as name: String) -> Bool { knownNames.contains(name) }
}
