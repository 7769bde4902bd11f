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
        case query(AnyRequest)
    }

    let entity: Int
    let identity: Int
    let parts: [Part]
}

extension Staging {
    /// Gives an attribute that tells which record an object is the key of a row's record. Returns what is open if the key is
    /// not known.
    mutating func identify(_ object: SourceObject, by reference: OpenReference) -> OpenReference? {
        guard let targetPlan = plans[reference.entity] else { return nil }
        let target = targetPlan.merged(reference.row)
        let known =
            targetPlan.rows[target].key
            ?? targetPlan.name(of: target).flatMap { key(of: SoughtRecord(entity: targetPlan.position, name: $0)) }
        guard let key = known else {
            return OpenReference(position: reference.position, entity: reference.entity, row: target)
        }
        object.plan.stage.give(stored: key, object.row, reference.position)
        return nil
    }

    /// The key of a record, if it was looked up and exists. A record that was not looked up is asked for.
    private mutating func key(of record: SoughtRecord) -> StoredValue? {
        if let key = known[record] { return key }
        batch.asked.append(record)
        return nil
    }

    /// The identities that an object has but for the keys of open references.
    func openIdentities(of object: SourceObject, _ open: [OpenReference]) -> [OpenIdentity] {
        let (plan, row) = (object.plan, object.row)
        return plan.identities.enumerated().compactMap { identity, positions in
            var isOpen = false
            var parts: [OpenIdentity.Part] = []
            for position in positions {
                if let reference = open.last(where: { $0.position == position }) {
                    isOpen = true
                    parts.append(.row(entity: reference.entity, row: reference.row))
                } else if let value = plan.values(of: [position], row)?.first {
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
            guard let plan = plans[reference.entity], let name = plan.name(of: reference.row) else {
                // It may get a name by what is looked up now.
                return batch.asked.isEmpty
            }
            return known.has(SoughtRecord(entity: reference.entity, name: name))
        }
    }
}
