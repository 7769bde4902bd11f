import ConformanceKit
import GranaryCore

var savingWorkerCases: [ConformanceCase] {
    [
        ConformanceCase(
            "contexts.worker-saves", in: .contexts,
            "a worker that saves writes its result with what is pending up to the store, in one commit of the context"
        ) { trial in
            try trial.insert(peopleToEdit)
            try await saveByWorker(try trial.stack)
            try expectEqual(try trial.find(Person.self, 1)?.age, 37)
            try expectEqual(try trial.find(Person.self, 2)?.age, 21)
            try expectEqual(try trial.find(Person.self, 3)?.age, 58)
            try expectEqual(try trial.keys(Person.all), [1, 2, 3, 4, 6])
        },
        ConformanceCase(
            "contexts.worker-save-fails", in: .contexts,
            "if the save of a worker's result fails, the result is gone, and the contexts are as they were"
        ) { trial in
            try trial.insert(peopleToEdit)
            try await failToSave(try trial.stack)
            try expectEqual(try trial.keys(Person.all), [1, 2, 3, 4])
            try expectEqual(try trial.find(Person.self, 2)?.age, 20)
        },
        ConformanceCase(
            "contexts.described", in: .contexts,
            "a context is printed with those above it, by name, with the number of pending changes of each"
        ) { trial in
            try trial.insert(peopleToEdit)
            try trial.insert([Shelf(id: 1)])
            let edit = try trial.stack.makeContext(named: "editor")
            try expectEqual("\(edit)", "\"editor\" (no changes) over the store")
            try edit.update(peopleToEdit[0].with { $0.age = 1 })
            try edit.update(peopleToEdit[1].with { $0.age = 2 })
            try edit.delete(Person.self, 3)
            let child = try edit.makeChild()
            try child.insert(Person(id: 6, age: 70, country: "NO"))
            try child.insert(Shelf(id: 2))
            try expectEqual(
                "\(child)",
                "an unnamed context (2 inserted) over \"editor\" (2 updated, 1 deleted) over the store")
            try child.saveToParent()
            try expectEqual(
                "\(child)",
                "an unnamed context (no changes) over \"editor\" (2 inserted, 2 updated, 1 deleted) over the store")
            edit.rollback()
            try expectEqual(edit.description, "\"editor\" (no changes) over the store")
        },
    ]
}

@MainActor private func saveByWorker(_ stack: Stack) async throws {
    let context = try stack.makeContext(named: "editor")
    let child = try context.makeChild(named: "dialogue")
    try context.update(Person.self, 1) { $0.age = 37 }
    try child.update(Person.self, 2) { $0.age = 21 }
    let before = try await stack.read { $0.transactionNumber }
    let seen = try await child.performInWorker(named: "worker", saving: true) { worker in
        try worker.update(Person.self, 3) { $0.age = (try worker.find(Person.self, 2)?.age ?? 0) + 37 }
        try worker.insert(Person(id: 6, age: 70, country: "NO"))
        return try worker.count(Person.all)
    }
    try expectEqual(seen, 5)
    try expect(!child.hasChanges && !context.hasChanges, "changes are pending after the save")
    let after = try await stack.read { $0.transactionNumber }
    try expectEqual(after, before + 1)
    try expectEqual(try child.find(Person.self, 3)?.age, 58)
    // Without work, what is pending is saved all the same.
    try context.update(Person.self, 1) { $0.age = 38 }
    try await context.performInWorker(saving: true) { _ in }
    let saved = try await stack.read { try $0.find(Person.self, 1)?.age }
    try expectEqual(saved, 38)
    try await context.performInWorker(saving: true) { try $0.update(Person.self, 1) { $0.age = 37 } }
}

@MainActor private func failToSave(_ stack: Stack) async throws {
    let context = try stack.makeContext(named: "editor")
    // The store changes what is pending here.
    try context.update(Person.self, 1) { $0.age = 37 }
    try await stack.write { try $0.update(Person.self, 1) { $0.age = 99 } }
    do {
        try await context.performInWorker(saving: true) { worker in
            try worker.update(Person.self, 2) { $0.age = 21 }
            try worker.insert(Person(id: 6, age: 70, country: "NO"))
        }
        try expect(false, "the conflict is passed over")
    } catch let error as GranaryError {
        try expectEqual(error.code, .mergeConflict)
    }
    try expectEqual(context.changes.map { "\($0.kind)" }.count, 1)
    try expectEqual(try context.find(Person.self, 1)?.age, 37)
    try expectEqual(try context.find(Person.self, 2)?.age, 20)
    try expectEqual(try context.find(Person.self, 6), nil)
    // What the closure throws is thrown, and nothing is saved.
    context.rollback()
    do {
        try await context.performInWorker(saving: true) { worker in
            try worker.update(Person.self, 2) { $0.age = 21 }
            throw GranaryError(.invalidRecord, "enough")
        }
        try expect(false, "the error is passed over")
    } catch let error as GranaryError {
        try expectEqual(error.message, "enough")
    }
    try expect(!context.hasChanges, "something is pending")
}
