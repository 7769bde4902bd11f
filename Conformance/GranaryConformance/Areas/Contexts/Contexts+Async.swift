import ConformanceKit
import GranaryCore

var contextsAsyncCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.async-save", in: .contexts,
            "a context goes on while it is saved; what changes meanwhile is pending"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let stack = try trial.stack
            let editor = try Editor(stack)
            try await editor.changeWhileSaving()
            try expectEqual(try trial.find(Person.self, 1)?.age, 2)
            try expectEqual(try trial.keys(Person.all), [1, 3, 4, 6])
            try expectEqual(try trial.find(Person.self, 3)?.age, 50)
        },
        ConformanceCase(
            "contexts.overlapping-saves", in: .contexts,
            "a save that is asked for while another is written waits for it, and saves what is left"
        ) { trial in
            try trial.insert(peopleToEdit)
            let editor = try Editor(try trial.stack)
            try await editor.saveTwice()
            try expectEqual(try trial.fetch(Person.all).map(\.age), [3, 2, 50, 41, nil])
        },
        ConformanceCase(
            "contexts.empty-save", in: .contexts, "a save without changes does not wait for a write"
        ) { trial in
            try trial.insert(peopleToEdit)
            try await Editor(try trial.stack).saveNothing()
        },
        ConformanceCase(
            "contexts.dropped-in-save", in: .contexts,
            "what is dropped while it is saved stays as it was saved; what is handed over or refreshed then is refused"
        ) { trial in
            try trial.insert(peopleToEdit)
            let editor = try Editor(try trial.stack)
            try await editor.dropWhileSaving()
            try expectEqual(try trial.find(Person.self, 1), peopleToEdit[0].with { ($0.age, $0.rating) = (1, 9) })
            try expectEqual(try trial.find(Person.self, 2)?.age, 7)
            try expectEqual(try trial.find(Person.self, 3)?.age, 50)
            try expectEqual(try trial.keys(Person.all), [1, 2, 3, 4, 6])
        },
        ConformanceCase(
            "contexts.read-elsewhere", in: .contexts,
            "a context is read away from its actor as it was then, with its pending changes and those of its parent"
        ) { trial in
            try trial.insert(peopleToEdit)
            try await Editor(try trial.stack).readElsewhere()
        },
        ConformanceCase(
            "contexts.perform", in: .contexts, "work in the background runs one after the other and is saved"
        ) {
            trial in
            let stack = try trial.stack
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await stack.perform(named: "import \(number)") { context in
                            if let found = try context.first(Person.where { $0.country == "IS" }) {
                                try context.update(found.with { $0.number += 1 })
                                return 0
                            }
                            try context.insert(Person(id: Int64(number), country: "IS", number: 1))
                            return 1
                        }
                    }
                }
                let made = try await group.reduce(0, +)
                try expectEqual(made, 1, "records made")
            }
            try expectEqual(try trial.fetch(Person.all).map(\.number), [8])
            struct Stop: Error {}
            let failed = await Result {
                try await stack.perform { context in
                    try context.insert(Person(id: 99, country: "FI"))
                    throw Stop()
                }
            }
            try expect((try? failed.get()) == nil, "the work did not fail")
            try expectEqual(try trial.find(Person.self, 99), nil)
        },
        ConformanceCase(
            "contexts.worker", in: .contexts, "a worker sees what the context shows, and its changes are pending there"
        ) {
            trial in
            try trial.insert(peopleToEdit)
            let editor = try Editor(try trial.stack)
            try await editor.work()
            try expectEqual(try trial.fetch(Person.all.sorted(by: \.age)).map(\.id), [1, 2, 3, 6, 4])
        },
        ConformanceCase(
            "contexts.cancelled", in: .contexts, "background work whose task is cancelled stops, and changes nothing"
        ) { trial in
            let stack = try trial.stack
            try await expectStopped { work in try await stack.perform { try work($0) } }
            try await expectStopped { work in
                let context = try stack.makeContext()
                defer { context.rollback() }
                try await context.performInWorker { try work($0) }
                try await context.save()
            }
            try expectEqual(try trial.fetch(Person.all), [])
        },
    ]
}

/// Cancels work after its first call: the second throws.
private func expectStopped(
    _ run: @escaping @Sendable (@escaping @Sendable (EditContext) throws -> Void) async throws -> Void
) async throws {
    let (begun, cancelled) = (Event("the work's begin"), Event("the cancellation"))
    let task = Task {
        try await run { context in
            try context.insert(peopleToEdit[0])
            begun.set()
            try cancelled.wait()
            try context.insert(peopleToEdit[1])
        }
    }
    try await begun.happened()
    task.cancel()
    cancelled.set()
    let result = await task.result
    try expectError(.cancelled) { try result.get() }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

/// A context on an actor of its own.
private actor Editor {
    private let context: EditContext
    private let stack: Stack

    init(_ stack: Stack) throws {
        self.stack = stack
        context = try stack.makeContext(named: "editor")
    }

    func changeWhileSaving() async throws {
        try context.update(peopleToEdit[0].with { $0.age = 1 })
        try context.insert(Person(id: 6, country: "NO"))
        try context.update(peopleToEdit[2].with { $0.age = 99 })
        // The save waits behind this write until the context has been changed again.
        let (gate, writing) = try await occupyWriter()
        async let result = save()
        defer { gate.open() }
        while !isSaving { await Task.yield() }
        try context.update(peopleToEdit[0].with { $0.age = 2 })
        try context.delete(Person.self, 2)
        try context.update(peopleToEdit[2])
        gate.open()
        try await writing.value
        let first = try await result
        try expectEqual([first.inserted, first.updated, first.deleted], [1, 2, 0])
        try expectEqual(context.changes.map(\.key), [.integer(1), .integer(2), .integer(3)])
        try expectEqual(try context.find(Person.self, 1)?.age, 2)
        let second = try await save()
        try expectEqual([second.inserted, second.updated, second.deleted], [0, 2, 1])
        try expect(!context.hasChanges, "changes are left")
    }

    /// A second save begins while the first is written, with more to save.
    func saveTwice() async throws {
        try context.update(peopleToEdit[0].with { $0.age = 1 })
        try context.insert(Person(id: 6, country: "NO"))
        let (gate, writing) = try await occupyWriter()
        async let first = save()
        defer { gate.open() }
        while !isSaving { await Task.yield() }
        isSaving = false
        try context.update(peopleToEdit[1].with { $0.age = 2 })
        try context.update(peopleToEdit[0].with { $0.age = 3 })
        async let second = save()
        while !isSaving { await Task.yield() }
        try expectError(.busy) { try context.blocking.save() }
        gate.open()
        try await writing.value
        _ = try await (first, second)
        try expect(!context.hasChanges, "changes are left: \(context.changes)")
        try expectEqual(try context.fetch(Person.all).map(\.age), [3, 2, 50, 41, nil])
    }

    /// Saves without changes while another write runs.
    func readElsewhere() async throws {
        try context.update(peopleToEdit[0].with { $0.age = 1 })
        try context.delete(Person.self, 2)
        let child = try context.makeChild()
        try child.insert(Person(id: 6, country: "NO"))
        let below = try await child.read { try $0.fetch(Person.all).map(\.age) }
        try expectEqual(below, [1, 50, 41, nil])
        // The read does not see changes that are made during it, neither in the context nor in the store.
        let (began, changed) = (Event("the beginning of the read"), Event("the change"))
        async let read = readTwice(began, changed)
        try await began.happened()
        try context.update(peopleToEdit[2].with { $0.age = 2 })
        try await stack.write { try $0.update(peopleToEdit[3].with { $0.age = 3 }) }
        changed.set()
        let ages = try await read
        try expectEqual(ages, [[1, 50, 41], [1, 50, 41]])
        let later = try await context.read { try $0.fetch(Person.all).map(\.age) }
        try expectEqual(later, [1, 2, 3])
        try await expectAsyncError(.unknownEntity) { try await context.read { try $0.count(Parcel.all) } }
    }

    private func readTwice(_ began: Event, _ changed: Event) async throws -> [[Int?]] {
        try await context.read { reader in
            let first = try reader.fetch(Person.all).map(\.age)
            began.set()
            try changed.wait()
            return [first, try reader.fetch(Person.all).map(\.age)]
        }
    }

    func saveNothing() async throws {
        let (gate, writing) = try await occupyWriter()
        let saved = Event("the save of nothing")
        let opening = Task {
            defer { gate.open() }
            try await saved.happened()
        }
        defer { saved.set() }
        try expectEqual(try context.blocking.save().transactionNumber, nil)
        let result = try await context.save()
        try expectEqual(result.transactionNumber, nil)
        try expect(!gate.isOpened, "the save waited for the write")
        saved.set()
        try await opening.value
        try await writing.value
    }

    /// While they are saved, all changes are dropped, and two of the records are changed again.
    func dropWhileSaving() async throws {
        let child = try context.makeChild()
        try child.update(peopleToEdit[0].with { $0.age = 1 })
        try child.update(peopleToEdit[1].with { $0.age = 2 })
        try child.update(peopleToEdit[2].with { $0.age = 3 })
        try child.insert(Person(id: 6, country: "NO"))
        try child.saveToParent()
        let (gate, writing) = try await occupyWriter()
        async let result = save()
        defer { gate.open() }
        while !isSaving { await Task.yield() }
        try expectError(.busy) { try context.refresh() }
        let grandchild = try context.makeChild()
        try grandchild.insert(Person(id: 7, country: "FI"))
        try grandchild.saveToParent()
        // Set back it is a change; dropped it is none.
        try context.update(peopleToEdit[2])
        try context.rollback(Person.self, 1)
        try expectEqual(try context.find(Person.self, 1)?.age, peopleToEdit[0].age)
        try expectEqual(try context.find(Person.self, 7)?.country, "FI")
        struct Stop: Error {}
        do {
            try context.savepoint {
                context.rollback()
                throw Stop()
            }
        } catch is Stop {}
        try expectEqual(try context.find(Person.self, 2)?.age, 2)
        context.rollback()
        // What is changed from here on is so over what is saved.
        try context.update(peopleToEdit[1].with { $0.age = 7 })
        try context.update(Person.self, 1) { $0.rating = 9 }
        gate.open()
        try await writing.value
        let first = try await result
        try expectEqual([first.inserted, first.updated, first.deleted], [1, 3, 0])
        try expectEqual(context.changes.map(\.key), [.integer(1), .integer(2)])
        try expectEqual(try context.find(Person.self, 1)?.age, 1)
        try context.update(Person.self, 3) { $0.age = 50 }
        let second = try await save()
        try expectEqual([second.inserted, second.updated, second.deleted], [0, 3, 0])
    }

    /// Has a write under way until the gate is opened, or this case fails.
    private func occupyWriter() async throws -> (Gate, Task<Void, any Error>) {
        let (gate, begun) = (Gate(), Event("the write's begin"))
        let stack = stack
        let writing = Task {
            try await stack.write { _ in
                begun.set()
                gate.wait()
            }
        }
        try await begun.happened()
        return (gate, writing)
    }

    private var isSaving = false
    private func save() async throws -> SaveResult {
        isSaving = true
        defer { isSaving = false }
        return try await context.save()
    }

    func work() async throws {
        try context.update(peopleToEdit[0].with { $0.age = 1 })
        let count = try await context.performInWorker { worker in
            try expectEqual(try worker.find(Person.self, 1)?.age, 1)
            try worker.insert(Person(id: 6, age: 70, country: "NO"))
            try worker.update(peopleToEdit[3].with { $0.age = 80 })
            return try worker.count(Person.all)
        }
        try expectEqual(count, 5)
        try expectEqual(context.changes.count, 3)
        try await stack.read { (snapshot: Snapshot) throws in try expectEqual(try snapshot.count(Person.all), 4) }
        _ = try await context.save()
    }
}
