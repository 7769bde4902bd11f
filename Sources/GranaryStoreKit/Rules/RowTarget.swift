// A statement is checked completely before its first row is put: a statement that throws has changed nothing.

/// A write transaction over rows, in the form that the rules need.
///
/// A ``StoreWriter`` that is a `RowTarget` has `insert`, `update`, `delete`, `deferReferences` and `checkReferences` by
/// default. They check the rules of the schema, with the errors of every store, and call `put` for each row that
/// changes. For ``StoreFilling`` it has `append`, and `checkFilling(_:)` for use in `finishFilling`.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `deferred` | returns the value that was set last; empty at first; restored with a savepoint |
/// | `coordinator` | the ``Store/coordinator`` of the writer's store |
/// | `setLastAssignedKey` | ``StoreReader/lastAssignedKey(of:)`` returns the key from then on; restored with a savepoint |
/// | `put` | `row`, `forEachRow` and `keys` see the change when it returns; ``RowSource/version`` is increased; undone with a savepoint |
///
/// A store that records changes passes each change that it gets in `put` to ``RowChange/record(into:)``.
public protocol RowTarget: RowSource {
    /// Empty at first. Restored with a savepoint.
    var deferred: DeferredReferences { get set }
    /// Gives out the keys of this process.
    var coordinator: StoreCoordinator { get }
    /// Sets the greatest key that an entity with assigned keys has had, as ``StoreReader/lastAssignedKey(of:)`` returns
    /// it from then on. Undone with a savepoint.
    func setLastAssignedKey(_ key: Int64, of entity: Int) throws
    /// Applies the change, and increases ``RowSource/version``. If it throws, the transaction can only be ended.
    func put(_ change: RowChange) throws
}

/// The references of a write transaction that are checked later.
public struct DeferredReferences: Sendable {
    /// For each deferring part, the number of `rows` when it began.
    private var starts: [Int] = []
    private var rows: [(entity: Int, key: StoredValue)] = []

    public init() {}

    /// Whether references may dangle now.
    public var isActive: Bool { !starts.isEmpty }

    mutating func begin() { starts.append(rows.count) }

    mutating func note(_ change: RowChange) { note(change.key, of: change.entity) }

    mutating func note(_ key: StoredValue, of entity: Int) { rows.append((entity, key)) }

    /// The rows written since the innermost part began.
    var pending: ArraySlice<(entity: Int, key: StoredValue)> { rows[(starts.last ?? rows.count)...] }

    mutating func end() {
        starts.removeLast(min(1, starts.count))
        if starts.isEmpty { rows.removeAll() }
    }
}

extension StoreWriter where Self: RowTarget {
    public func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try check()
        let rules = try rules.rules(of: entity)
        var cells = try rules.cells(of: row)
        let last = try lastAssignedKey(of: entity)
        var made: Int64?
        if rules.needsKey(cells[rules.keyPosition]) {
            guard let key = coordinator.assignKey(of: entity, after: last) else {
                throw GranaryError.noKeyLeft(rules.entity)
            }
            made = key
            cells[rules.keyPosition] = .integer(key)
        }
        let new = rules.record(cells)
        try rules.checkValues(new, self.rules.limits)
        let change = RowChange(entity: entity, key: new.value(at: rules.keyPosition), old: nil, new: new)
        if try others.exists(change.key, of: entity) {
            throw GranaryError.notUnique(rules.entity, [rules.entity.key])
        }
        try checkAndPut(change)
        if rules.assignsKeys, case .integer(let key) = change.key, key > last {
            try setLastAssignedKey(key, of: entity)
            if made == nil { coordinator.noteAssignedKey(key, of: entity) }
        }
        return made
    }

    public func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        try check()
        let rules = try rules.rules(of: entity)
        let cells = try rules.cells(of: row)
        try rules.checkKey(cells[rules.keyPosition])
        let key = StoredValue(cells[rules.keyPosition])
        guard let old = try self.row(key, of: entity) else { return false }
        let new = rules.record(cells)
        try rules.checkValues(new, self.rules.limits)
        if !new.isSame(as: old) { try checkAndPut(RowChange(entity: entity, key: key, old: old, new: new)) }
        return true
    }

    public func delete(_ key: Cell, from entity: Int) throws -> Bool {
        try check()
        try rules.rules(of: entity).checkKey(key)
        let changes = try deletion(of: [StoredValue(key)], from: entity)
        for change in changes { try put(change) }
        return !changes.isEmpty
    }

    // All rows together: rows that deny each other's deletion may be deleted at once.
    public func deleteAll(_ request: FetchRequest) throws -> Int {
        try check()
        let keyPosition = try rules.rules(of: request.entity).keyPosition
        var keys: [StoredValue] = []
        let rows = try rows(request)
        while let row = try rows.next() { keys.append(StoredValue(row[keyPosition])) }
        for change in try deletion(of: keys, from: request.entity) { try put(change) }
        return keys.count
    }

    public func deferReferences() throws {
        try check()
        deferred.begin()
    }

    public func checkReferences() throws {
        try check()
        for (entity, key) in deferred.pending {
            // The row may have been deleted since.
            guard let row = try row(key, of: entity) else { continue }
            let rules = try rules.rules(of: entity)
            try rules.checkReferences(of: row, key, at: rules.references, among: others)
        }
        deferred.end()
    }
}

extension RowTarget {
    var others: OtherRows<Self> { OtherRows(target: self) }

    /// Checks the rules between a row and others, and puts the row.
    fileprivate func checkAndPut(_ change: RowChange) throws {
        if let new = change.new {
            let rules = try rules.rules(of: change.entity)
            try rules.checkUnique(new, change.key, replacing: change.old, among: others)
            if !deferred.isActive {
                let changed = rules.changedReferences(of: new, replacing: change.old)
                try rules.checkReferences(of: new, change.key, at: changed, among: others)
            }
        }
        try put(change)
        if deferred.isActive { deferred.note(change) }
    }

    /// The whole effect of deleting rows. Keys without a row are ignored.
    ///
    /// - Throws: `deniedDeletion`.
    fileprivate func deletion(of keys: [StoredValue], from entity: Int) throws -> [RowChange] {
        var deletion = PlacedDeletion()
        for key in keys where try row(key, of: entity) != nil {
            deletion.doom(RecordChange.Place(entity: entity, key: key))
        }
        try deletion.follow(rules.entities, among: others)
        func change(_ number: Int, _ make: (StoredRow) -> StoredRow?) throws -> RowChange? {
            let place = deletion.places[number]
            return try row(place.key, of: place.entity).map {
                RowChange(entity: place.entity, key: place.key, old: $0, new: make($0))
            }
        }
        let nullified = try deletion.work.nullified.compactMap { record, positions in
            try change(record) { $0.setting(positions.map { Assignment(position: $0, value: .null) }) }
        }
        return try nullified + deletion.work.doomed.compactMap { try change($0) { _ in nil } }
    }
}

/// The rows of a store, in the form for the rules.
struct OtherRows<Target: RowTarget>: OtherRecords {
    let target: Target

    func exists(_ key: StoredValue, of entity: Int) throws -> Bool { try target.row(key, of: entity) != nil }

    func isHeld(
        _ value: StoredValue, _ number: Int, of entity: Int, besides key: StoredValue, _ row: StoredRow
    ) throws -> Bool {
        try target.keys(holding: value, number, of: entity).contains { $0 != key }
    }

    func referrers(to keys: [StoredValue], _ reference: ReferenceMap.Incoming) throws -> [RecordChange.Place] {
        let lookup = try target.rules.rules(of: reference.entity).lookup(ofReferenceAt: reference.position)
        return try keys.flatMap { key in
            try target.check()
            return try target.keys(holding: key, lookup, of: reference.entity).map {
                RecordChange.Place(entity: reference.entity, key: $0)
            }
        }
    }
}
