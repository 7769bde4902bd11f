import GranaryPlatform

/// The keys of the records of one type that meet a condition, as of the last change that an ``EntityMonitor`` reported.
final class MonitoredMembers<R: Record>: Sendable {
    private let condition: Condition<R>?
    private let entity: Int
    private let key: String
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var members: Set<StoredValue> = []
    /// The number of the state that was read first.
    nonisolated(unsafe) private var start: UInt64 = 0

    init(_ schema: Schema, _ condition: Condition<R>?) throws {
        self.condition = condition
        entity = try schema.position(ofEntity: R.entityName)
        key = schema.entities[entity].key
    }

    /// Reads the keys.
    func begin(_ snapshot: Snapshot) throws {
        let keys = try allKeys(snapshot)
        lock.withLock {
            start = snapshot.transactionNumber
            members = keys
        }
    }

    private func allKeys(_ snapshot: Snapshot) throws -> Set<StoredValue> {
        guard let condition else { return [] }
        return try memberKeys(condition.untyped, snapshot)
    }

    private func memberKeys(_ condition: AnyCondition, _ snapshot: Snapshot) throws -> Set<StoredValue> {
        let query = Request(R.entityName).where(condition).select([.attribute(key)])
        return Set(try query.fetch(in: snapshot).compactMap(\.first))
    }

    /// The effect of a change set on the records.
    func changes(_ set: ChangeSet, _ snapshot: Snapshot) throws -> EntityChanges<R> {
        var found = EntityChanges<R>(origin: set.origin)
        // Commits before the keys were read are included in them.
        if set.transactionNumber <= lock.withLock({ start }) { return found }
        guard let changes = set.changes(of: entity) else {
            found.isUnknown = true
            let keys = try allKeys(snapshot)
            lock.withLock { members = keys }
            return found
        }
        let living = changes.filter { $0.kind != .deleted }.map(\.key)
        let now = try records(living, snapshot)
        let gone = try gone(living.filter { now[$0] == nil }, snapshot)
        try lock.withLock {
            for change in changes {
                if gone.contains(change.key) {
                    // Membership stays as it was, because the commit with the deletion comes later.
                    found.gone.append(try R.Key(stored: change.key))
                } else {
                    try sort(change, now[change.key], into: &found)
                }
            }
        }
        return found
    }

    /// The keys that no record has now.
    private func gone(_ keys: [StoredValue], _ snapshot: Snapshot) throws -> Set<StoredValue> {
        guard condition != nil, !keys.isEmpty else { return Set(keys) }
        var gone = Set(keys)
        for part in keys.chunks() {
            gone.subtract(try memberKeys(.among(key, part), snapshot))
        }
        return gone
    }

    private func sort(_ change: RecordChange, _ record: R?, into found: inout EntityChanges<R>) throws {
        let wasMember = condition == nil || members.contains(change.key)
        switch (change.kind, record) {
        case (.inserted, let record?):
            found.inserted.append(record)
            if condition != nil { members.insert(change.key) }
        case (.inserted, nil): break
        case (.updated, let record?):
            if wasMember { found.updated.append(record) } else { found.began.append(record) }
            if condition != nil { members.insert(change.key) }
        case (.updated, nil):
            guard wasMember else { break }
            found.ceased.append(try R.Key(stored: change.key))
            members.remove(change.key)
        case (.deleted, _):
            if wasMember { found.deleted.append(try R.Key(stored: change.key)) }
            members.remove(change.key)
        }
    }

    /// The records with these keys that meet the condition now.
    private func records(_ keys: [StoredValue], _ snapshot: Snapshot) throws -> [StoredValue: R] {
        var found: [StoredValue: R] = [:]
        for part in keys.chunks() {
            var query = R.all.where(.among(key, part))
            if let condition { query = query.where(condition) }
            try query.forEach(in: snapshot) { record in
                let key = try StoredValue(encoding: record.id)
                found[key] = record
            }
        }
        return found
    }
}
