import ConformanceKit
import GranaryCore

var concurrencyClosingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "concurrency.close-waits", in: .concurrency,
            "close waits for the reads and writes under way, refuses those that begin later, and then returns",
            modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let stack = try trial.another()
            let begun = [Event("the read's begin"), Event("the write's begin")]
            let release = Event("the release of both")
            let reader = Worker("the read") {
                try stack.blocking.read { snapshot in
                    begun[0].set()
                    try release.wait()
                    try expectUnchanged(snapshot)
                }
            }
            let writer = Worker("the write") {
                try stack.blocking.write { tx in
                    begun[1].set()
                    try release.wait()
                    try tx.insert(Shelf(id: 50))
                }
            }
            for event in begun { try event.wait() }
            let closer = Worker("the close") { try stack.blocking.close() }
            // From the moment in which closing has begun nothing new gets in.
            let deadline = ContinuousClock.now + .seconds(30)
            var isRefused = false
            while !isRefused {
                do {
                    try stack.blocking.read { _ in }
                    try expect(ContinuousClock.now < deadline, "close did not begin")
                } catch let error as GranaryError {
                    try expectEqual(error.code, .closed)
                    isRefused = true
                }
            }
            try expect(!closer.isDone, "close returned while a read and a write were under way")
            release.set()
            try closer.value()
            try reader.value()
            try writer.value()
            try expectError(.closed) { try stack.blocking.write { _ in } }
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3, 50])
        },
        ConformanceCase(
            "concurrency.close-async", in: .concurrency,
            "the async form of close closes, and closing again does nothing",
            modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            let stack = try trial.another()
            try await stack.write { tx in _ = try tx.insert(Shelf(id: 50)) }
            try await stack.close()
            try await stack.close()
            do {
                _ = try await stack.read { try $0.count(Shelf.all) }
                throw ConformanceFailure(message: "a closed stack was read", file: #fileID, line: #line)
            } catch let error as GranaryError {
                try expectEqual(error.code, .closed)
            }
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3, 50])
        },
        ConformanceCase(
            "concurrency.let-go", in: .concurrency,
            "a stack that is let go without closing leaves the store to the next", modes: [.fresh]
        ) { trial in
            try seedShelves(trial)
            for number in Int64(10)..<30 {
                let stack = try trial.subject.open(SuiteSchema.standard, at: trial.storePath)
                try stack.blocking.write { tx in _ = try tx.insert(Shelf(id: number)) }
            }
            try expectEqual(try trial.read { try $0.count(Shelf.all) }, 23)
        },
    ]
}
