import GranaryCore

/// Lists of one relationship that are settled together.
struct RelationshipLists {
    /// A list with the members that it is to have and those that it has.
    private struct Change {
        let list: SettledList
        let wanted: [StoredValue]
        let present: [StoredValue]
    }

    private let lists: [SettledList]
    private let session: ImportSession
    /// The plan of the owners.
    private let plan: EntityPlan
    private let relationship: Relationship
    private let links: LinkLayout
    /// Whether a member must have an owner, so that it is taken out of a list at the end alone.
    private let defers: Bool
    /// The owners of members. Of a record that several lists have, the last one counts. None of links.
    private var owners: [StoredValue: StoredValue] = [:]

    /// - Parameters:
    ///   - relationship: That of all lists, by its place among the entity's.
    ///   - plan: The plan of the owners.
    init(_ lists: [SettledList], of relationship: Int, _ plan: EntityPlan, _ session: ImportSession) throws {
        self.lists = lists
        self.session = session
        self.plan = plan
        self.relationship = plan.entity.relationships[relationship]
        let schema = session.plans.schema
        let links = try LinkLayout(self.relationship, in: schema)
        self.links = links
        defers = !links.isManyToMany && !schema.entities[links.source].attributes[links.owner].isOptional
    }

    private var context: Context { session.context }
    private var schema: Schema { session.plans.schema }

    /// Makes the lists what they are to be.
    ///
    /// - Parameters:
    ///   - asksAll: Whether other lists may have made links of new records.
    ///   - isUndisturbed: Whether neither other lists nor references that have waited change the members.
    ///   - hasWaiting: Whether something of earlier batches waits.
    ///   - waiting: What the batch adds to what waits.
    mutating func settle(asksAll: Bool, isUndisturbed: Bool, hasWaiting: Bool, _ waiting: inout Waiting) throws {
        let isWritten = isUndisturbed && isWritten()
        if !isWritten, !links.isManyToMany {
            for list in lists { for member in list.members { owners[member] = list.owner.key } }
        }
        let wanted = isWritten ? lists.map(\.members) : lists.map(wanted)
        if hasWaiting || !waiting.isEmpty {
            for members in wanted { for member in members { waiting.forget(place(of: member)) } }
        }
        try session.kept.forget(ofMembers: wanted, links, in: context)
        if isWritten { return }
        let present = try present(asksAll: asksAll)
        let changes = zip(lists, wanted).map {
            Change(list: $0, wanted: $1, present: present[$0.owner.key] ?? [])
        }
        let addsFirst = defers || lists.contains { $0.rule.policy == .replaceAndDelete }
        if addsFirst {
            // All that is listed is related before anything is taken out.
            for change in changes { try step(change) { try add(change) } }
        }
        for change in changes {
            try step(change) {
                if change.list.rule.policy == .add { return try !addsFirst && add(change) }
                return try replace(change, &waiting)
            }
        }
    }

    /// Whether the lists are what they are to be because the batch has written them so: their owners are new records, and
    /// nothing but the rows of the batch can refer to a record that was not in the store before.
    private func isWritten() -> Bool {
        guard let inverse = links.inverse, session.ownsTransaction,
            schema.entities[links.source].attributes[inverse].reference?.onDelete != .noAction,
            let target = session.plans[links.source], target.keepsLinks
        else { return false }
        var count = 0
        for list in lists {
            guard list.isNew, let rows = list.memberRows, rows.count == list.members.count, isInOrder(rows, target)
            else { return false }
            let areMembers = rows.allSatisfy { row in
                target.rows[row].isWritten && list.owner.key.withCell { areSame($0, target.stage[row, inverse]) }
            }
            guard areMembers else { return false }
            count += rows.count
        }
        // No other row has an owner, so none has one of these.
        return count == target.rows.indices.count { target.rows[$0].isWritten && !target.stage[$0, inverse].isNull }
    }

    /// Whether rows differ, and have places in a list that ascend if its order is one that an import writes.
    private func isInOrder(_ rows: [Int], _ target: EntityPlan) -> Bool {
        let neighbours = zip(rows, rows.dropFirst())
        guard let place = links.place, links.keepsOrder else {
            return neighbours.allSatisfy { $0 < $1 } || Set(rows).count == rows.count
        }
        return neighbours.allSatisfy { row, next in
            let (first, second) = (target.stage[row, place], target.stage[next, place])
            return !first.isNull && !second.isNull && compare(first, second) < 0
        }
    }

    /// The members that lists have in the store, by the lists' owners.
    private func present(asksAll: Bool) throws -> [StoredValue: [StoredValue]] {
        // A new record has no links but those that lists of the other side have made; the related records may have been
        // given to it.
        let asked = links.isManyToMany && !asksAll ? lists.filter { !$0.isNew } : lists
        guard !asked.isEmpty else { return [:] }
        var present: [StoredValue: [StoredValue]] = [:]
        var request = FetchRequest(
            entity: links.source, condition: .isOneOf(asked.map(\.owner.key), at: links.owner))
        request.order = links.place.map { [FetchRequest.OrderTerm(position: $0, isDescending: false)] } ?? []
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            present[StoredValue(row[links.owner]), default: []].append(StoredValue(row[links.member]))
        }
        return present
    }

    /// The members that a list is to have, each once.
    private func wanted(_ list: SettledList) -> [StoredValue] {
        var listed: Set<StoredValue> = []
        return list.members.filter {
            (links.isManyToMany || owners[$0] == list.owner.key) && listed.insert($0).inserted
        }
    }

    private func place(of member: StoredValue) -> ReferencePlace {
        ReferencePlace(
            entity: links.source, key: member, position: links.isManyToMany ? links.member : links.owner)
    }

    /// Changes a list. The record of its owner is counted as updated if that changes anything.
    private func step(_ change: Change, _ body: () throws -> Bool) throws {
        do {
            guard try body() else { return }
        } catch {
            throw GranaryError.wrapping(error, plan.entity).at(change.list.place)
        }
        guard let row = change.list.ownerRow else {
            return session.countAsUpdated(change.list.owner.entity, change.list.owner.key)
        }
        if case .unchanged = plan.rows[row].outcome { plan.rows[row].outcome = .updated }
    }

    private func related(_ list: SettledList) -> RelatedRecords<DynamicRecord, DynamicRecord> {
        RelatedRecords(of: list.owner.key, relationship)
    }

    /// Adds what a list lacks. Returns whether there was any.
    private func add(_ change: Change) throws -> Bool {
        let known = Set(change.present)
        let added = change.wanted.filter { !known.contains($0) }
        guard !added.isEmpty else { return false }
        try related(change.list).add(keys: added, in: context)
        return true
    }

    /// Gives a list the wanted members alone. Returns whether that changes anything.
    private func replace(_ change: Change, _ waiting: inout Waiting) throws -> Bool {
        let list = change.list
        // What another list has now, or says itself that it is related, stays.
        let stay = change.present.filter(list.claimed.contains)
        var wanted = change.wanted + stay.filter { !change.wanted.contains($0) }
        let present = change.present.filter { owners[$0] == nil || owners[$0] == list.owner.key }
        let (known, kept) = (Set(present), Set(wanted))
        let isSame = links.keepsOrder ? present == wanted : present.count == wanted.count && known == kept
        guard !isSame else { return false }
        let deletes = list.rule.policy == .replaceAndDelete
        if present.isEmpty, links.isPlainlyLinked, !deletes {
            try link(wanted, to: list.owner.key)
            return true
        }
        let gone = present.filter { !kept.contains($0) }
        // What stays keeps its places.
        let rest = present.filter(kept.contains)
        let isArranged = links.keepsOrder ? rest == wanted : rest.count == wanted.count
        if !gone.isEmpty, deletes || defers {
            let place = list.place.detached
            for key in gone {
                waiting.add(Unlisted(owner: list.owner, member: self.place(of: key), deletes: deletes, place: place))
            }
            if !links.isManyToMany {
                if isArranged { return true }
                wanted += gone
            }
        }
        if isArranged {
            try related(list).remove(keys: gone, in: context)
        } else {
            try related(list).replace(withKeys: wanted, in: context)
        }
        return true
    }

    /// Links records to one that has no links yet.
    private func link(_ members: [StoredValue], to owner: StoredValue) throws {
        let entity = schema.entities[links.source]
        for (index, member) in members.enumerated() {
            var values = [StoredValue](repeating: .null, count: entity.attributes.count)
            values[entity.keyPosition] = .integer(0)
            values[links.owner] = owner
            values[links.member] = member
            if let place = links.place { values[place] = .integer(Int64(index) * ListPlaces.step) }
            _ = try context.insert(values, into: links.source)
        }
    }
}
