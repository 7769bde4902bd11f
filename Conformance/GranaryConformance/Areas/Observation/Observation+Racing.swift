import ConformanceKit
import GranaryCore

var observationRacingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "observation.slow", in: .observation,
            "a loop that is slow gets the newest answer when it comes back, not each one between", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let (reached, release) = (Event("the first value"), Event("the release of the loop"))
            let following = Following(stack.observeCount(Shelf.all), on: trial) { count in
                if count == 0 {
                    reached.set()
                    try release.wait()
                }
            }
            try reached.wait()
            for number in 1...50 { try trial.insert([Shelf(id: Int64(number))]) }
            release.set()
            try following.wait("the newest number") { $0.last == 50 }
            try expectEqual(following.values, [0, 50])
        },
        ConformanceCase(
            "observation.racing", in: .observation,
            "while several write, each value is newer than the one before, and the last is the newest", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            // Begun while others write already.
            let isRunning = Event("the first commit")
            let writers = (0..<3).map { writer in
                Worker("a writer") {
                    for round in 0..<40 {
                        try stack.blocking.write { _ = try $0.insert(Shelf(id: Int64(writer * 100 + round))) }
                        isRunning.set()
                    }
                }
            }
            try isRunning.wait()
            let counts = (0..<4).map { _ in Following(stack.observeCount(Shelf.all), on: trial) }
            let records = (0..<4).map { _ in Following(stack.observe(Shelf.all).map(\.count), on: trial) }
            for writer in writers { try writer.value() }
            for following in counts + records {
                let values = try following.wait("the last number") { $0.last == 120 }
                try expectEqual(values, values.sorted(), "numbers of records")
                try expectEqual(Set(values).count, values.count, "different numbers")
            }
        },
        ConformanceCase(
            "observation.random", in: .observation,
            "after each of many random commits an observed query gives what a fetch gives, and its differences lead there",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            var random = SeededGenerator(seed: trial.seed)
            let queries: [Query<Person>] = [
                Person.all, Person.where { $0.age >= 5 }, Person.where { $0.age >= 5 }.sorted(by: \.age).limit(4),
                Person.sorted(by: { $0.rating }, .descending).limit(3), Person.sorted(by: \.age).offset(2).limit(3),
                Person.where { $0.id.in([3, 5, 7]) }, Person.where { $0.lastName == "b" }.sorted(by: \.age),
            ]
            let followings = queries.map { Following(stack.observeChanges($0), on: trial) }
            for round in 0..<60 {
                try trial.write { try change(&random, $0) }
                for (query, following) in zip(queries, followings) {
                    let wanted = try stack.blocking.read { try $0.fetch(query) }
                    try following.wait(
                        "the answer of round \(round) [\(query.untyped.condition?.description ?? "all")]"
                    ) {
                        $0.last?.records == wanted
                    }
                }
            }
            for following in followings { try checkDifferences(following.values) }
        },
        ConformanceCase(
            "observation.ends", in: .observation,
            "a loop ends with its task and when the stack closes, and lets go of it",
            modes: [.fresh]
        ) { trial in
            let gone = try follow(trial)
            let deadline = ContinuousClock.now + .seconds(30)
            while gone.isThere {
                guard ContinuousClock.now < deadline else {
                    throw ConformanceFailure(message: "the stack is still held", file: #fileID, line: #line)
                }
                try await Task.sleep(for: .milliseconds(2))
            }
            let stack = try trial.another(at: trial.folder + "/Closed.granary")
            let closed = Following(stack.observe(Shelf.all), on: trial)
            try closed.wait("the first value") { $0.count == 1 }
            try await stack.close()
            try closed.finished()
        },
        ConformanceCase(
            "observation.another-stack", in: .observation, "what another stack on the same store commits is seen",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let other = try trial.another()
            let following = Following(stack.observe(Shelf.all).map(ids), on: trial)
            let watch = stack.watchForChanges(every: .milliseconds(5))
            try following.wait("the first value") { $0 == [[]] }
            _ = try await other.write { try $0.insert(Shelf(id: 1)) }
            try following.wait("an insertion") { $0.last == [1] }
            watch.cancel()
            await watch.finished()
        },
        ConformanceCase(
            "observation.watch-closed", in: .observation, "looking for changes ends when the stack is closed",
            modes: [.fresh]
        ) { trial in
            let stack = try trial.another(at: trial.folder + "/Closed.granary")
            let watch = stack.watchForChanges(every: .milliseconds(1))
            try await stack.close()
            let ended = Event("the end of the look for changes")
            Task {
                await watch.finished()
                ended.set()
            }
            try await ended.happened()
        },
        ConformanceCase(
            "observation.monitor", in: .observation,
            "a monitor tells what commits do to the records that meet a condition",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([
                Person(id: 1, age: 20), Person(id: 2, age: 40, number: 2), Person(id: 3, age: 50, number: 3),
                Person(id: 4, age: 60, number: 4),
            ])
            let old = Following(try await stack.monitor(Person.self) { $0.age >= 30 }, on: trial)
            let all = Following(try await stack.monitor(Shelf.self), on: trial)
            try trial.write { tx in
                try tx.update(Person(id: 1, age: 30))
                try tx.update(Person(id: 2, age: 10, number: 2))
                try tx.update(Person(id: 3, age: 51, number: 3))
                try tx.delete(Person.self, 4)
                try tx.insert(Person(id: 5, age: 70, number: 5))
                try tx.insert(Person(id: 6, age: 7, number: 6))
            }
            let changes = try old.wait("changes") { $0.count == 1 }[0]
            try expectEqual(changes.inserted.map(\.id), [5])
            try expectEqual(changes.updated, [Person(id: 3, age: 51, number: 3)])
            try expectEqual(changes.began.map(\.id), [1])
            try expectEqual(changes.ceased, [2])
            try expectEqual(changes.deleted, [4])
            try trial.write { _ = try $0.delete(Person.self, 6) }
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try expectEqual(try old.wait("a deletion") { $0.count == 2 }[1].deleted, [1])
            try trial.insert([Shelf(id: 1)])
            try all.wait("an insertion") { $0.last?.inserted.map(\.id) == [1] }
            try trial.write { try $0.update(Shelf(id: 1, name: "a")) }
            try trial.write { _ = try $0.delete(Shelf.self, 1) }
            let shelves = try all.wait("a deletion") { $0.last?.deleted == [1] }
            try expect(shelves.allSatisfy { $0.began.isEmpty && $0.ceased.isEmpty }, "no condition, no beginning")
        },
        ConformanceCase(
            "observation.monitor-gone", in: .observation,
            "a monitor tells of a commit although its records are gone when it is looked at",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            try trial.insert([Person(id: 1, age: 40), Person(id: 2, age: 10, number: 2)])
            let old = try await stack.monitor(Person.self) { $0.age >= 30 }
            let all = try await stack.monitor(Person.self)
            try trial.insert([Person(id: 3, age: 50, number: 3)])
            try trial.write { tx in
                try tx.update(Person(id: 1, age: 41))
                try tx.update(Person(id: 2, age: 11, number: 2))
            }
            try trial.write { _ = try $0.delete(Person.self, 1) }
            try trial.write { _ = try $0.delete(Person.self, 3) }
            @Sendable func told(_ monitor: EntityMonitor<Person>, _ count: Int) async throws -> [EntityChanges<Person>]
            {
                var (found, iterator) = ([EntityChanges<Person>](), monitor.makeAsyncIterator())
                while found.count < count, let next = try await iterator.next() { found.append(next) }
                return found
            }
            try await withDeadline {
                let found = try await told(all, 4)
                try expectEqual(found.map(\.gone), [[3], [1], [], []])
                try expectEqual(found.map { $0.updated.map(\.id) }, [[], [2], [], []])
                try expectEqual(found.map(\.deleted), [[], [], [1], [3]])
                let filtered = try await told(old, 3)
                try expectEqual(filtered.map(\.gone), [[3], [1], []])
                try expectEqual(filtered.map(\.deleted), [[], [], [1]])
            }
        },
    ]
}

/// Whether an object is still there.
private final class WeakStack: Sendable {
    // Set once; reading a weak reference is safe from any thread.
    nonisolated(unsafe) private weak var stack: Stack?

    init(_ stack: Stack) { self.stack = stack }

    var isThere: Bool { stack != nil }
}

/// Follows a stack of its own and ends that.
private func follow(_ trial: Trial) throws -> WeakStack {
    let stack = try trial.subject.open(SuiteSchema.standard, at: trial.folder + "/Left.granary")
    let values = Following(stack.observe(Shelf.all).map(ids), on: trial)
    let changes = Following(stack.changes, on: trial)
    try values.wait("the first value") { $0 == [[]] }
    try stack.blocking.write { _ = try $0.insert(Shelf(id: 1)) }
    try values.wait("an insertion") { $0.last == [1] }
    values.cancel()
    changes.cancel()
    try values.finished()
    try changes.finished()
    return WeakStack(stack)
}

private func change(_ random: inout SeededGenerator, _ tx: Transaction) throws {
    for _ in 0..<Int.random(in: 1...3, using: &random) {
        let id = Int64.random(in: 1...12, using: &random)
        let person = Person(
            id: id, lastName: ["a", "b", "c"].randomElement(using: &random) ?? "",
            age: Int.random(in: 0...9, using: &random),
            rating: Double(Int.random(in: 0...4, using: &random)), number: Int(id))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: try tx.delete(Person.self, id)
        case 1 where Int.random(in: 0..<6, using: &random) == 0:
            try Person.where { $0.age < 5 }.updateAll(in: tx) { $0.set(\.age, to: 7) }
        default: try tx.upsert(person)
        }
    }
}

/// Fails unless each difference makes the records of one value into those of the next.
private func checkDifferences(_ changes: [QueryChange<Person, Person>]) throws {
    var list: [Person] = []
    for change in changes {
        let difference = change.difference
        try expectEqual(change.deletedKeys, difference.deletions.map { list[$0].id }, "deleted keys")
        var result = [Person?](repeating: nil, count: change.records.count)
        for place in difference.insertions { result[place] = change.records[place] }
        for move in difference.moves {
            try expectEqual(list[move.from].id, change.records[move.to].id, "a moved record")
            result[move.to] = list[move.from]
        }
        let gone = Set(difference.deletions + difference.moves.map(\.from))
        var stay = list.indices.filter { !gone.contains($0) }.makeIterator()
        for place in result.indices where result[place] == nil { result[place] = stay.next().map { list[$0] } }
        for update in difference.updates {
            try expectEqual(list[update.from].id, change.records[update.to].id, "an updated record")
            try expect(list[update.from] != change.records[update.to], "an update has other values")
            result[update.to] = change.records[update.to]
        }
        try expectEqual(result, change.records.map { $0 }, "what the difference leads to")
        list = change.records
    }
}
