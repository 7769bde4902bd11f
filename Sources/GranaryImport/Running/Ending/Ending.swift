import GranaryCore

/// Ends an import: it settles what had to wait, and deletes what the source does not have.
struct Ending {
    let session: ImportSession
    /// What waits. It may be most of what the import has in memory.
    var waiting: Waiting

    var plans: EntityPlans { session.plans }
    var account: Account { session.account }
    var context: Context { session.context }
    var schema: Schema { plans.schema }

    mutating func run() throws {
        account.report.unusedPaths = plans.unusedPaths
        try session.kept.connect(session)
        try connectWaiting()
        try relateWaiting()
        try connectFinally()
        try callLateHooks()
        try endUnlisted()
        try endReplaced()
        try session.checkCancellation()
        try deleteRest()
    }

    private func connectWaiting() throws {
        let references = waiting.referencesInOrder
        for part in references.chunks() {
            try session.forEach(part, at: \.place) { try connect($0) }
        }
    }

    private func connect(_ references: [WaitingReference]) throws {
        let found = try session.lookUp.keys(of: references.map { SoughtRecord(entity: $0.target, name: $0.name) })
        for (reference, key) in zip(references, found) {
            let plan = try plans.plan(reference.owner.entity)
            let attribute = plan.entity.attributes[reference.owner.position]
            if key == nil, reference.isKept {
                try session.kept.keep(reference, in: context)
                continue
            }
            try session.kept.forget(attribute.knownNames, of: [reference.owner.key], plan, in: context)
            if let key {
                try session.connect(reference.owner.position, of: reference.owner.key, plan, to: key, reference.place)
                session.countAsUpdated(reference.owner.entity, reference.owner.key)
            } else {
                let error = plans.dangling(plan, reference.owner.position, to: reference.target, reference.name)
                try account.keepValue(error, attribute.name, at: reference.place)
            }
        }
    }

    /// Settles the lists that have waited. What they do not have any more waits instead.
    private mutating func relateWaiting() throws {
        let all = waiting.lists.values.sorted { $0.number < $1.number }.flatMap(\.lists)
        let lists = try session.present(all) { RecordPlace(entity: $0.owner.entity, key: $0.owner.key) }
        for part in lists.chunks() {
            try session.forEach(part, at: \.place) { waiting.take(try relate($0)) }
        }
    }

    private func relate(_ lists: [WaitingList]) throws -> Waiting {
        let wanted = lists.flatMap { list in list.members.map { SoughtRecord(entity: list.target, name: $0) } }
        var found = try session.lookUp.keys(of: wanted)[...]
        var settled: [SettledList] = []
        for list in lists {
            let keys = found.prefix(list.members.count)
            found = found.dropFirst(list.members.count)
            var rule = list.rule
            if rule.missing == .keep {
                let missing = zip(list.members, keys).enumerated().compactMap { place, member in
                    member.1 == nil ? (place: place, name: member.0) : nil
                }
                try session.kept.keep(missing, of: list, in: context)
            } else if keys.contains(nil) {
                rule.policy = .add
                let entity = schema.entities[list.owner.entity]
                let name = entity.relationships[list.owner.relationship].name
                for (member, key) in zip(list.members, keys) where key == nil {
                    try account.keepValue(plans.missing(name, of: entity, list.target, member), "", at: list.place)
                }
            }
            settled.append(
                SettledList(
                    owner: list.owner, ownerRow: nil, isNew: false, members: keys.compactMap { $0 }, rule: rule,
                    place: list.place))
        }
        var relating = Relating(session: session, isLast: true, hasWaiting: !waiting.isEmpty, outcome: BatchOutcome())
        try relating.settle(settled)
        return relating.outcome.waiting
    }

    /// Deletes what lists do not have any more and no other list has got, or ends the relation.
    private func endUnlisted() throws {
        let all = waiting.unlisted.values.sorted { $0.number < $1.number }.map(\.unlisted)
        guard !all.isEmpty else { return }
        guard account.report.allowsDeletion else {
            for unlisted in all {
                let entity = schema.entities[unlisted.owner.entity]
                let name = entity.relationships[unlisted.owner.relationship].name
                let error = GranaryError(
                    .required,
                    "A record that \(entity.name).\(name) does not list any more stays, because an object or a relationship that may list it has failed. Correct it, and import again.",
                    entity: entity.name, attributes: [name])
                account.report.add(
                    ImportIssue(
                        kind: .notDeleted, path: unlisted.place.path, line: unlisted.place.line, error: error))
            }
            return
        }
        for group in Dictionary(grouping: all, by: { [$0.owner.entity, $0.owner.relationship] }).values {
            for part in group.chunks() {
                try session.forEach(part, at: \.place) { try end($0) }
            }
        }
    }

    /// Ends relations, all of one relationship.
    private func end(_ unlisted: [Unlisted]) throws {
        guard let first = unlisted.first else { return }
        let entity = schema.entities[first.owner.entity]
        let relationship = entity.relationships[first.owner.relationship]
        let links = try LinkLayout(relationship, in: schema)
        var owners: [StoredValue: StoredValue] = [:]
        let cursor = try context.rows(
            FetchRequest(entity: links.source, condition: .isOneOf(unlisted.map(\.member.key), at: links.member)))
        while let row = try cursor.next() { owners[StoredValue(row[links.member])] = StoredValue(row[links.owner]) }
        for unlisted in unlisted {
            // Of links, none is left; a record that refers to its owner still does.
            let owner = owners[unlisted.member.key]
            guard links.isManyToMany ? owner == nil : owner == unlisted.owner.key else { continue }
            do {
                if unlisted.deletes {
                    if try context.delete(unlisted.member.key, from: links.related) { account.report.deleted += 1 }
                } else {
                    try RelatedRecords<DynamicRecord, DynamicRecord>(of: unlisted.owner.key, relationship)
                        .remove(keys: [unlisted.member.key], in: context)
                }
            } catch {
                throw GranaryError.wrapping(error, entity).at(unlisted.place)
            }
        }
    }

    /// Calls the hooks of relationships that have waited.
    private func callLateHooks() throws {
        guard !waiting.hooks.isEmpty else { return }
        let hooks = try session.present(waiting.hooks) { hook in
            RecordPlace(entity: try schema.position(ofEntity: hook.entity), key: hook.key)
        }
        try session.forEach(hooks, at: \.place) { relationships in
            for relationship in relationships {
                let plan = try plans.plan(try schema.position(ofEntity: relationship.entity))
                try session.callHooks(of: relationship, plan)
            }
        }
    }
}
