import GranaryCore

/// What waits for the end of an import, by what it is about: what is said later of the same takes its place.
///
/// It may be most of what an import has in memory, so its entries are small, and ``size`` tells what they take.
struct Waiting {
    /// A reference without its place, which it is found by.
    struct Target {
        fileprivate let order: UInt32
        fileprivate let target: Int32
        fileprivate let positions: [Int]
        /// The first of the values that name the record, which mostly is the only one.
        fileprivate let first: StoredValue
        fileprivate let isKept: Bool
        fileprivate let rest: [StoredValue]
        let place: ImportPlace

        fileprivate init(_ reference: WaitingReference, _ number: Int) {
            order = UInt32(truncatingIfNeeded: number)
            target = Int32(truncatingIfNeeded: reference.target)
            positions = reference.name.positions
            first = reference.name.values.first ?? .null
            rest = Array(reference.name.values.dropFirst())
            isKept = reference.isKept
            place = reference.place
        }

        var number: Int { Int(order) }
        var entity: Int { Int(target) }
        fileprivate var digest: Int { SoughtRecord(entity: entity, name: name).hashValue }
        var name: NamedRecord { NamedRecord(positions: positions, values: [first] + rest) }
    }

    private(set) var references: [ReferencePlace: Target] = [:]
    /// The first reference that waits for a record, by a digest of the record's name, and the others. They may also be some that
    /// wait no more, or for other records.
    private var awaited: [Int: ReferencePlace] = [:]
    private var moreAwaited: [Int: [ReferencePlace]] = [:]
    private var moreCount = 0
    /// How many of them wait no more, or are listed twice. The lists are made again when these are most.
    private var staleCount = 0
    /// By what the awaited records of each entity are named.
    private var awaitedNames: [Int: Set<[Int]>] = [:]
    private(set) var lists: [ListPlace: (number: Int, lists: [WaitingList])] = [:]
    private(set) var unlisted: [ReferencePlace: (number: Int, unlisted: Unlisted)] = [:]
    /// Relationships whose hooks are called at the end.
    private(set) var hooks: [ImportedRelationship] = []
    /// How many bytes the entries take outside of the tables.
    private var bytesOutside = 0
    private var settled: [ListPlace] = []
    private var forgotten: [ReferencePlace] = []
    private var count = 0

    /// The references in the order in which they came.
    var referencesInOrder: [WaitingReference] {
        references.sorted { $0.value.number < $1.value.number }.map { WaitingReference($0.key, $0.value) }
    }

    /// How many bytes of memory it takes, about.
    var size: Int {
        references.tableSize + awaited.tableSize + moreAwaited.tableSize + lists.tableSize + unlisted.tableSize
            + bytesOutside
    }

    var isEmpty: Bool { references.isEmpty && lists.isEmpty && unlisted.isEmpty && hooks.isEmpty }

    mutating func add(_ reference: WaitingReference) {
        count += 1
        remove(reference.owner)
        bytesOutside += reference.bytesOutside
        references[reference.owner] = Target(reference, count)
        awaitedNames[reference.target, default: []].insert(reference.name.positions)
        list(reference.owner, SoughtRecord(entity: reference.target, name: reference.name).hashValue)
        guard staleCount > references.count + 1_000 else { return }
        (awaited, moreAwaited, staleCount) = ([:], [:], 0)
        bytesOutside -= moreCount * MemoryLayout<ReferencePlace>.stride
        moreCount = 0
        for (place, target) in references { list(place, target.digest) }
    }

    /// Lists a reference with those that wait for the same record.
    private mutating func list(_ place: ReferencePlace, _ digest: Int) {
        guard let first = awaited[digest], first != place else {
            awaited[digest] = place
            return
        }
        moreAwaited[digest, default: []].append(place)
        moreCount += 1
        bytesOutside += MemoryLayout<ReferencePlace>.stride
    }

    /// By what the records of an entity are named that references wait for; empty if none waits.
    func names(ofAwaited entity: Int) -> Set<[Int]> { awaited.isEmpty ? [] : awaitedNames[entity] ?? [] }

    /// The references that wait for a record.
    func references(to entity: Int, _ name: NamedRecord) -> [(number: Int, reference: WaitingReference)] {
        let digest = SoughtRecord(entity: entity, name: name).hashValue
        guard let first = awaited[digest] else { return [] }
        return Set([first] + (moreAwaited[digest] ?? [])).compactMap { place in
            guard let target = references[place], target.entity == entity, target.name == name else { return nil }
            return (target.number, WaitingReference(place, target))
        }
    }

    /// Ends what waits for a record, because it has come.
    mutating func end(_ entity: Int, _ name: NamedRecord) {
        let ended = references(to: entity, name)
        let digest = SoughtRecord(entity: entity, name: name).hashValue
        let first = awaited.removeValue(forKey: digest)
        let more = moreAwaited.removeValue(forKey: digest) ?? []
        moreCount -= more.count
        bytesOutside -= more.count * MemoryLayout<ReferencePlace>.stride
        for (_, reference) in ended {
            remove(reference.owner)
            staleCount -= 1
        }
        // A record of another name with the same digest is still waited for.
        for place in [first].compactMap({ $0 }) + more where references[place]?.digest == digest {
            list(place, digest)
        }
    }

    /// Adds a list, before which others of the same owner may wait.
    mutating func add(_ list: WaitingList) {
        count += 1
        defer { bytesOutside += list.bytesOutside }
        if list.rule.policy == .add, let earlier = lists[list.owner] {
            lists[list.owner] = (earlier.number, earlier.lists + [list])
        } else {
            forget(list.owner)
            lists[list.owner] = (count, [list])
        }
    }

    mutating func add(_ unlisted: Unlisted) {
        count += 1
        removeUnlisted(unlisted.member)
        bytesOutside += unlisted.bytesOutside
        self.unlisted[unlisted.member] = (count, unlisted)
    }

    mutating func add(_ hook: ImportedRelationship) {
        bytesOutside += hook.size
        hooks.append(hook)
    }

    /// Nothing waits for the attribute any more, also of what came before.
    mutating func forget(_ place: ReferencePlace) {
        remove(place)
        removeUnlisted(place)
        forgotten.append(place)
    }

    /// Nothing waits for the list any more, also of what came before.
    mutating func forget(_ place: ListPlace) {
        remove(place)
        settled.append(place)
    }

    private mutating func remove(_ place: ReferencePlace) {
        guard let removed = references.removeValue(forKey: place) else { return }
        bytesOutside -= WaitingReference(place, removed).bytesOutside
        let digest = removed.digest
        if awaited[digest] == place, moreAwaited[digest] == nil {
            awaited[digest] = nil
        } else {
            staleCount += 1
        }
    }

    private mutating func removeUnlisted(_ place: ReferencePlace) {
        guard let removed = unlisted.removeValue(forKey: place) else { return }
        bytesOutside -= removed.unlisted.bytesOutside
    }

    private mutating func remove(_ place: ListPlace) {
        guard let removed = lists.removeValue(forKey: place) else { return }
        for list in removed.lists { bytesOutside -= list.bytesOutside }
    }

    /// Adds what came later.
    mutating func take(_ later: Waiting) {
        for place in later.settled { remove(place) }
        for place in later.forgotten {
            remove(place)
            removeUnlisted(place)
        }
        for reference in later.referencesInOrder { add(reference) }
        for (_, lists) in later.lists.values.sorted(by: { $0.number < $1.number }) { for list in lists { add(list) } }
        for (_, unlisted) in later.unlisted.values.sorted(by: { $0.number < $1.number }) { add(unlisted) }
        for hook in later.hooks { add(hook) }
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

/// An attribute of a record. An import may keep many, so it is small.
struct ReferencePlace: Hashable {
    private let entityNumber: Int32
    private let positionNumber: Int32
    let key: StoredValue

    init(entity: Int, key: StoredValue, position: Int) {
        entityNumber = Int32(truncatingIfNeeded: entity)
        positionNumber = Int32(truncatingIfNeeded: position)
        self.key = key
    }

    /// The position of the record's entity.
    var entity: Int { Int(entityNumber) }
    var position: Int { Int(positionNumber) }
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
struct NamedRecord: Hashable {
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

extension WaitingReference {
    init(_ owner: ReferencePlace, _ target: Waiting.Target) {
        self.init(
            owner: owner, target: target.entity, name: target.name, isKept: target.isKept, place: target.place)
    }
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
