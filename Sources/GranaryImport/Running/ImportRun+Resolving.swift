import GranaryCore

// Which record an object is may be told by a reference among others: the song "Fire" of the album that the source calls "Axis".
// The key of that album must be known first. The objects of a batch are staged, the records that they name so are looked up
// together, and the objects are staged again with the keys that were found.
//
// What names a record that does not exist is a new record, as nothing refers to a record that does not exist; two objects of a
// batch that say the same are one. It is held until the record comes that it refers to.

/// A reference that tells, among others, which record an object is, and whose record has a name but no key so far.
struct OpenReference {
    /// The attribute of the object's record.
    let position: Int
    /// The position of the target's entity, and the target's row.
    let entity: Int
    let row: Int
}

/// An identity of which a reference is open: two objects with the same one are one record.
struct OpenIdentity: Hashable {
    enum Part: Hashable {
        case value(StoredValue)
        case row(entity: Int, row: Int)
    }

    let entity: Int
    let identity: Int
    let parts: [Part]
}

/// The records of a batch that are looked up by their names before the others.
struct OpenNames {
    private var found: [[Int]: [[StoredValue]: StoredValue?]] = [:]
    private(set) var asked: [(entity: Int, name: NamedRecord)] = []
    /// Those that were looked up and do not exist.
    private var missing: [(entity: Int, name: NamedRecord)] = []
    /// Rows by what they are known by so far.
    var rows: [OpenIdentity: Int] = [:]
    /// Whether an object is only named by what is looked up, so that the batch is staged again in any case.
    var isNeeded = false

    /// Whether a record was looked up.
    func wasLookedUp(_ entity: Int, _ name: NamedRecord) -> Bool {
        found[[entity] + name.positions]?[name.values] != nil
    }

    /// The key of a record, if it was looked up and exists; asks for it otherwise.
    mutating func key(_ entity: Int, _ name: NamedRecord) -> StoredValue? {
        if let known = found[[entity] + name.positions]?[name.values] { return known }
        asked.append((entity, name))
        return nil
    }

    mutating func note(_ keys: [StoredValue?]) {
        for ((entity, name), key) in zip(asked, keys) {
            found[[entity] + name.positions, default: [:]].updateValue(key, forKey: name.values)
            if key == nil { missing.append((entity, name)) }
        }
        asked = []
    }

    /// Notes which of the missing records have got a key in the batch. Returns whether any has.
    mutating func note(_ key: (_ entity: Int, _ name: NamedRecord) -> StoredValue?) -> Bool {
        let count = missing.count
        var rest: [(entity: Int, name: NamedRecord)] = []
        for (entity, name) in missing {
            if let key = key(entity, name) {
                found[[entity] + name.positions, default: [:]].updateValue(key, forKey: name.values)
            } else {
                rest.append((entity, name))
            }
        }
        missing = rest
        return missing.count < count
    }

    /// Forgets what belongs to the rows of the batch.
    mutating func clearRows() {
        rows = [:]
        asked = []
        isNeeded = false
    }
}

extension ImportRun {
    /// Gives an attribute that tells which record an object is the key of a row's record. Returns what is open if the key is
    /// not known.
    func identify(
        _ position: Int, of row: Int, _ plan: EntityPlan, by target: Int, _ targetPlan: EntityPlan
    ) -> OpenReference? {
        let target = targetPlan.merged(target)
        let key =
            targetPlan.rows[target].key
            ?? named(target, targetPlan).flatMap { batch.openNames.key(targetPlan.position, $0) }
        guard let key else { return OpenReference(position: position, entity: targetPlan.position, row: target) }
        plan.stage.give(stored: key, row, position)
        return nil
    }

    /// The identities that a row has but for the keys of open references.
    func openIdentities(of row: Int, _ plan: EntityPlan, _ open: [OpenReference]) -> [OpenIdentity] {
        plan.identities.enumerated().compactMap { identity, positions in
            var isOpen = false
            var parts: [OpenIdentity.Part] = []
            for position in positions {
                if let reference = open.last(where: { $0.position == position }) {
                    isOpen = true
                    parts.append(.row(entity: reference.entity, row: reference.row))
                } else if let value = values(of: [position], plan, row)?.first {
                    parts.append(.value(value))
                } else {
                    return nil
                }
            }
            return isOpen ? OpenIdentity(entity: plan.position, identity: identity, parts: parts) : nil
        }
    }

    /// Whether the records of open references were looked up, and do not exist.
    func areMissing(_ open: [OpenReference]) -> Bool {
        open.allSatisfy { reference in
            guard let plan = plans[reference.entity], let name = named(reference.row, plan) else {
                // It may get a name by what is looked up now.
                return batch.openNames.asked.isEmpty
            }
            return batch.openNames.wasLookedUp(reference.entity, name)
        }
    }

    /// Looks up the records that the batch has asked for. Returns whether it is to be staged again.
    func lookUpOpenNames(in context: Context) throws -> Bool {
        guard !batch.openNames.asked.isEmpty else { return false }
        let keys = try find(batch.openNames.asked, in: context)
        batch.openNames.note(keys)
        return batch.openNames.isNeeded || keys.contains { $0 != nil }
    }

    /// Notes the keys of records that were named before an object of the batch told them. Returns whether it is to be staged
    /// again: the objects that name them may be in the store.
    func noteOpenKeys() -> Bool {
        let plans = plans
        return batch.openNames.note { entity, name in
            guard let plan = plans[entity], let identity = plan.identities.firstIndex(of: name.positions),
                let row = plan.tables[identity][name.values].map(plan.merged)
            else { return nil }
            return plan.rows[row].key
        }
    }
}
