import GranaryCore

// Where the records of a batch decide that it is written in parts.

/// An attribute by which the members of lists refer to the lists' owners.
struct InversePlace: Hashable {
    /// The position of the members' entity.
    let entity: Int
    let position: Int
}

/// The lists of a batch that make their members refer to their owners by one attribute.
private struct EarlierLists {
    /// Whether a row of the members' entity is in the store. If none is, no list takes anything from another owner.
    let hasExisting: Bool
    private var lists: [(item: Int, owner: StoredValue?)] = []
    /// The number of the last list that has a member, by the member's row; -1 if none has.
    private var lastLists: [Int]
    /// The last list of an owner that leaves out what it does not have.
    private var owners: [StoredValue: (item: Int, members: Set<Int>)] = [:]

    init(_ target: EntityPlan) {
        hasExisting = target.rows.indices.contains { target.rows[$0].existing != nil }
        lastLists = Array(repeating: -1, count: target.rows.count)
    }

    /// Whether a list of an earlier object has given a member to another owner, or has taken it from the owner that it has in
    /// the store.
    func change(_ member: Int, of existing: StoredValue?, before item: Int, _ owner: StoredValue?) -> Bool {
        let number = lastLists[member]
        if number >= 0, lists[number].item < item, lists[number].owner == nil || lists[number].owner != owner {
            return true
        }
        guard let existing, existing != owner, let list = owners[existing] else { return false }
        return list.item < item && !list.members.contains(member)
    }

    mutating func note(_ list: StagedList, _ members: [Int], of owner: StoredValue?) {
        for member in members { lastLists[member] = lists.count }
        lists.append((list.item, owner))
        if hasExisting, list.rule.policy != .add, let owner { owners[owner] = (list.item, Set(members)) }
    }
}

extension Batch {
    /// Cuts the batch before an object that says of a record whose it is, or has it in a list, if the list of an earlier object of
    /// the batch has changed that before.
    ///
    /// The rows of a batch are written before its lists are settled, and of several lists that have a record the last one counts.
    /// So the record would be the right owner's, but the change by the first list would not be counted.
    mutating func cutAfterLists(_ plans: EntityPlans) {
        var numbers: [InversePlace: Int] = [:]
        var groups: [(earlier: EarlierLists, saying: [StoredValue: [Int]])] = []
        for list in lists {
            guard let plan = plans[list.entity], let target = plans[list.target],
                let inverse = plan.links[list.relationship].inverse
            else { continue }
            let place = InversePlace(entity: list.target, position: inverse)
            let number = numbers[place] ?? groups.count
            if number == groups.count {
                numbers[place] = number
                let earlier = EarlierLists(target)
                groups.append((earlier, earlier.hasExisting ? plans.saying(at: inverse, of: target) : [:]))
            }
            let owner = plan.rows[plan.merged(list.row)].key
            let members = list.members.map(target.merged)
            for member in members {
                let existing = target.rows[member].existing?.value(at: inverse)
                guard existing != nil || !target.rows[member].isNamedOnly else { continue }
                if groups[number].earlier.change(member, of: existing, before: list.item, owner) {
                    cut(before: list.item)
                }
                guard let existing, let said = plans.said(at: inverse, of: target, member), said.item > list.item else {
                    continue
                }
                if said.value != owner || existing != owner { cut(before: said.item) }
            }
            groups[number].earlier.note(list, members, of: owner)
            guard list.rule.policy != .add, let owner else { continue }
            for row in groups[number].saying[owner] ?? [] where !members.contains(row) {
                guard let said = plans.said(at: inverse, of: target, row), said.item > list.item else { continue }
                cut(before: said.item)
            }
        }
    }

    /// Cuts the batch before an object that says something of a reference which waits for a record of the batch that precedes
    /// the object: it is connected to the record first.
    mutating func cutAfterArrivals(_ plans: EntityPlans, _ waiting: Waiting) {
        guard !waiting.references.isEmpty else { return }
        for case let plan? in plans where !plan.referring.isEmpty {
            for row in plan.rows.indices where plan.rows[row].mergedInto == nil && !plan.rows[row].isNamedOnly {
                guard let key = plan.rows[row].key else { continue }
                for position in plan.referring {
                    let place = ReferencePlace(entity: plan.position, key: key, position: position)
                    guard let waiting = waiting.references[place], let target = plans[waiting.entity],
                        let arrived = target.row(of: waiting.name),
                        let said = plan.itemSaying(position, of: row), target.rows[arrived].item < said
                    else { continue }
                    cut(before: said)
                }
            }
        }
    }
}

extension EntityPlans {
    /// What a row itself says of a reference, and in which record of the source; nil if it says nothing.
    func said(at position: Int, of plan: EntityPlan, _ row: Int) -> (value: StoredValue, item: Int)? {
        if let number = plan.referenceNumber(at: position, of: row) {
            guard !plan.references[number].isInverse else { return nil }
            let item = plan.references[number].item
            guard let target = plan.references[number].row else {
                return (StoredValue(plan.stage[row, position]), item)
            }
            let key = self[plan.references[number].entity].flatMap { $0.rows[$0.merged(target)].key }
            return (key ?? .null, item)
        }
        guard plan.stage.isGiven(row, position) else { return nil }
        return (StoredValue(plan.stage[row, position]), plan.rows[row].item)
    }

    /// The rows of stored records that say themselves whose they are, by their owners in the store.
    fileprivate func saying(at position: Int, of plan: EntityPlan) -> [StoredValue: [Int]] {
        var rows: [StoredValue: [Int]] = [:]
        for row in plan.rows.indices where plan.rows[row].mergedInto == nil && !plan.rows[row].isNamedOnly {
            guard let existing = plan.rows[row].existing, said(at: position, of: plan, row) != nil else { continue }
            rows[existing.value(at: position), default: []].append(row)
        }
        return rows
    }
}
