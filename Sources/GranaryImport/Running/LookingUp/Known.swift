import GranaryCore

/// A record of an entity by the values of attributes that tell which it is.
struct SoughtRecord: Hashable {
    /// The position of the record's entity.
    let entity: Int
    let name: NamedRecord
}

/// The keys of records that were looked up by what names them, before the objects of a batch that they tell are known.
///
/// Staging takes it, and returns which other records it asks for: these are looked up, and the objects are staged again.
struct Known {
    /// Nil of a record that does not exist.
    private var keys: [SoughtRecord: StoredValue?] = [:]
    private var missing: [SoughtRecord] = []

    /// Whether a record was looked up.
    func has(_ record: SoughtRecord) -> Bool { keys[record] != nil }

    /// The key of a record, which is nil if the record does not exist. The result itself is nil if it was not looked up.
    subscript(record: SoughtRecord) -> StoredValue?? { keys[record] }

    /// Notes the keys of records that were looked up.
    mutating func note(_ found: [StoredValue?], of records: [SoughtRecord]) {
        for (record, key) in zip(records, found) {
            keys.updateValue(key, forKey: record)
            if key == nil { missing.append(record) }
        }
    }

    /// Notes the keys of records that did not exist and are brought by the batch: they were named before an object of it told
    /// them. Returns whether there are any.
    mutating func note(broughtBy plans: EntityPlans) -> Bool {
        let count = missing.count
        missing.removeAll { record in
            guard let plan = plans[record.entity], let row = plan.row(of: record.name), let key = plan.rows[row].key
            else { return false }
            keys.updateValue(key, forKey: record)
            return true
        }
        return missing.count < count
    }
}
