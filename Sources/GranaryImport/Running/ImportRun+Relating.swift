import GranaryCore

extension ImportRun {
    /// Makes the to-many relationships of the batch what the source lists: one request for each relationship.
    func relate(in context: some Context) throws {
        guard !lists.isEmpty else { return }
        var groups: [[Int]: [SettledList]] = [:]
        for list in lists {
            guard let plan = plans[list.entity], let target = plans[list.target] else { continue }
            let row = plan.merged(list.row)
            guard plan.rows[row].isWritten, let owner = plan.rows[row].key else { continue }
            let members = list.members.map { (row: target.merged($0), identity: member($0, target)) }
            var settled = SettledList(
                owner: owner, ownerRow: row, isNew: plan.rows[row].isNew, members: [], rule: list.rule,
                place: list.place)
            var isComplete = true
            for member in members {
                let state = target.rows[member.row]
                if state.exists, let key = state.key {
                    settled.members.append(key)
                } else {
                    if list.rule.missing != .ignore { isComplete = false }
                }
            }
            if !isComplete {
                guard isLast else {
                    waitingLists.append(
                        WaitingList(
                            entity: list.entity, relationship: list.relationship, target: list.target, owner: owner,
                            members: members.compactMap(\.identity), rule: list.rule, place: list.place))
                    continue
                }
                let name = plan.entity.relationships[list.relationship].name
                try keepValue(missing(plan.entity, name, list.target), "", at: list.place)
                settled.rule.policy = .add
            }
            groups[[list.entity, list.relationship], default: []].append(settled)
        }
        for (place, lists) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            guard let plan = plans[place[0]] else { continue }
            for row in try settle(lists, plan, plan.entity.relationships[place[1]], in: context) {
                if case .unchanged = plan.rows[row].outcome { plan.rows[row].outcome = .updated }
            }
        }
    }

    /// By what a member of a list can be found later.
    private func member(_ row: Int, _ plan: EntityPlan) -> WaitingList.Member? {
        let row = plan.merged(row)
        if let key = plan.rows[row].key { return WaitingList.Member(identity: nil, values: [key]) }
        guard let identity = plan.rows[row].identity,
            let values = values(of: plan.identities[identity], plan, row)
        else { return nil }
        return WaitingList.Member(identity: identity, values: values)
    }

    /// Makes lists of one relationship what they are to be. Returns the rows of the owners that changed.
    func settle(
        _ lists: [SettledList], _ plan: EntityPlan, _ relationship: Relationship, in context: some Context
    ) throws -> [Int] {
        let links = try LinkLayout(relationship, in: schema)
        var existing: [StoredValue: [StoredValue]] = [:]
        // A new record has no links; the related records may have been given to it.
        let asked = links.isManyToMany ? lists.filter { !$0.isNew } : lists
        if !asked.isEmpty {
            var request = FetchRequest(
                entity: links.source, condition: .isOneOf(asked.map(\.owner), at: links.owner))
            request.order = links.place.map { [FetchRequest.OrderTerm(position: $0, isDescending: false)] } ?? []
            let cursor = try context.rows(request)
            while let row = try cursor.next() {
                existing[StoredValue(row[links.owner]), default: []].append(StoredValue(row[links.member]))
            }
        }
        var changed: [Int] = []
        for list in lists {
            var listed: Set<StoredValue> = []
            let wanted = list.members.filter { listed.insert($0).inserted }
            let present = existing[list.owner] ?? []
            if try relate(list, wanted, present, links, plan, relationship, in: context) {
                changed.append(list.ownerRow)
            }
        }
        return changed
    }

    private func relate(
        _ list: SettledList, _ wanted: [StoredValue], _ present: [StoredValue], _ links: LinkLayout, _ plan: EntityPlan,
        _ relationship: Relationship, in context: some Context
    ) throws -> Bool {
        let related = DynamicRelatedRecords(of: list.owner, relationship)
        let known = Set(present)
        do {
            switch list.rule.policy {
            case .add:
                let added = wanted.filter { !known.contains($0) }
                guard !added.isEmpty else { return false }
                try related.add(keys: added, in: context)
            case .replace, .replaceAndDelete:
                let isSame =
                    links.keepsOrder ? present == wanted : present.count == wanted.count && known == Set(wanted)
                guard !isSame else { return false }
                if present.isEmpty, links.isPlainlyLinked {
                    try link(wanted, to: list.owner, links, in: context)
                    return true
                }
                if list.rule.policy == .replaceAndDelete {
                    let kept = Set(wanted)
                    for key in present where !kept.contains(key) {
                        if try context.delete(key, from: links.related) { report.deleted += 1 }
                    }
                }
                try related.replace(withKeys: wanted, in: context)
            }
        } catch {
            throw GranaryError.wrapping(error, plan.entity).at(list.place.path)
        }
        return true
    }

    /// Links records to one that has no links yet.
    private func link(
        _ members: [StoredValue], to owner: StoredValue, _ links: LinkLayout, in context: some Context
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

/// A list whose members are known by their keys.
struct SettledList {
    let owner: StoredValue
    let ownerRow: Int
    let isNew: Bool
    var members: [StoredValue]
    var rule: RelationshipRule
    let place: ImportPlace
}

/// Where the links of a relationship are.
struct LinkLayout {
    /// The positions of the links' entity and of the related records'.
    let source: Int
    let related: Int
    let owner: Int
    let member: Int
    let place: Int?
    let isManyToMany: Bool
    /// Whether the order is one that an import writes.
    let keepsOrder: Bool
    /// Whether a link is a record of its own without an order on the other side, which a new one would come last in.
    let isPlainlyLinked: Bool

    init(_ relationship: Relationship, in schema: Schema) throws {
        source = try schema.position(ofEntity: relationship.entity)
        let entity = schema.entities[source]
        owner = try entity.position(ofAttribute: relationship.attribute)
        isManyToMany = relationship.through != nil
        member = try relationship.through.map { try entity.position(ofAttribute: $0) } ?? entity.keyPosition
        place = try relationship.orderedBy.map { try entity.position(ofAttribute: $0) }
        related =
            isManyToMany
            ? try schema.position(ofEntity: entity.attributes[member].reference?.entity ?? entity.name) : source
        let type = place.map { entity.attributes[$0].type }
        keepsOrder = type.map { ($0.integerRange != nil && $0 != .bool) || $0 == .double || $0 == .float } ?? false
        let hasOtherOrder = schema.entities[related].relationships.contains {
            $0.entity == relationship.entity && $0.through == relationship.attribute && $0.orderedBy != nil
        }
        isPlainlyLinked =
            isManyToMany && !hasOtherOrder && entity.keyGeneration == .assigned && (place == nil || type == .int64)
            && entity.attributes.count == (place == nil ? 3 : 4)
    }
}
