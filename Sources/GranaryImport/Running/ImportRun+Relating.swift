import GranaryCore

// Lists are made what they are to be in the order of the source. What a list does not have any more is only noted, if
// its deletion or its required reference cannot be taken back: another list, now or in a later batch, may have it.

/// A list whose members are known by their keys.
struct SettledList {
    let owner: ListPlace
    /// Nil of a list that has waited.
    let ownerRow: Int?
    let isNew: Bool
    var members: [StoredValue]
    var rule: RelationshipRule
    let place: ImportPlace
    /// Records that say themselves, later in the source, that they are related.
    var claimed: Set<StoredValue> = []
}

/// What a record says of its owner, and in which record of the source.
struct Claim {
    let member: StoredValue
    let item: Int
}

/// The lists of a batch that make their members refer to their owners by one attribute.
private struct EarlierLists {
    /// The last list that has a member, by the member's row.
    private var members: [Int: (item: Int, owner: StoredValue?)] = [:]
    /// The last list of an owner that leaves out what it does not have.
    private var owners: [StoredValue: (item: Int, members: Set<Int>)] = [:]

    /// Whether a list of an earlier object has given a member to another owner, or has taken it from the owner that it has in
    /// the store.
    func change(_ member: Int, of existing: StoredValue?, before item: Int, _ owner: StoredValue?) -> Bool {
        if let list = members[member], list.item < item, list.owner == nil || list.owner != owner { return true }
        guard let existing, existing != owner, let list = owners[existing] else { return false }
        return list.item < item && !list.members.contains(member)
    }

    mutating func note(_ list: StagedList, _ listed: Set<Int>, of owner: StoredValue?) {
        for member in listed { members[member] = (list.item, owner) }
        if list.rule.policy != .add, let owner { owners[owner] = (list.item, listed) }
    }
}

extension ImportRun {
    /// Makes the to-many relationships of the batch what the source lists.
    func relate(in context: Context) throws {
        guard !batch.lists.isEmpty else { return }
        var settled: [SettledList] = []
        var claims: [[Int]: [StoredValue: [Claim]]] = [:]
        for list in batch.lists {
            guard let plan = plans[list.entity], let target = plans[list.target] else { continue }
            let row = plan.merged(list.row)
            guard plan.rows[row].isWritten, let owner = plan.rows[row].key else { continue }
            let place = ListPlace(entity: list.entity, relationship: list.relationship, key: owner)
            if list.rule.policy != .add { batch.waiting.forget(place) }
            let inverse = try self.inverse(of: list, plan)
            // What a record says of itself later in the source counts.
            let rows = list.members.map(target.merged).filter { member in
                guard let inverse, let value = said(inverse, target, member, after: list.item) else { return true }
                return value == owner
            }
            let missing = rows.contains { !(target.rows[$0].exists && target.rows[$0].key != nil) }
            var rule = list.rule
            if defersWhole(list, plan, row) {
                let named = rows.filter { rule.missing != .ignore || target.rows[$0].exists }
                batch.waiting.add(
                    WaitingList(
                        owner: place, target: list.target, members: named.compactMap { self.named($0, target) },
                        rule: rule, place: list.place.detached))
                continue
            }
            if missing, rule.missing != .ignore {
                guard isLast, rule.missing != .keep else {
                    batch.waiting.add(
                        WaitingList(
                            owner: place, target: list.target, members: rows.compactMap { named($0, target) },
                            rule: rule, place: list.place.detached))
                    continue
                }
                let name = plan.entity.relationships[list.relationship].name
                let absent = rows.first { !(target.rows[$0].exists && target.rows[$0].key != nil) }
                let record = absent.flatMap { named($0, target) }
                try keepValue(self.missing(plan.entity, name, list.target, record), "", at: list.place)
                rule.policy = .add
            }
            let members = rows.compactMap { target.rows[$0].exists ? target.rows[$0].key : nil }
            var result = SettledList(
                owner: place, ownerRow: row, isNew: plan.rows[row].isNew, members: members, rule: rule,
                place: list.place)
            if let inverse, rule.policy != .add {
                if claims[[list.target, inverse]] == nil {
                    claims[[list.target, inverse]] = self.claims(inverse, target)
                }
                for claim in claims[[list.target, inverse]]?[owner] ?? [] where claim.item > list.item {
                    result.claimed.insert(claim.member)
                }
            }
            settled.append(result)
        }
        try settle(settled, in: context)
    }

    /// Cuts the batch before an object that says of a record whose it is, or has it in a list, if the list of an earlier object of
    /// the batch has changed that before.
    ///
    /// The rows of a batch are written before its lists are settled, and of several lists that have a record the last one counts.
    /// So the record would be the right owner's, but the change by the first list would not be counted.
    func cutAfterLists() throws {
        var saying: [[Int]: [StoredValue: [Int]]] = [:]
        var listed: [[Int]: EarlierLists] = [:]
        for list in batch.lists {
            guard let plan = plans[list.entity], let target = plans[list.target],
                let inverse = try inverse(of: list, plan)
            else { continue }
            let group = [list.target, inverse]
            let owner = plan.rows[plan.merged(list.row)].key
            let members = Set(list.members.map(target.merged))
            for member in members {
                let existing = target.rows[member].existing?.value(at: inverse)
                guard existing != nil || !target.rows[member].isNamedOnly else { continue }
                if listed[group]?.change(member, of: existing, before: list.item, owner) == true {
                    batch.cut(before: list.item)
                }
                guard let existing, let said = said(inverse, target, member), said.item > list.item else { continue }
                if said.value != owner || existing != owner { batch.cut(before: said.item) }
            }
            listed[group, default: EarlierLists()].note(list, members, of: owner)
            guard list.rule.policy != .add, let owner else { continue }
            if saying[group] == nil { saying[group] = self.saying(inverse, target) }
            for row in saying[group]?[owner] ?? [] where !members.contains(row) {
                guard let said = said(inverse, target, row), said.item > list.item else { continue }
                batch.cut(before: said.item)
            }
        }
    }

    /// The rows of stored records that say themselves whose they are, by their owners in the store.
    private func saying(_ position: Int, _ plan: EntityPlan) -> [StoredValue: [Int]] {
        var rows: [StoredValue: [Int]] = [:]
        for row in plan.rows.indices where plan.rows[row].mergedInto == nil && !plan.rows[row].isNamedOnly {
            guard let existing = plan.rows[row].existing, said(position, plan, row) != nil else { continue }
            rows[existing.value(at: position), default: []].append(row)
        }
        return rows
    }

    /// Whether a list is settled at the end: one that deletes what it does not list any more. Its links must not be gone before,
    /// for an import that goes on would not find what is to be deleted.
    private func defersWhole(_ list: StagedList, _ plan: EntityPlan, _ row: Int) -> Bool {
        importer.commitSize != .max && !isLast && list.rule.policy == .replaceAndDelete && !plan.rows[row].isNew
            && plan.entity.relationships[list.relationship].through != nil
    }

    /// The attribute of the members that refers to the owner; nil of links.
    private func inverse(of list: StagedList, _ plan: EntityPlan) throws -> Int? {
        let relationship = plan.entity.relationships[list.relationship]
        guard relationship.through == nil else { return nil }
        return try schema.entities[list.target].position(ofAttribute: relationship.attribute)
    }

    /// What a row itself says of a reference, and in which record of the source; nil if it says nothing.
    private func said(_ position: Int, _ plan: EntityPlan, _ row: Int) -> (value: StoredValue, item: Int)? {
        var next = plan.rows[row].references?.first
        while let number = next {
            let reference = plan.references[number]
            next = reference.next
            guard reference.position == position else { continue }
            guard !reference.isInverse else { return nil }
            guard let target = reference.row else {
                return (StoredValue(plan.stage[row, position]), reference.item)
            }
            let key = plans[reference.entity].flatMap { $0.rows[$0.merged(target)].key }
            return (key ?? .null, reference.item)
        }
        guard plan.stage.isGiven(row, position) else { return nil }
        return (StoredValue(plan.stage[row, position]), plan.rows[row].item)
    }

    private func said(_ position: Int, _ plan: EntityPlan, _ row: Int, after item: Int) -> StoredValue? {
        // What is skipped says nothing.
        guard plan.rows[row].isWritten, let said = said(position, plan, row), said.item > item else { return nil }
        return said.value
    }

    /// The records of the batch that say themselves whose they are, by their owners.
    private func claims(_ position: Int, _ plan: EntityPlan) -> [StoredValue: [Claim]] {
        var claims: [StoredValue: [Claim]] = [:]
        for row in plan.rows.indices where plan.rows[row].isWritten {
            guard let said = said(position, plan, row), said.value != .null, let key = plan.rows[row].key else {
                continue
            }
            claims[said.value, default: []].append(Claim(member: key, item: said.item))
        }
        return claims
    }

    /// By what a member of a list can be found later.
    func named(_ row: Int, _ plan: EntityPlan) -> NamedRecord? {
        let row = plan.merged(row)
        if let key = plan.rows[row].key { return NamedRecord(positions: plan.keyPositions, values: [key]) }
        guard let identity = plan.rows[row].identity, let values = values(of: plan.identities[identity], plan, row)
        else { return nil }
        return NamedRecord(positions: plan.identities[identity], values: values)
    }

    // MARK: Settling

    /// Makes lists what they are to be: those of one relationship together, unless others share its links or an owner has
    /// several.
    func settle(_ lists: [SettledList], in context: Context) throws {
        var groups: [[SettledList]] = []
        var places: [[Int]: Int] = [:]
        var sources: [Int: [Int]] = [:]
        var owners: [Set<StoredValue>] = []
        for list in lists {
            let relationship = schema.entities[list.owner.entity].relationships[list.owner.relationship]
            let source = try schema.position(ofEntity: relationship.entity)
            let place = [list.owner.entity, list.owner.relationship]
            if let index = places[place], sources[source] == place, owners[index].insert(list.owner.key).inserted {
                groups[index].append(list)
            } else {
                places[place] = groups.count
                groups.append([list])
                owners.append([list.owner.key])
            }
            sources[source] = place
        }
        for group in groups { try settle(group: group, asksAll: groups.count > 1, in: context) }
    }

    private func settle(group: [SettledList], asksAll: Bool, in context: Context) throws {
        guard let first = group.first else { return }
        let plan = try plan(first.owner.entity)
        let relationship = plan.entity.relationships[first.owner.relationship]
        let links = try LinkLayout(relationship, in: schema)
        let defers = !links.isManyToMany && !schema.entities[links.source].attributes[links.owner].isOptional
        var present: [StoredValue: [StoredValue]] = [:]
        // A new record has no links but those that lists of the other side have made; the related records may have been
        // given to it.
        let asked = links.isManyToMany && !asksAll ? group.filter { !$0.isNew } : group
        if !asked.isEmpty {
            var request = FetchRequest(
                entity: links.source, condition: .isOneOf(asked.map(\.owner.key), at: links.owner))
            request.order = links.place.map { [FetchRequest.OrderTerm(position: $0, isDescending: false)] } ?? []
            let cursor = try context.rows(request)
            while let row = try cursor.next() {
                present[StoredValue(row[links.owner]), default: []].append(StoredValue(row[links.member]))
            }
        }
        // Of a record that several lists have, the last one counts.
        var owners: [StoredValue: StoredValue] = [:]
        if !links.isManyToMany { for list in group { for member in list.members { owners[member] = list.owner.key } } }
        var wanted: [[StoredValue]] = []
        for list in group {
            var listed: Set<StoredValue> = []
            wanted.append(
                list.members.filter {
                    (links.isManyToMany || owners[$0] == list.owner.key) && listed.insert($0).inserted
                })
            guard !waiting.isEmpty || !batch.waiting.isEmpty else { continue }
            let position = links.isManyToMany ? links.member : links.owner
            for member in listed {
                batch.waiting.forget(ReferencePlace(entity: links.source, key: member, position: position))
            }
        }
        try forgetPending(ofMembers: wanted, links, in: context)
        func step(_ body: (SettledList, [StoredValue], [StoredValue]) throws -> Bool) throws {
            for (list, wanted) in zip(group, wanted) {
                do {
                    guard try body(list, wanted, present[list.owner.key] ?? []) else { continue }
                } catch {
                    throw GranaryError.wrapping(error, plan.entity).at(list.place)
                }
                guard let row = list.ownerRow else {
                    countAsUpdated(list.owner.entity, list.owner.key)
                    continue
                }
                if case .unchanged = plan.rows[row].outcome { plan.rows[row].outcome = .updated }
            }
        }
        let addsFirst = defers || group.contains { $0.rule.policy == .replaceAndDelete }
        if addsFirst {
            // All that is listed is related before anything is taken out.
            try step { list, wanted, present in
                try add(wanted, present, to: list, relationship, in: context)
            }
        }
        try step { list, wanted, present in
            guard list.rule.policy != .add else {
                return try !addsFirst && add(wanted, present, to: list, relationship, in: context)
            }
            // What another list has now, or says itself that it is related, stays.
            let stay = present.filter(list.claimed.contains)
            let wanted = wanted + stay.filter { !wanted.contains($0) }
            let rest = present.filter { owners[$0] == nil || owners[$0] == list.owner.key }
            return try replace(rest, with: wanted, list, links, relationship, defers, in: context)
        }
    }

    private func add(
        _ wanted: [StoredValue], _ present: [StoredValue], to list: SettledList, _ relationship: Relationship,
        in context: Context
    ) throws -> Bool {
        let known = Set(present)
        let added = wanted.filter { !known.contains($0) }
        guard !added.isEmpty else { return false }
        try RelatedRecords<DynamicRecord, DynamicRecord>(of: list.owner.key, relationship).add(keys: added, in: context)
        return true
    }

    private func replace(
        _ present: [StoredValue], with wanted: [StoredValue], _ list: SettledList, _ links: LinkLayout,
        _ relationship: Relationship, _ defers: Bool, in context: Context
    ) throws -> Bool {
        let (known, kept) = (Set(present), Set(wanted))
        let isSame = links.keepsOrder ? present == wanted : present.count == wanted.count && known == kept
        guard !isSame else { return false }
        let deletes = list.rule.policy == .replaceAndDelete
        if present.isEmpty, links.isPlainlyLinked, !deletes {
            try link(wanted, to: list.owner.key, links, in: context)
            return true
        }
        let gone = present.filter { !kept.contains($0) }
        // What stays keeps its places.
        let rest = present.filter(kept.contains)
        let isArranged = links.keepsOrder ? rest == wanted : rest.count == wanted.count
        var wanted = wanted
        if !gone.isEmpty, deletes || defers {
            let place = list.place.detached
            for key in gone {
                let member = ReferencePlace(
                    entity: links.source, key: key, position: links.isManyToMany ? links.member : links.owner)
                batch.waiting.add(Unlisted(owner: list.owner, member: member, deletes: deletes, place: place))
            }
            if !links.isManyToMany {
                if isArranged { return true }
                wanted += gone
            }
        }
        let related = RelatedRecords<DynamicRecord, DynamicRecord>(of: list.owner.key, relationship)
        if isArranged {
            try related.remove(keys: gone, in: context)
        } else {
            try related.replace(withKeys: wanted, in: context)
        }
        return true
    }

    /// Links records to one that has no links yet.
    private func link(
        _ members: [StoredValue], to owner: StoredValue, _ links: LinkLayout, in context: Context
    ) throws {
        for (index, member) in members.enumerated() {
            var values = [StoredValue](repeating: .null, count: schema.entities[links.source].attributes.count)
            values[schema.entities[links.source].keyPosition] = .integer(0)
            values[links.owner] = owner
            values[links.member] = member
            if let place = links.place { values[place] = .integer(Int64(index)) }
            _ = try context.insert(values, into: links.source)
        }
    }
}
