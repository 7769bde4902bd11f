import ConformanceKit
import GranaryCore

// The main context outlives a reset, whichever stack of the process resets the store. What asks it between the reset and
// its end finds the new contents.

var resettingMainContextCases: [ConformanceCase] {
    [
        ConformanceCase(
            "reset.main-context-results", in: .reset,
            "results and observations of the main context follow it through every reset", requires: [.filling],
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try await followResults(stack)
            try await followObservation(stack)
        },
        ConformanceCase(
            "reset.main-context-other-stack", in: .reset,
            "the main context of another stack goes on with the new contents", requires: [.filling], modes: [.fresh]
        ) { trial in
            let (stack, other) = (try trial.stack, try trial.another())
            try trial.insert([Shelf(id: 1, name: "one")])
            try await edit(other)
            try await stack.reset(to: .empty)
            try await MainActor.run {
                let main = try other.mainContext
                try expectEqual(main.hasChanges, false)
                try expectEqual(main.changes, [])
                try expectEqual(main.canUndo, false)
                try expectEqual(try main.find(Shelf.self, 1), nil)
                try expectEqual(try main.fetch(Shelf.all), [])
                try main.insert(Shelf(id: 1, name: "new"))
                _ = try main.blocking.save()
            }
            try expectEqual(try stack.blocking.read { try $0.fetch(Shelf.all).map(\.name) }, ["new"])
        },
        ConformanceCase(
            "reset.main-context-first-call", in: .reset,
            "whatever the main context of another stack is asked first, it finds the new contents",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let (stack, other) = (try trial.stack, try trial.another())
            let calls: [@MainActor @Sendable (EditContext) throws -> Void] = [
                { try expectEqual(try $0.find(Shelf.self, 1), nil) },
                { try expectEqual(try $0.find(Shelf.self, 2), nil) },
                { try expectEqual(try $0.count(Shelf.all), 0) },
                { try expectEqual(try $0.inserted(Shelf.self), []) },
                { try expectEqual(try $0.undo(), false) },
                { try expectEqual(try $0.refresh().count, 0) },
                { try expectEqual(try $0.makeChild().fetch(Shelf.all), []) },
                { try expectEqual(try $0.delete(Shelf.self, 2), false) },
                { try expectError(.recordNotFound) { [main = $0] in try main.update(Shelf(id: 1, name: "again")) } },
            ]
            for call in calls {
                try await stack.reset(to: .empty)
                _ = try await stack.write { try $0.insert(Shelf(id: 1, name: "one")) }
                try await edit(other)
                try await stack.reset(to: .empty)
                try await MainActor.run {
                    let main = try other.mainContext
                    try call(main)
                    try expectEqual(main.hasChanges, false)
                }
            }
        },
        ConformanceCase(
            "reset.main-context-save", in: .reset,
            "a save of changes from before the reset throws once, and the main context is clean", requires: [.filling],
            modes: [.fresh]
        ) { trial in
            let (stack, other) = (try trial.stack, try trial.another())
            try trial.insert([Shelf(id: 1, name: "one")])
            try await edit(other)
            try await stack.reset(to: .empty)
            try await MainActor.run {
                let main = try other.mainContext
                try expectError(.generationGone, isOwnText: true) { try main.blocking.save() }
                try expectEqual(main.hasChanges, false)
                try expect(try main.blocking.save().isEmpty, "the main context saved changes that it has dropped")
            }
            try await edit(other, adding: 3)
            try await stack.reset(to: .empty)
            try await MainActor.run { try expectEqual(try other.mainContext.fetch(Shelf.all), []) }
            try await expectAsyncError(.generationGone, isOwnText: true) { try await saveAfterReset(stack, other) }
            try expectEqual(try stack.blocking.read { try $0.count(Shelf.all) }, 0)
        },
        ConformanceCase(
            "reset.main-context-worker", in: .reset,
            "what a worker has made over the old contents does not come into the new ones", requires: [.filling],
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let hasWorked = Event("the work")
            let isReset = Event("the reset")
            let work = Task { @MainActor in
                let main = try stack.mainContext
                try await main.performInWorker { worker in
                    try worker.insert(Shelf(id: 7, name: "old"))
                    hasWorked.set()
                    try isReset.wait()
                }
            }
            try await hasWorked.happened()
            try await stack.reset(to: .empty)
            isReset.set()
            try await expectAsyncError(.generationGone, isOwnText: true) { try await work.value }
            try await MainActor.run { try expectEqual(try stack.mainContext.fetch(Shelf.all), []) }
        },
        ConformanceCase(
            "reset.contexts-pending", in: .reset,
            "a context from before throws about the records that it has changed, too",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Shelf(id: 1, name: "one")])
            let context = try stack.makeContext()
            context.isUndoEnabled = true
            try context.update(Shelf.self, 1) { $0.name = "changed" }
            try await stack.reset(to: .empty)
            try expectError(.generationGone) { try context.find(Shelf.self, 1) }
            try expectError(.generationGone) { try context.updated(Shelf.self) }
            try expectError(.generationGone) { try context.undo() }
            try expectError(.generationGone) { try context.refresh() }
            context.reset()
        },
    ]
}

/// Changes a shelf of the main context and inserts another.
@MainActor private func edit(_ stack: Stack, adding key: Int64 = 2) throws {
    let main = try stack.mainContext
    main.isUndoEnabled = true
    if try main.find(Shelf.self, 1) != nil { try main.update(Shelf.self, 1) { $0.name = "changed" } }
    try main.insert(Shelf(id: key, name: "pending"))
}

/// Saves the main context asynchronously, when another stack has reset the store.
@MainActor private func saveAfterReset(_ stack: Stack, _ other: Stack) async throws {
    try edit(other, adding: 4)
    try await stack.reset(to: .empty)
    let main = try other.mainContext
    try await main.save()
}

@MainActor private func followResults(_ stack: Stack) async throws {
    let results = FetchedResults(Shelf.all, in: try stack.mainContext)
    let (stream, continuation) = AsyncStream.makeStream(of: Result<[Int64], any Error>.self)
    results.onChange = { [weak results] _ in
        if let results { continuation.yield(.success(results.fetchedRecords.map(\.id))) }
    }
    results.onFailure = { continuation.yield(.failure($0)) }
    var shown = stream.makeAsyncIterator()
    try await results.performFetch()
    for round in 1...40 {
        _ = try await stack.write { try $0.insert(Shelf(id: Int64(round), name: "a")) }
        while try await shown.next()?.get() != [Int64(round)] {}
        try await stack.reset(to: .empty)
        while try await shown.next()?.get() != [] {}
    }
}

@MainActor private func followObservation(_ stack: Stack) async throws {
    var counts = try stack.mainContext.observeCount(Shelf.all).makeAsyncIterator()
    while try await counts.next() != 0 {}
    for round in 1...40 {
        _ = try await stack.write { try $0.insert(Shelf(id: Int64(round), name: "a")) }
        while try await counts.next() != 1 {}
        try await stack.reset(to: .empty)
        while try await counts.next() != 0 {}
    }
}
