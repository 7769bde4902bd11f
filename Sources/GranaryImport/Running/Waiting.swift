import GranaryCore

/// What waits for the end of an import, by what it is about: what is said later of the same takes its place.
struct Waiting {
    private(set) var references: [ReferencePlace: (number: Int, reference: WaitingReference)] = [:]
    private(set) var lists: [ListPlace: (number: Int, lists: [WaitingList])] = [:]
    private(set) var unlisted: [ReferencePlace: (number: Int, unlisted: Unlisted)] = [:]
    /// How many members the lists have together.
    private(set) var memberCount = 0
    private var settled: [ListPlace] = []
    private var forgotten: [ReferencePlace] = []
    private var count = 0

    /// The records that wait for others.
    var owners: Set<RecordPlace> {
        Set(references.keys.map { RecordPlace(entity: $0.entity, key: $0.key) })
            .union(lists.keys.map { RecordPlace(entity: $0.entity, key: $0.key) })
    }

    /// What it takes in memory, about.
    var size: Int { memberCount * 128 + (references.count + unlisted.count) * 256 }

    var isEmpty: Bool { references.isEmpty && lists.isEmpty && unlisted.isEmpty }

    mutating func add(_ reference: WaitingReference) {
        count += 1
        references[reference.owner] = (count, reference)
    }

    /// Adds a list, before which others of the same owner may wait.
    mutating func add(_ list: WaitingList) {
        count += 1
        defer { memberCount += list.members.count }
        if list.rule.policy == .add, let earlier = lists[list.owner] {
            lists[list.owner] = (earlier.number, earlier.lists + [list])
        } else {
            forget(list.owner)
            lists[list.owner] = (count, [list])
        }
    }

    mutating func add(_ unlisted: Unlisted) {
        count += 1
        self.unlisted[unlisted.member] = (count, unlisted)
    }

    /// Nothing waits for the attribute any more, also of what came before.
    mutating func forget(_ place: ReferencePlace) {
        references[place] = nil
        unlisted[place] = nil
        forgotten.append(place)
    }

    /// Nothing waits for the list any more, also of what came before.
    mutating func forget(_ place: ListPlace) {
        remove(place)
        settled.append(place)
    }

    private mutating func remove(_ place: ListPlace) {
        guard let removed = lists.removeValue(forKey: place) else { return }
        for list in removed.lists { memberCount -= list.members.count }
    }

    /// Adds what came later.
    mutating func take(_ later: Waiting) {
        for place in later.settled { remove(place) }
        for place in later.forgotten {
            references[place] = nil
            unlisted[place] = nil
        }
        for (_, reference) in later.references.values.sorted(by: { $0.number < $1.number }) { add(reference) }
        for (_, lists) in later.lists.values.sorted(by: { $0.number < $1.number }) { for list in lists { add(list) } }
        for (_, unlisted) in later.unlisted.values.sorted(by: { $0.number < $1.number }) { add(unlisted) }
        settled = []
        forgotten = []
    }
}

/// A record of an entity.
struct RecordPlace: Hashable {
    /// The position of the record's entity.
    let entity: Int
    let key: StoredValue
}

/// An attribute of a record.
struct ReferencePlace: Hashable {
    /// The position of the record's entity.
    let entity: Int
    let key: StoredValue
    let position: Int
}

/// A to-many relationship of a record.
struct ListPlace: Hashable {
    /// The position of the record's entity.
    let entity: Int
    /// By its place among the entity's.
    let relationship: Int
    let key: StoredValue
}

/// A record by the values of attributes that tell which it is.
struct NamedRecord {
    let positions: [Int]
    let values: [StoredValue]
}

/// A reference that names a record which has not come yet.
struct WaitingReference {
    let owner: ReferencePlace
    /// The position of the target's entity.
    let target: Int
    let name: NamedRecord
    /// Whether it is kept in the store if the record does not come.
    let isKept: Bool
    let place: ImportPlace
}

/// A to-many relationship of which a member has not come yet.
struct WaitingList {
    let owner: ListPlace
    let target: Int
    let members: [NamedRecord]
    let rule: RelationshipRule
    let place: ImportPlace
}

/// A record that a list does not have any more, and that another one may list later.
struct Unlisted {
    let owner: ListPlace
    /// The attribute of it, or of the links to it, that the list is made of.
    let member: ReferencePlace
    /// Whether it is deleted, or only not related any more.
    let deletes: Bool
    let place: ImportPlace
}
