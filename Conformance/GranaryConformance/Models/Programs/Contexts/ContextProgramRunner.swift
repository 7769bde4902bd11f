import ConformanceKit
package import GranaryCore

/// Runs a program on a stack and on the model, and compares them after each step.
package actor ContextProgramRunner {
    package let program: ContextProgram
    package let stack: Stack
    var model = ContextModel()
    /// What the store should hold now.
    package var expectedContents: [[ModelBoard.Row]] { model.board(nil).contents }
    private(set) var contexts: [EditContext] = []
    private var held: (read: HeldRead, rows: [[ModelBoard.Row]])?
    private var isSaving = false
    private(set) var next = 0

    package init(_ program: ContextProgram, _ stack: Stack) throws {
        self.program = program
        self.stack = stack
        for (number, parent) in ContextProgram.parents.enumerated() {
            let context: EditContext
            if let parent {
                context = try contexts[parent].makeChild(named: "context \(number)")
            } else {
                context = try stack.makeContext(named: "context \(number)")
            }
            context.isUndoEnabled = true
            contexts.append(context)
        }
        contexts[1].undoLevels = 3
        model.levels[1].undoLevels = 3
    }

    /// - Throws: ``ContextProgramFailure`` at the first difference.
    package func run() async throws {
        defer {
            held?.read.end()
            for context in contexts { context.reset() }
        }
        do {
            while next < program.steps.count {
                let step = program.steps[next]
                next += 1
                try await perform(step)
                model.follow()
                try compare()
            }
            if let held { try await endHold(held) }
        } catch let failure as ContextProgramFailure {
            throw failure
        } catch {
            throw failure("threw \(error)")
        }
    }

    package func failure(_ message: String) -> ContextProgramFailure {
        ContextProgramFailure(steps: next, message: message)
    }

    // MARK: - Steps

    private func perform(_ step: ContextProgram.Step) async throws {
        switch step {
        case .direct(let writes): try direct(writes)
        case .calls(let number, let writes):
            let actual = writes.map { CallResult($0, contexts[number]) }
            try compare(actual, model.perform(writes, in: number))
        case .savepoint(let number, let writes, let isKept):
            struct Undone: Error {}
            var actual: [CallResult] = []
            do {
                try contexts[number].savepoint {
                    actual = writes.map { CallResult($0, contexts[number]) }
                    if !isKept { throw Undone() }
                }
            } catch is Undone {}
            var copy = model
            try compare(actual, copy.perform(writes, in: number, together: true))
            if isKept { model = copy }
        case .group(let number, let writes):
            let actual = try contexts[number].withUndoGroup(named: "group") {
                writes.map { CallResult($0, contexts[number]) }
            }
            try compare(actual, model.perform(writes, in: number, together: true))
        case .undo(let number):
            let actual = CallResult { try contexts[number].undo() ? 1 : 0 }
            try compare([actual], [CallResult { () throws(ModelBoard.Breach) in try model.undo(number) ? 1 : 0 }])
        case .redo(let number):
            let actual = CallResult { try contexts[number].redo() ? 1 : 0 }
            try compare([actual], [CallResult { () throws(ModelBoard.Breach) in try model.redo(number) ? 1 : 0 }])
        case .refresh(let number, let policy):
            let actual = Result { try contexts[number].refresh(mergePolicy: policy.policy) }
            let expected = Result { () throws(ModelBoard.Breach) in try model.refresh(number, policy) }
            try compare(actual.map { .init(conflicts: $0) }, expected.map { .init(conflicts: $0) })
        case .rollback(let number):
            contexts[number].rollback()
            model.rollback(number)
        case .rollbackRecord(let number, let entity, let key):
            contexts[number].rollback(key, of: entity)
            model.levels[number].changes[ModelBoard.Place(entity: entity, key: key)] = nil
        case .saveToParent(let number, let policy):
            contexts[number].mergePolicy = policy.policy
            let actual = Result { try contexts[number].saveToParent() }
            let expected = Result { () throws(ModelBoard.Breach) in try model.saveToParent(number, policy) }
            try compare(actual.map { .init($0) }, expected)
        case .save(let number, let policy):
            contexts[number].mergePolicy = policy.policy
            let actual = Result { try contexts[number].blocking.save() }
            let expected = Result { () throws(ModelBoard.Breach) in try model.save(number, policy) }
            try compare(actual.map { .init($0) }, expected)
        case .saveDuring(let number, let policy, let transaction, let calls):
            try await saveDuring(number, policy, transaction, calls)
        case .worker(let number, let policy, let writes):
            contexts[number].mergePolicy = policy.policy
            let expected = Result { () throws(ModelBoard.Breach) in try model.work(writes, in: number, policy) }
            do {
                let actual = try await contexts[number].performInWorker { worker in
                    writes.map { CallResult($0, worker) }
                }
                try compare(actual, try expected.get())
            } catch let error as GranaryError {
                try compare(.failure(error), expected.map { _ in .init() })
            }
        case .ask(let number, let question): try ask(number, question)
        case .hold:
            if let held {
                self.held = nil
                try await endHold(held)
            } else {
                held = (HeldRead(stack), model.board(nil).contents)
                await held?.read.begun()
            }
        }
    }

    private func direct(_ writes: [ContextProgram.Write]) throws {
        let actual = try stack.blocking.write { tx in writes.map { CallResult($0, tx) } }
        var board = model.board(nil)
        let expected = writes.map { write in CallResult { () throws(ModelBoard.Breach) in try board.perform(write) } }
        model.store = board.rows
        try compare(actual, expected)
    }

    private func saveDuring(
        _ number: Int, _ policy: ContextProgram.Policy, _ transaction: [ContextProgram.Write],
        _ calls: [ContextProgram.Write]
    ) async throws {
        contexts[number].mergePolicy = policy.policy
        let (begun, gate, stack) = (Gate(), Gate(), stack)
        defer { gate.open() }
        async let writing = stack.write { tx in
            let results = transaction.map { CallResult($0, tx) }
            begun.open()
            gate.wait()
            return results
        }
        while !begun.isOpened { await Task.yield() }
        async let saving = save(number)
        while !isSaving { await Task.yield() }
        let called = calls.map { CallResult($0, contexts[number]) }
        gate.open()
        let written = try await writing
        let saved = await saving
        isSaving = false
        let expected = model.save(number, policy, during: transaction, calls: calls)
        try compare(written, expected.transaction)
        try compare(called, expected.calls)
        try compare(saved, expected.saved)
    }

    private func save(_ number: Int) async -> Result<ModelBoard.Merged, any Error> {
        isSaving = true
        do { return .success(.init(try await contexts[number].save())) } catch { return .failure(error) }
    }

    private func endHold(_ held: (read: HeldRead, rows: [[ModelBoard.Row]])) async throws {
        held.read.end()
        let rows = try await held.read.rows
        if rows != held.rows { throw failure("a snapshot held open: \(text(rows)), expected \(text(held.rows))") }
    }
}

extension CallResult {
    /// Calls a context or a transaction.
    init(_ write: ContextProgram.Write, _ context: Context) {
        self.init { try write.perform(in: context) }
    }

    fileprivate init(_ body: () throws -> Int) {
        do {
            self.init(count: try body())
        } catch let error as GranaryError {
            self.init(code: error.code)
        } catch {
            self.init(code: GranaryError.Code(rawValue: "\(error)"))
        }
    }
}

extension ContextProgram.Write {
    fileprivate func perform(in context: Context) throws -> Int {
        switch self {
        case .insert(let entity, let row):
            try context.insert(row, into: entity)
            return 1
        case .update(let entity, let row): return try context.update(row, in: entity) ? 1 : 0
        case .upsert(let entity, let row):
            try context.upsert(row, into: entity)
            return 1
        case .change(let entity, let key, let values):
            guard let found = try context.find(context.schema.entities[entity].name, key) else { return 0 }
            return try context.update(ModelBoard.setting(values, in: found.values), in: entity) ? 1 : 0
        case .delete(let entity, let key): return try context.delete(key, from: entity) ? 1 : 0
        case .updateAll(let query, let values):
            return try context.updateAll(try FetchRequest(query, in: context.schema), setting: values)
        case .deleteAll(let query): return try Request(recordsOf: query).deleteAll(in: context)
        }
    }
}

/// A read that is open until it is ended.
final class HeldRead: Sendable {
    private let began = Gate()
    private let gate = Gate()
    private let task: Task<[[ModelBoard.Row]], any Error>

    init(_ stack: Stack) {
        task = Task { [began, gate] in
            defer { began.open() }
            return try await stack.read { snapshot in
                // A snapshot of its own from here on, whatever is written.
                _ = try snapshot.count(Request("Shelf"))
                began.open()
                gate.wait()
                return try snapshot.allRows()
            }
        }
    }

    func begun() async { while !began.isOpened { await Task.yield() } }
    func end() { gate.open() }
    var rows: [[ModelBoard.Row]] { get async throws { try await task.value } }
}

extension ReadContext {
    package func allRows() throws -> [[ModelBoard.Row]] {
        try schema.entities.map { entity in try fetch(Request(entity.name)).map(\.values) }
    }
}
