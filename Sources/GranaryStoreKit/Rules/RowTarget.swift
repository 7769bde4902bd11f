// A statement is checked whole before its first row is put: what throws has changed nothing.

/// A write transaction over rows, as the rules ask for it.
///
/// A ``StoreWriter`` that is a `RowTarget` has `insert`, `update`, `delete`, `deferReferences` and `checkReferences` by
/// default. They check the rules of the schema, with the errors of every store, and call `put` for each row that changes. Of
/// ``StoreFilling`` it has `append`, and ``checkFilling(_:)`` for `finishFilling`.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `deferred` | gives what was set last; empty at first; goes back with a savepoint |
/// | `coordinator` | the ``Store/coordinator`` of the writer's store |
/// | `setLastAssignedKey` | ``StoreReader/lastAssignedKey(of:)`` gives the key from here on; goes back with a savepoint |
/// | `put` | `row`, `forEachRow` and `keys` see the change when it returns; ``RowSource/version`` is greater; goes back with a savepoint |
///
/// A store that records changes passes each change that is put to ``RowChange/record(into:)``.
public protocol RowTarget: RowSource {
    /// Empty at first. Goes back with a savepoint.
    var deferred: DeferredReferences { get set }
    /// The keys that this process gives out.
    var coordinator: StoreCoordinator { get }
    /// The greatest key an entity with assigned keys has had, as ``StoreReader/lastAssignedKey(of:)`` says from here on. Goes
    /// back with a savepoint.
    func setLastAssignedKey(_ key: Int64, of entity: Int) throws
    /// Makes a row what it becomes, and ``RowSource/version`` greater. If it throws, the transaction can only be ended.
    func put(_ change: RowChange) throws
}

/// The references of a write transaction that are checked later.
public struct DeferredReferences: Sendable {
    /// Where in `rows` each part that defers began.
    private var starts: [Int] = []
    private var rows: [(entity: Int, key: StoredValue)] = []

    public init() {}

    /// Whether references may dangle now.
    public var isActive: Bool { !starts.isEmpty }

    mutating func begin() { starts.append(rows.count) }

    mutating func note(_ change: RowChange) { rows.append((change.entity, change.key)) }

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
        if try self.row(change.key, of: entity) != nil {
            throw GranaryError.notUnique(rules.entity, [rules.entity.key])
        }
        try checkAndPut([change])
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
        if !new.isSame(as: old) { try checkAndPut([RowChange(entity: entity, key: key, old: old, new: new)]) }
        return true
    }

    public func delete(_ key: Cell, from entity: Int) throws -> Bool {
        try check()
        try rules.rules(of: entity).checkKey(key)
        let changes = try deletion(of: [StoredValue(key)], from: entity)
        for change in changes { try put(change) }
        return !changes.isEmpty
    }

    // All together: rows that deny each other's deletion may go at once.
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
            try checkReferences(RowChange(entity: entity, key: key, old: nil, new: row))
        }
        deferred.end()
    }
}

extension RowTarget {
    /// Checks what a row shares with others, and puts it.
    fileprivate func checkAndPut(_ changes: [RowChange]) throws {
        for change in changes {
            try checkUnique(change)
            if !deferred.isActive { try checkReferences(change) }
        }
        for change in changes {
            try put(change)
            if deferred.isActive { deferred.note(change) }
        }
    }

    private func checkUnique(_ change: RowChange) throws {
        guard let new = change.new else { return }
        let rules = try rules.rules(of: change.entity)
        for (number, unique) in rules.uniques.enumerated() {
            if let old = change.old, unique.values.agree(old, new) { continue }
            guard let value = unique.values.value(of: new) else { continue }
            if try keys(holding: value, number, of: change.entity).contains(where: { $0 != change.key }) {
                throw GranaryError.notUnique(rules.entity, unique.attributes)
            }
        }
    }

    /// References that stay as they were are not looked at.
    fileprivate func checkReferences(_ change: RowChange) throws {
        guard let new = change.new else { return }
        let rules = try rules.rules(of: change.entity)
        for reference in rules.outgoing {
            let cell = new[reference.position]
            if cell.isNull { continue }
            if let old = change.old, areSame(old[reference.position], cell) { continue }
            let target = StoredValue(cell)
            // A row may refer to itself.
            if reference.target == change.entity && target == change.key { continue }
            guard try row(target, of: reference.target) != nil else {
                throw GranaryError.dangling(rules.entity, reference.position)
            }
        }
    }

    /// All that the deletion of rows does. Keys without a row are left out.
    ///
    /// - Throws: `deniedDeletion`.
    fileprivate func deletion(of keys: [StoredValue], from entity: Int) throws -> [RowChange] {
        var deletion = PlacedDeletion()
        for key in keys where try row(key, of: entity) != nil {
            deletion.doom(RecordChange.Place(entity: entity, key: key))
        }
        var next = 0
        while next < deletion.work.doomed.count {
            let place = deletion.places[deletion.work.doomed[next]]
            next += 1
            if next & 255 == 0 { try check() }
            for incoming in try rules.rules(of: place.entity).incoming {
                let lookup = try rules.rules(of: incoming.entity).lookup(ofReferenceAt: incoming.position)
                for key in try self.keys(holding: place.key, lookup, of: incoming.entity) {
                    deletion.note(RecordChange.Place(entity: incoming.entity, key: key), incoming)
                }
            }
        }
        if let denial = deletion.work.denial {
            throw GranaryError.denied(by: rules.schema.entities[denial.entity], denial.position)
        }
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
