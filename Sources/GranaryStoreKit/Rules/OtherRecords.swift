// The rows of a store and the pending changes of a context follow the same rules. Each of them answers three questions
// about its records. The questions, their order and the consequences of the answers are written here.

/// The questions of the rules about other records when a record is written or deleted.
package protocol OtherRecords {
    /// Whether a record with this key exists.
    func exists(_ key: StoredValue, of entity: Int) throws -> Bool
    /// Whether a record with another key than `key` holds a value of a unique index.
    ///
    /// - Parameters:
    ///   - number: The index in the entity's ``EntityRules/uniques``.
    ///   - row: The record that holds the value and has the key.
    func isHeld(
        _ value: StoredValue, _ number: Int, of entity: Int, besides key: StoredValue, _ row: StoredRow
    ) throws -> Bool
    /// The records whose reference holds one of these keys.
    func referrers(to keys: [StoredValue], _ reference: ReferenceMap.Incoming) throws -> [RecordChange.Place]
}

extension EntityRules {
    /// - Parameters:
    ///   - key: The key of `row`.
    ///   - old: The record that `row` replaces. Indexes in which both have the same value are not checked.
    /// - Throws: `uniqueness` if another record has the values of a unique index.
    package func checkUnique(
        _ row: StoredRow, _ key: StoredValue, replacing old: StoredRow?, among records: some OtherRecords
    ) throws {
        for (number, unique) in uniques.enumerated() {
            if let old, unique.values.agree(old, row) { continue }
            guard let value = unique.values.value(of: row) else { continue }
            if try records.isHeld(value, number, of: self.number, besides: key, row) {
                throw GranaryError.notUnique(entity, unique.attributes)
            }
        }
    }

    /// The references to check when `row` replaces `old`, or is inserted. Unchanged references are not included: in a
    /// context, others may have deleted their records.
    package func changedReferences(of row: StoredRow, replacing old: StoredRow?) -> AttributeSet {
        guard let old else { return references }
        return AttributeSet(outgoing.lazy.map(\.position).filter { !areSame(old[$0], row[$0]) })
    }

    /// - Throws: `danglingReference` if one of these references names a record that does not exist.
    package func checkReferences(
        of row: StoredRow, _ key: StoredValue, at positions: AttributeSet, among records: some OtherRecords
    ) throws {
        if let position = try danglingReference(of: row, key, at: positions, among: records) {
            throw GranaryError.dangling(entity, position)
        }
    }

    /// The first of these references whose record does not exist. A record may refer to itself.
    package func danglingReference(
        of row: StoredRow, _ key: StoredValue, at positions: AttributeSet, among records: some OtherRecords
    ) throws -> Int? {
        for reference in outgoing where positions.contains(reference.position) {
            if row[reference.position].isNull { continue }
            let target = row.value(at: reference.position)
            if reference.target == number && target == key { continue }
            guard try records.exists(target, of: reference.target) else { return reference.position }
        }
        return nil
    }
}

extension PlacedDeletion {
    /// The number of records of one entity that are looked up together.
    package static let together = 500

    /// Computes the whole effect of deleting the records named so far.
    ///
    /// - Parameter rules: The rules of each entity, by position.
    /// - Throws: `deniedDeletion`.
    package mutating func follow(_ rules: [EntityRules], among records: some OtherRecords) throws {
        var next = 0
        while next < work.doomed.count {
            let (entity, keys) = alike(from: next, limit: PlacedDeletion.together)
            next += keys.count
            for incoming in rules[entity].incoming {
                for referrer in try records.referrers(to: keys, incoming) { note(referrer, incoming) }
            }
        }
        if let denial = work.denial {
            throw GranaryError.denied(by: rules[denial.entity].entity, denial.position)
        }
    }
}
