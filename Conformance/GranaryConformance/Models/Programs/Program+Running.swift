import ConformanceKit
package import GranaryCore

/// Where a store and the reference part.
package struct ProgramFailure: Error {
    /// The number of steps that had been begun.
    package var steps: Int
    package var message: String
}

extension Program {
    /// Runs the program on a new store that the trial opens.
    ///
    /// Besides each step's own result it compares, around each write, what a snapshot begun before it still sees, and
    /// after it all records and the number of the last commit.
    ///
    /// - Throws: ``ProgramFailure`` at the first difference.
    package func run(on stack: Stack, reopening: (Stack) throws -> Stack = { $0 }) throws {
        var run = Run(program: self, state: ReferenceState(Program.schema))
        var stack = stack
        try run.check(try run.guarded { try stack.blocking.read(run.contents) }, run.state, "a new store")
        while run.next < steps.count {
            let (before, number) = (run.state, try run.guarded { try stack.blocking.read { $0.transactionNumber } })
            do {
                try stack.blocking.read { snapshot in
                    try run.write(stack)
                    try run.check(try run.contents(snapshot), before, "a snapshot from before the write")
                }
            } catch let error where !(error is ProgramFailure) {
                throw run.failure("threw \(error)")
            }
            stack = try run.guarded { try reopening(stack) }
            try run.check(try run.guarded { try stack.blocking.read(run.contents) }, run.state, "after the write")
            let after = try run.guarded { try stack.blocking.read { $0.transactionNumber } }
            let isChanged = before.tables != run.state.tables
            if after != number + 1 && (isChanged || after != number) {
                throw run.failure("the number of the last commit went from \(number) to \(after)")
            }
        }
    }
}

private struct Run {
    let program: Program
    var state: ReferenceState
    var next = 0

    private struct SavepointEnd: Error {}
    private struct RollbackEnd: Error {}

    func failure(_ message: String) -> ProgramFailure { ProgramFailure(steps: next, message: message) }

    /// Makes an error where none may be a difference.
    func guarded<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as ProgramFailure {
            throw error
        } catch {
            throw failure("threw \(error)")
        }
    }

    /// One write: the steps up to the next commit or rollback.
    mutating func write(_ stack: Stack) throws {
        let before = state
        var run = self
        do {
            _ = try stack.blocking.write { tx in try run.block(tx, depth: 0) }
            self = run
        } catch is RollbackEnd {
            self = run
            state = before
        } catch let error as ProgramFailure {
            throw error
        } catch {
            throw run.failure("the write threw \(error)")
        }
    }

    private enum End { case block, write }

    @discardableResult private mutating func block(_ tx: Transaction, depth: Int) throws -> End {
        while next < program.steps.count {
            let step = program.steps[next]
            next += 1
            switch step {
            case .commit: return .write
            case .rollback: throw RollbackEnd()
            case .releaseSavepoint: if depth > 0 { return .block }
            case .rollbackSavepoint: if depth > 0 { throw SavepointEnd() }
            case .beginSavepoint:
                let before = state
                var run = self
                do {
                    let end = try tx.savepoint { try run.block(tx, depth: depth + 1) }
                    self = run
                    if end == .write { return .write }
                } catch is SavepointEnd {
                    self = run
                    state = before
                }
            default: try perform(step, tx)
            }
        }
        return .write
    }

    private mutating func perform(_ step: Program.Step, _ tx: Transaction) throws {
        switch step {
        case .insert(let entity, let row):
            try statement(Program.types[entity], tx) {
                try $0.insert(row, into: entity)
            } actual: { type, tx in
                try Run.insert(type, row, tx)
            }
        case .insertMany(let entity, let rows):
            try statement(Program.types[entity], tx) { state in
                state.defersReferences = true
                for row in rows { _ = try state.insert(row, into: entity) }
                state.defersReferences = false
                try state.checkReferences()
            } actual: { type, tx in
                try Run.insertMany(type, rows, tx)
            }
        case .update(let entity, let row):
            try statement(Program.types[entity], tx) { state in
                if try !state.update(row, in: entity) {
                    throw ReferenceState.Breach(codes: [.recordNotFound], entity: "", attributes: [])
                }
            } actual: { type, tx in
                try Run.update(type, row, tx)
            }
        case .upsert(let entity, let row):
            try statement(Program.types[entity], tx) {
                try $0.upsert(row, into: entity)
            } actual: { type, tx in
                try Run.upsert(type, row, tx)
            }
        case .delete(let entity, let key):
            let expected = state.row(key, in: entity) != nil
            try statement(Program.types[entity], tx) {
                try $0.delete([key], from: entity)
            } actual: { type, tx in
                try Run.delete(type, key, tx, expected)
            }
        case .updateAll(let query, let values):
            let rows = try matching(query)
            let positions = try values.map {
                Assignment(
                    position: try Program.schema.entities[query.entity].position(ofAttribute: $0.name), value: $0.value)
            }
            try statement(Program.types[query.entity], tx) { state in
                try state.set(positions, in: rows, of: query.entity)
            } actual: { type, tx in
                try Run.updateAll(type, query, values, tx, rows.count)
            }
        case .addAll(let query, let name, let amount):
            let rows = try matching(query)
            let position = try Program.schema.entities[query.entity].position(ofAttribute: name)
            let addition = Assignment(position: position, value: amount, operation: .add)
            try statement(Program.types[query.entity], tx) { state in
                try state.set([addition], in: rows, of: query.entity)
            } actual: { type, tx in
                try Run.addAll(type, query, name, amount, tx, rows.count)
            }
        case .deleteAll(let query):
            let rows = try matching(query)
            let key = state.keyPosition(query.entity)
            try statement(Program.types[query.entity], tx) { state in
                try state.delete(rows.map { $0[key] }, from: query.entity)
            } actual: { type, tx in
                try Run.deleteAll(type, query, tx, rows.count)
            }
        case .find(let entity, let key):
            let found = try guarded { try Run.find(Program.types[entity], key, tx) }
            if found != state.row(key, in: entity) {
                throw failure("found \(text(found)), expected \(text(state.row(key, in: entity)))")
            }
        case .fetch(let query):
            let found = try guarded { try Run.fetch(Program.types[query.entity], query, tx) }
            let expected = try matching(query)
            if found != expected {
                throw failure("fetched \(found.map(text)), expected \(expected.map(text))")
            }
        case .count(let query):
            let count = try guarded { try Run.count(Program.types[query.entity], query, tx) }
            let expected = try matching(query).count
            if count != expected { throw failure("counted \(count), expected \(expected)") }
        case .beginSavepoint, .releaseSavepoint, .rollbackSavepoint, .commit, .rollback: break
        }
    }

    private func matching(_ query: ProgramQuery) throws -> [[StoredValue]] {
        try state.rows(
            of: query.entity, where: query.condition, order: query.order, limit: query.limit, offset: query.offset)
    }

    /// Does a statement to both; either both do it or both refuse it for the same reason.
    private mutating func statement<T>(
        _ type: any ProgramRecord.Type, _ tx: Transaction, _ expected: (inout ReferenceState) throws -> T,
        actual: (any ProgramRecord.Type, Transaction) throws -> String?
    ) throws {
        let before = state
        var codes: [GranaryError.Code] = []
        do {
            _ = try expected(&state)
        } catch let breach as ReferenceState.Breach {
            codes = breach.codes
            state = before
        }
        let wanted = codes.isEmpty ? "none" : codes.map(\.rawValue).joined(separator: " or ")
        do {
            if let difference = try actual(type, tx) { throw failure(difference) }
        } catch let error as GranaryError {
            if codes.contains(error.code) { return }
            throw failure("got the error \"\(error)\", expected \(wanted)")
        }
        if !codes.isEmpty { throw failure("got no error, expected \(wanted)") }
    }

    func contents(_ snapshot: Snapshot) throws -> [[[StoredValue]]] {
        try Program.types.indices.map { entity in
            let all = ProgramQuery(entity: entity, condition: nil, order: [], limit: nil, offset: 0)
            return try Run.fetch(Program.types[entity], all, snapshot)
        }
    }

    func check(_ contents: [[[StoredValue]]], _ state: ReferenceState, _ when: String) throws {
        for (entity, rows) in contents.enumerated() {
            let expected = try state.rows(of: entity, where: nil, order: [], limit: nil, offset: 0)
            if rows != expected {
                throw failure("\(when): \(rows.map(text)), expected \(expected.map(text))")
            }
        }
    }

    private func text(_ row: [StoredValue]?) -> String {
        row.map { "(" + $0.map(\.description).joined(separator: ", ") + ")" } ?? "nothing"
    }
}

// What a step does to a store, by the record's type.
extension Run {
    private static func insert<R: ProgramRecord>(_ type: R.Type, _ row: [StoredValue], _ tx: Transaction) throws
        -> String?
    {
        let record = try tx.insert(try R.made(of: row))
        return try record.values == row ? nil : "insert returned another record"
    }

    private static func insertMany<R: ProgramRecord>(_ type: R.Type, _ rows: [[StoredValue]], _ tx: Transaction) throws
        -> String?
    {
        let count = try tx.insert(try rows.map { try R.made(of: $0) }).count
        return count == rows.count ? nil : "inserted \(count) of \(rows.count)"
    }

    private static func update<R: ProgramRecord>(_ type: R.Type, _ row: [StoredValue], _ tx: Transaction) throws
        -> String?
    {
        try tx.update(try R.made(of: row))
        return nil
    }

    private static func upsert<R: ProgramRecord>(_ type: R.Type, _ row: [StoredValue], _ tx: Transaction) throws
        -> String?
    {
        try tx.upsert(try R.made(of: row))
        return nil
    }

    private static func delete<R: ProgramRecord>(
        _ type: R.Type, _ key: StoredValue, _ tx: Transaction, _ expected: Bool
    ) throws -> String? {
        let was = try tx.delete(R.self, try key.value())
        return was == expected ? nil : "delete returned \(was), expected \(expected)"
    }

    private static func updateAll<R: ProgramRecord>(
        _ type: R.Type, _ query: ProgramQuery, _ values: [(name: String, value: StoredValue)], _ tx: Transaction,
        _ expected: Int
    ) throws -> String? {
        let count = try query.typed(R.self).updateAll(in: tx) { changes in
            for (name, value) in values { try R.set(name, value, in: &changes) }
        }
        return count == expected ? nil : "updateAll returned \(count), expected \(expected)"
    }

    private static func addAll<R: ProgramRecord>(
        _ type: R.Type, _ query: ProgramQuery, _ name: String, _ amount: StoredValue, _ tx: Transaction, _ expected: Int
    ) throws -> String? {
        let count = try query.typed(R.self).updateAll(in: tx) { try R.add(amount, to: name, in: &$0) }
        return count == expected ? nil : "updateAll returned \(count), expected \(expected)"
    }

    private static func deleteAll<R: ProgramRecord>(
        _ type: R.Type, _ query: ProgramQuery, _ tx: Transaction, _ expected: Int
    ) throws -> String? {
        let count = try query.typed(R.self).deleteAll(in: tx)
        return count == expected ? nil : "deleteAll returned \(count), expected \(expected)"
    }

    private static func find<R: ProgramRecord>(_ type: R.Type, _ key: StoredValue, _ context: ReadContext) throws
        -> [StoredValue]?
    {
        try context.find(R.self, try key.value())?.values
    }

    private static func fetch<R: ProgramRecord>(_ type: R.Type, _ query: ProgramQuery, _ context: ReadContext)
        throws -> [[StoredValue]]
    {
        try context.fetch(query.typed(R.self)).map { try $0.values }
    }

    private static func count<R: ProgramRecord>(_ type: R.Type, _ query: ProgramQuery, _ context: ReadContext)
        throws -> Int
    {
        try context.count(query.typed(R.self))
    }
}
