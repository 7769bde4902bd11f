import GranaryCore

/// A reference that names a record which has not come yet.
struct WaitingReference {
    let entity: Int
    let key: StoredValue
    let position: Int
    let target: Int
    let identity: Int
    let values: [StoredValue]
    let place: ImportPlace

    init?(_ reference: StagedReference, _ plan: EntityPlan, _ key: StoredValue, _ run: ImportRun) {
        guard let target = run.plans[reference.entity] else { return nil }
        let row = target.merged(reference.row)
        guard let identity = target.rows[row].identity,
            let values = run.values(of: target.identities[identity], target, row)
        else { return nil }
        entity = plan.position
        self.key = key
        position = reference.position
        self.target = target.position
        self.identity = identity
        self.values = values
        place = reference.place
    }
}

/// A to-many relationship of which a member has not come yet.
struct WaitingList {
    /// A record by the values of an identity, or by its key.
    struct Member {
        let identity: Int?
        let values: [StoredValue]
    }

    let entity: Int
    let relationship: Int
    let target: Int
    let owner: StoredValue
    let members: [Member]
    let rule: RelationshipRule
    let place: ImportPlace
}

extension ImportRun {
    /// Imports what had to wait, deletes what the source does not have, and reports what is missing.
    func finish(in context: some Context) throws {
        // Each round may bring what others wait for.
        while !held.isEmpty {
            let round = held
            held = []
            for start in stride(from: 0, to: round.count, by: max(1, importer.batchSize)) {
                try add(Array(round[start..<min(start + max(1, importer.batchSize), round.count)]), in: context)
            }
            if isLast { break }
            if held.count == round.count { isLast = true }
        }
        isLast = true
        try connectWaiting(in: context)
        try relateWaiting(in: context)
        guard report.failed == 0 else { return }
        if case .mirror(let query) = importer.policy, knowsAll { try deleteAllElse(query, in: context) }
        if let tombstones = importer.tombstones { report.deleted += try context.deleteAll(tombstones) }
    }

    private func connectWaiting(in context: some Context) throws {
        let references = waiting
        waiting = []
        for (place, references) in Dictionary(grouping: references, by: { [$0.target, $0.identity] }) {
            let target = try plan(place[0])
            for start in stride(from: 0, to: references.count, by: 1_000) {
                let part = references[start..<min(start + 1_000, references.count)]
                let found = try existing(part.map(\.values), target, place[1], in: context)
                for reference in part {
                    let plan = try plan(reference.entity)
                    if let row = found[reference.values] {
                        let key = row.value(at: target.entity.keyPosition)
                        try connect(plan, reference.key, reference.position, to: key, in: context)
                    } else {
                        let name = plan.entity.attributes[reference.position].name
                        try keepValue(.dangling(plan.entity, reference.position), name, at: reference.place)
                    }
                }
            }
        }
    }

    private func relateWaiting(in context: some Context) throws {
        let lists = waitingLists
        waitingLists = []
        for list in lists {
            let (plan, target) = (try plan(list.entity), try plan(list.target))
            var members: [StoredValue] = []
            var rule = list.rule
            let keyIdentity = target.identities.firstIndex(of: [target.entity.keyPosition])
            var found: [Int: [[StoredValue]: StoredRow]] = [:]
            for (identity, wanted) in Dictionary(grouping: list.members, by: { $0.identity ?? keyIdentity ?? 0 }) {
                found[identity] = try existing(wanted.map(\.values), target, identity, in: context)
            }
            for member in list.members {
                if let row = found[member.identity ?? keyIdentity ?? 0]?[member.values] {
                    members.append(row.value(at: target.entity.keyPosition))
                } else {
                    rule.policy = .add
                    try keepValue(
                        missing(plan.entity, plan.entity.relationships[list.relationship].name, list.target), "",
                        at: list.place)
                }
            }
            let settled = SettledList(
                owner: list.owner, ownerRow: 0, isNew: false, members: members, rule: rule, place: list.place)
            _ = try settle([settled], plan, plan.entity.relationships[list.relationship], in: context)
        }
    }

    /// Deletes the records that the source does not have.
    private func deleteAllElse(_ query: DynamicQuery?, in context: some Context) throws {
        let entity = schema.entities[top]
        let all = query ?? DynamicQuery(entity.name)
        guard all.entity.hasSameBytes(as: entity.name) else {
            throw GranaryError(
                .invalidQuery,
                "The import of \(entity.name) cannot mirror within records of \(all.entity). Give a query of \(entity.name).",
                entity: entity.name)
        }
        var gone: [StoredValue] = []
        let cursor = try context.rows(try FetchRequest(all, in: schema))
        while let row = try cursor.next() {
            let key = StoredValue(row[entity.keyPosition])
            if !touched.contains(key) { gone.append(key) }
        }
        report.deletedKeys = gone
        guard !gone.isEmpty else { return }
        // Together: records that deny each other's deletion may go at once.
        for start in stride(from: 0, to: gone.count, by: 50_000) {
            let keys = gone[start..<min(start + 50_000, gone.count)]
            report.deleted += try context.deleteAll(
                FetchRequest(entity: top, condition: .isOneOf(Array(keys), at: entity.keyPosition)))
        }
    }
}
