import ConformanceKit
import GranaryCore

final class BrokenWriter: BrokenReader, StoreWriter {
    let base: any StoreWriter
    private let scratch = LentRow()
    /// Whether the last statement has a savepoint of its own, to be dropped at the commit.
    private var isLastApart = false
    /// Nil if the transaction does not fill the store.
    var filling: BrokenFilling?
    /// Nil if nothing is noted, or the fault does not change what is noted.
    var recording: BrokenRecording?

    init(_ base: any StoreWriter, _ store: BrokenStore) {
        self.base = base
        super.init(base, store)
    }

    private func statement<T>(_ body: () throws -> T) throws -> T {
        guard fault == .dropsLastWrite else { return try body() }
        try joinLast()
        try base.beginSavepoint()
        isLastApart = true
        return try body()
    }

    private func joinLast() throws {
        if isLastApart { try base.releaseSavepoint() }
        isLastApart = false
    }

    /// The row as the store keeps it.
    private func kept(_ values: [StoredValue]) -> [StoredValue] {
        guard fault == .cutsTextAtNUL else { return values }
        return values.map { value in
            guard case .text(let bytes) = value, let end = bytes.firstIndex(of: 0) else { return value }
            return .text(Array(bytes[..<end]))
        }
    }

    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        var values = kept(row.values)
        if fault == .nilIsUnique { try refuseNil(values, entity) }
        var assigned: Int64?
        let described = store.schema.entities[entity]
        if forgetsKeys, described.keyGeneration == .assigned,
            values[described.keyPosition] == .integer(0)
        {
            let last = FetchRequest(
                entity: entity, order: [.init(position: described.keyPosition, isDescending: true)], limit: 1)
            let largest = try base.rows(last).all().first?[described.keyPosition]
            if case .integer(let key) = largest ?? .integer(0) { assigned = key + 1 }
            values[described.keyPosition] = .integer(assigned ?? 1)
        }
        return try statement {
            if fault == .insertReplaces { return try base.upsert(scratch.lend(values), into: entity) }
            return try base.insert(scratch.lend(values), into: entity) ?? assigned
        }
    }

    /// Whether the greatest key that was assigned is forgotten.
    private var forgetsKeys: Bool {
        switch fault {
        case .assignsKeysAgain: true
        case .migrationForgetsKeys: store.isMigrated
        case .resetAssignsKeysAgain, .compactingForgetsKeys: store.isFilled
        default: false
        }
    }

    private func refuseNil(_ values: [StoredValue], _ entity: Int) throws {
        for index in store.schema.entities[entity].indexes where index.isUnique && index.attributes.count == 1 {
            let position = try store.schema.entities[entity].position(ofAttribute: index.attributes[0])
            let isNil = ResolvedCondition.compare(position: position, .equal, .null)
            if try values[position] == .null && base.count(FetchRequest(entity: entity, condition: isNil)) > 0 {
                throw GranaryError(.uniqueness, "There is a nil already.", attributes: index.attributes)
            }
        }
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        let values = kept(row.values)
        return try statement {
            if try base.update(scratch.lend(values), in: entity) { return true }
            if fault == .updateInserts {
                _ = try base.insert(scratch.lend(values), into: entity)
                return true
            }
            return false
        }
    }

    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        let values = kept(row.values)
        return try statement { try base.upsert(scratch.lend(values), into: entity) }
    }

    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        if recording != nil { recording?.deleted.insert(RecordChange.Place(entity: entity, key: StoredValue(key))) }
        if fault == .losesDeletes { return try base.find(key, in: entity) != nil }
        return try statement { try base.delete(key, from: entity) }
    }

    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        let changed = try broken(request)
        return try statement {
            do {
                return try base.updateAll(changed, setting: values)
            } catch  where fault == .failedStatementLeavesParts {
                var first = changed
                first.limit = 1
                _ = try? base.updateAll(first, setting: values)
                throw error
            }
        }
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        let changed = try broken(request)
        return try statement { try base.deleteAll(changed) }
    }

    func deferReferences() throws { try base.deferReferences() }
    func checkReferences() throws { try base.checkReferences() }

    func beginSavepoint() throws {
        try joinLast()
        try base.beginSavepoint()
    }

    func releaseSavepoint() throws {
        try joinLast()
        try base.releaseSavepoint()
    }

    func rollbackSavepoint() throws {
        try joinLast()
        let noted = recording?.inner.changes() ?? []
        defer {
            let left = Set((recording?.inner.changes() ?? []).map(\.place))
            recording?.undone += noted.filter { !left.contains($0.place) }
        }
        if fault == .ignoresSavepointRollback {
            try base.releaseSavepoint()
        } else {
            try base.rollbackSavepoint()
        }
    }

    func keepHistory(_ entry: HistoryEntry) throws {
        if fault == .fillingForgetsHistory && filling != nil { return }
        var entry = entry
        if fault == .historyForgetsAuthors { entry.author = nil }
        try base.keepHistory(entry)
    }
    func deleteHistory(through number: UInt64) throws {
        if fault != .historyKeepsAll { try base.deleteHistory(through: number) }
    }

    func commit() throws -> UInt64 {
        if isLastApart { try base.rollbackSavepoint() }
        isLastApart = false
        store.willEnd()
        try store.keepOld()
        if fault == .numbersEmptyCommits { try touch() }
        return try base.commit()
    }

    /// Takes a row away and puts it back: a change that comes to nothing.
    private func touch() throws {
        for (number, entity) in store.schema.entities.enumerated() {
            guard let row = try base.rows(FetchRequest(entity: number, limit: 1)).all().first else { continue }
            guard try row[entity.keyPosition].withCell({ try base.delete($0, from: number) }) else { continue }
            _ = try base.insert(scratch.lend(row), into: number)
            return
        }
    }

    override func end() {
        store.willEnd()
        if !isEnded { commitHalfFilled() }
        if fault == .ignoresRollback && !isEnded { _ = try? base.commit() }
        super.end()
    }
}
