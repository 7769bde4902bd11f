import ConformanceKit
import ConformanceModels
import GranaryCore

class BrokenReader: SeedReading {
    private var base: any StoreReader
    let store: BrokenStore
    private let lent = LentRow()
    private(set) var isEnded = false
    /// How often the contents had been replaced when the reader began.
    private var replacementCount: Int

    var fault: Fault { store.fault }

    init(_ base: any StoreReader, _ store: BrokenStore) {
        self.base = base
        self.store = store
        replacementCount = store.replacementCount
    }

    var schema: Schema { fault == .migrationOnlyClaims ? store.schema : base.schema }
    var transactionNumber: UInt64 { fault == .numberNeverGrows ? 0 : base.transactionNumber }

    /// The reader to ask: another for each call, where the fault is that it moves on.
    private func reader() throws -> any StoreReader {
        if fault == .readersSeeLaterCommits && !(self is BrokenWriter) && !isEnded {
            try moveOn()
        }
        if fault == .resetMovesReads && replacementCount != store.replacementCount && !isEnded {
            replacementCount = store.replacementCount
            try moveOn()
        }
        return base
    }

    private func moveOn() throws {
        base.end()
        base = try store.base.beginRead(CancellationFlag())
    }

    func seed() throws -> SeedIdentity? {
        fault == .seedIsForgotten ? nil : try (base as? any SeedReading)?.seed()
    }

    func lastAssignedKey(of entity: Int) throws -> Int64 { try base.lastAssignedKey(of: entity) }
    func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        switch fault {
        case .migrationForgetsHistory where store.isMigrated: []
        case .historyRepeats: try base.history(after: number == 0 ? 0 : number - 1, limit: limit)
        case .historyIsReversed: try base.history(after: number, limit: limit).reversed()
        case .historyIgnoresLimit: try base.history(after: number, limit: 1000)
        default: try base.history(after: number, limit: limit)
        }
    }

    func find(_ key: Cell, in entity: Int) throws -> Row? {
        if fault == .readersSeeUncommitted && !(self is BrokenWriter) {
            let values = try store.withOpenWriter { writer in
                try (writer.map { $0 as any StoreReader } ?? base).find(key, in: entity)?.values
            }
            return values.map { lent.lend($0) }
        }
        if changesMigratedRows {
            let values = try reader().find(key, in: entity)?.values
            return values.map { lent.lend(migrated($0, entity)) }
        }
        return try reader().find(key, in: entity)
    }

    func rows(_ request: FetchRequest) throws -> any RowCursor {
        if let made = request.aggregation { return try brokenAggregate(request.rowsAlone, made, reader()) }
        let changed = try broken(request)
        if changesMigratedRows && request.columns == nil {
            return ListCursor(try reader().rows(changed).all().map { migrated($0, request.entity) })
        }
        if fault == .readersSeeUncommitted && !(self is BrokenWriter) {
            return ListCursor(
                try store.withOpenWriter { writer in
                    try (writer.map { $0 as any StoreReader } ?? base).rows(changed).all()
                })
        }
        switch fault {
        case .cursorsOutliveWrites: return ListCursor(try reader().rows(changed).all())
        case .ordersNilLast where !request.order.isEmpty && request.columns == nil:
            return ListCursor(try resorted(request) { nilLast($0, $1) })
        case .ordersTextByCharacter where !request.order.isEmpty && request.columns == nil:
            return ListCursor(try resorted(request) { byCharacter($0, $1) })
        case .distinctLosesNil where request.isDistinct:
            return ListCursor(try reader().rows(changed).all().filter { !$0.allSatisfy { $0 == .null } })
        case .limitsBeforeDistinct where request.isDistinct: return ListCursor(try cutThenDistinct(changed))
        default: return try reader().rows(changed)
        }
    }

    func count(_ request: FetchRequest) throws -> Int {
        var changed = try broken(request)
        if fault == .countIgnoresLimit { changed.limit = nil }
        if fault == .readersSeeUncommitted && !(self is BrokenWriter) {
            return try store.withOpenWriter { try ($0.map { $0 as any StoreReader } ?? base).count(changed) }
        }
        return try reader().count(changed)
    }

    func explain(_ request: FetchRequest) throws -> QueryPlan { try reader().explain(request) }

    func end() {
        isEnded = true
        base.end()
    }

    private var changesMigratedRows: Bool {
        store.isMigrated && (fault == .migrationLosesValue || fault == .migrationOnlyClaims)
    }

    /// A row as the store has it after a migration.
    private func migrated(_ values: [StoredValue], _ entity: Int) -> [StoredValue] {
        let attributes = store.schema.entities[entity].attributes
        // The old schema may have fewer attributes.
        var values = values + [StoredValue](repeating: .null, count: max(0, attributes.count - values.count))
        if fault == .migrationLosesValue, let last = attributes.lastIndex(where: \.isOptional) { values[last] = .null }
        return values
    }

    /// The request as the store misunderstands it.
    func broken(_ request: FetchRequest) throws -> FetchRequest {
        var request = request
        switch fault {
        case .limitIsOneMore: request.limit = request.limit.map { $0 == Int.max ? $0 : $0 + 1 }
        case .ignoresOffset: request.offset = 0
        case .breaksTiesAscending where request.order.last?.isDescending == true:
            request.order.append(
                FetchRequest.OrderTerm(position: store.schema.entities[request.entity].keyPosition, isDescending: false)
            )
        default: break
        }
        if fault == .ignoresNilPosition {
            for term in request.order.indices { request.order[term].nilsFirst = !request.order[term].isDescending }
        }
        if fault == .fillingForgetsIndexes, store.isFilled, case .compare(let position, .equal, _) = request.condition {
            let entity = store.schema.entities[request.entity]
            let name = entity.attributes[position].name
            if entity.indexes.contains(where: { $0.attributes.first == name }) { request.condition = .always(false) }
        }
        request.condition = request.condition.map { fault.broken($0) }
        request.columns = request.columns?.map { fault.broken($0) }
        for term in request.order.indices { request.order[term].value = fault.broken(request.order[term].value) }
        return request
    }

    /// Rows cut as they are, of which equal ones are left out.
    private func cutThenDistinct(_ request: FetchRequest) throws -> [[StoredValue]] {
        var plain = request
        plain.isDistinct = false
        var seen: Set<[StoredValue]> = []
        return try reader().rows(plain).all().filter { seen.insert($0).inserted }
    }

    /// All rows sorted another way, then cut.
    private func resorted(_ request: FetchRequest, _ compare: (StoredValue, StoredValue) -> Int) throws
        -> [[StoredValue]]
    {
        var whole = request
        (whole.limit, whole.offset) = (nil, 0)
        let rows = try reader().rows(whole).all()
        let sorted = rows.enumerated().sorted { left, right in
            for term in request.order {
                let position = term.value.position ?? 0
                let order = compare(left.element[position], right.element[position])
                if order != 0 { return term.isDescending ? order > 0 : order < 0 }
            }
            return left.offset < right.offset
        }.map(\.element)
        let rest = sorted.dropFirst(request.offset)
        return Array(request.limit.map { rest.prefix($0) } ?? rest)
    }
}

private func nilLast(_ left: StoredValue, _ right: StoredValue) -> Int {
    switch (left == .null, right == .null) {
    case (true, true): 0
    case (true, false): 1
    case (false, true): -1
    case (false, false): ReferenceOrder.compare(left, right)
    }
}

private func byCharacter(_ left: StoredValue, _ right: StoredValue) -> Int {
    guard case .text(let a) = left, case .text(let b) = right else { return ReferenceOrder.compare(left, right) }
    let (first, second) = (
        String(decoding: a, as: UTF8.self).lowercased(), String(decoding: b, as: UTF8.self).lowercased()
    )
    return first == second ? 0 : first < second ? -1 : 1
}

/// Rows that are there already.
final class ListCursor: RowCursor {
    private let rows: [[StoredValue]]
    private let lent = LentRow()
    private var position = 0

    init(_ rows: [[StoredValue]]) { self.rows = rows }

    func next() throws -> Row? {
        guard position < rows.count else { return nil }
        position += 1
        return lent.lend(rows[position - 1])
    }
}

extension RowCursor {
    func all() throws -> [[StoredValue]] {
        var rows: [[StoredValue]] = []
        while let row = try next() { rows.append(row.values) }
        return rows
    }
}
