import ConformanceKit
import Foundation
import GranaryCore

// What is told of writes that are committed together: numbers, change sets, history, errors.

/// A stack of its own on a store of its own, and what was told of it.
private struct Told: Equatable {
    var outcomes: [GranaryError.Code?] = []
    var numbers: [UInt64] = []
    var names: [String?] = []
    var changes: [[RecordChange]?] = []
    var history: [HistoryEntryText] = []
    var rows: [String] = []
}

/// An entry of the history without its time.
private struct HistoryEntryText: Equatable {
    var number: UInt64
    var name: String?
    var changes: [RecordChange]?
}

/// Statements at random, some of which fail.
private func program(_ random: inout SeededGenerator, _ count: Int) -> [GroupedBody] {
    (0..<count).map { number in
        let steps = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            (
                kind: Int.random(in: 0..<8, using: &random), key: Int64.random(in: 1...8, using: &random),
                text: "\(Int.random(in: 0..<6, using: &random))"
            )
        }
        return { tx in
            for step in steps {
                switch step.kind {
                case 0: try tx.insert(Shelf(id: step.key, name: step.text))
                case 1: try tx.upsert(Shelf(id: step.key, name: step.text))
                case 2: _ = try tx.insert(Counter(label: step.text))
                case 3: _ = try tx.delete(Shelf.self, step.key)
                case 4: try tx.upsert(Box(id: step.key, shelf: Ref(Int64(step.text) ?? 0)))
                case 5: _ = try Shelf.all.updateAll(in: tx) { $0.set(\.name, to: step.text) }
                case 6:
                    try? tx.savepoint {
                        try tx.upsert(Shelf(id: step.key, name: "x"))
                        throw Abandon()
                    }
                default: _ = try Counter.where { $0.label == step.text }.deleteAll(in: tx)
                }
            }
        }
    }
}

private func told(
    _ trial: Trial, _ name: String, _ groups: GroupCommit, _ bodies: [GroupedBody], keeping history: HistoryPolicy
) async throws -> Told {
    let path = trial.folder + "/\(name).granary"
    let stack = try await Stack(
        SuiteSchema.standard, store: trial.subject.storeProvider(at: path), history: history, groupCommit: groups)
    let start = try stack.blocking.read { $0.transactionNumber }
    let following = Following(stack.changes, on: trial)
    var told = Told()
    told.outcomes = codes(try await together(stack, on: trial, bodies))
    let end = try stack.blocking.read { $0.transactionNumber }
    let sets = try following.wait("\(end - start) change sets") { $0.count >= Int(end - start) }
    told.numbers = sets.map { $0.transactionNumber - start }
    told.names = sets.map(\.origin.name)
    told.changes = sets.map(\.changes)
    if history != .none {
        // Of the policy that forgets, what it has not forgotten.
        let from = history == .everything ? start : max(start, end - 3)
        told.history = try stack.committed(since: from).map {
            HistoryEntryText(number: $0.transactionNumber - start, name: $0.origin.name, changes: $0.changes)
        }
    }
    told.rows = try stack.blocking.read { snapshot in
        try snapshot.fetch(Shelf.all).map { "\($0)" } + snapshot.fetch(Counter.all).map { "\($0)" }
            + snapshot.fetch(Box.all).map { "\($0)" }
    }
    following.cancel()
    try expectEqual(try stack.blocking.verify(), [])
    try stack.blocking.close()
    return told
}

var groupOutcomesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "history.groups", in: .history,
            "what is told and kept of writes that are committed together is what is told of single ones",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            var random = SeededGenerator(seed: trial.seed)
            for round in 0..<4 {
                let bodies = program(&random, 40)
                let policy: HistoryPolicy =
                    !trial.subject.keepsHistory ? .none : round % 2 == 0 ? .everything : .latest(3)
                let alone = try await told(trial, "alone \(round)", .off, bodies, keeping: policy)
                let together = try await told(trial, "together \(round)", GroupCommit(), bodies, keeping: policy)
                let few = try await told(trial, "few \(round)", GroupCommit(writes: 3), bodies, keeping: policy)
                try expect(alone.numbers.count > 5, "\(alone.numbers.count) commits")
                try expectEqual(alone.numbers, (0..<alone.numbers.count).map { UInt64($0 + 1) })
                try expectEqual(together, alone, "round \(round)")
                try expectEqual(few, alone, "round \(round)")
            }
        },
        ConformanceCase(
            "observation.groups", in: .observation,
            "an observed query ends with the state after all writes that were committed together", modes: [.fresh]
        ) { trial in
            let stack = try trial.stack
            let following = Following(stack.observe(Shelf.all), on: trial)
            try following.wait("the first state") { $0.last?.isEmpty == true }
            let bodies: [GroupedBody] = (1...20).map { number in
                { tx in
                    try tx.insert(Shelf(id: Int64(number)))
                    if number % 2 == 0 { throw Abandon() }
                }
            }
            _ = try await together(stack, on: trial, bodies)
            let expected = stride(from: 1, to: 20, by: 2).map { Int64($0) }
            let states = try following.wait("ten shelves") { $0.last?.map(\.id) == expected }
            for state in states {
                try expectEqual(state.map(\.id), Array(expected.prefix(state.count)), "a state between commits")
            }
        },
        ConformanceCase(
            "contexts.saves-together", in: .contexts,
            "saves that wait for each other conflict with the ones before, each alone", modes: [.fresh]
        ) { trial in
            try trial.insert((1...3).map { Shelf(id: $0, name: "a") })
            let stack = try trial.stack
            let first = try await HeldWrite(stack, on: trial)
            // The first and the third change the same record, and so do the second and the fourth.
            let saves = (0..<4).map { number in
                Task.immediate {
                    let edit = try stack.makeContext()
                    try edit.update(Shelf(id: Int64(number % 2 + 1), name: "\(number)"))
                    try edit.insert(Shelf(id: Int64(10 + number)))
                    return try await edit.save().transactionNumber
                }
            }
            first.letGo()
            try await first.value()
            var (numbers, failed): ([UInt64], [GranaryError.Code]) = ([], [])
            for save in saves {
                switch await save.result {
                case .success(let number): if let number { numbers.append(number) }
                case .failure(let error): failed.append((error as? GranaryError)?.code ?? .io)
                }
            }
            try expectEqual(failed, [.mergeConflict, .mergeConflict])
            try expectEqual(numbers.count, 2)
            try expectEqual(numbers[1], numbers[0] + 1)
            try expectEqual(
                try trial.fetch(Shelf.all).map { "\($0.id) \($0.name)" }, ["1 0", "2 1", "3 a", "10 ", "11 "])
        },
        ConformanceCase(
            "external.groups", in: .external,
            "files of writes that are committed together are there, those of one that was undone are not",
            requires: [.externalData]
        ) { trial in
            let stack = try trial.open(Photo.schema)
            @Sendable func data(_ number: Int) -> Data { Data(repeating: UInt8(number), count: 200_000) }
            try trial.insert([Photo(id: 100, image: data(100))])
            let bodies: [GroupedBody] = (1...6).map { number in
                { tx in
                    try tx.insert(Photo(id: Int64(number), image: data(number)))
                    if number == 3 { throw Abandon() }
                    if number == 5 { _ = try tx.delete(Photo.self, 4) }
                    if number == 6 { try tx.update(Photo(id: 100, image: data(101))) }
                }
            }
            let outcomes = try await together(stack, on: trial, bodies)
            try expectEqual(codes(outcomes).filter { $0 != nil }.count, 1)
            try trial.read { snapshot in
                let photos = try snapshot.fetch(Photo.all)
                try expectEqual(photos.map(\.id), [1, 2, 5, 6, 100])
                try expectEqual(photos.map(\.image), [1, 2, 5, 6, 101].map { data($0) })
            }
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
        ConformanceCase(
            "search.committed-together", in: .search,
            "searches find what was committed together, and nothing that was undone"
        ) { trial in
            let stack = try trial.open(SuiteSchema.articles)
            try trial.insert([Article(id: 100, title: "old harbour")])
            let bodies: [GroupedBody] = (1...6).map { number in
                { tx in
                    try tx.insert(Article(id: Int64(number), title: "harbour word\(number)"))
                    // What the writes before have changed is found, too.
                    let found = try tx.fetch(Article.where { $0.search(.all("harbour")) }).map(\.id).filter { $0 < 100 }
                    try expectEqual(found, (1...number).filter { $0 != 3 || number == 3 }.map(Int64.init))
                    if number == 3 { throw Abandon() }
                    if number == 4 {
                        try tx.update(Article(id: 2, title: "quay"));
                        try tx.update(Article(id: 2, title: "harbour quay"))
                    }
                    if number == 6 { try tx.update(Article(id: 100, title: "new quay")) }
                }
            }
            let outcomes = try await together(stack, on: trial, bodies)
            try expectEqual(codes(outcomes).map { $0?.rawValue }, [nil, nil, "Abandon", nil, nil, nil])
            try trial.read { snapshot in
                let questions: [(String, [Int64])] = [
                    ("harbour", [1, 2, 4, 5, 6]), ("quay", [2, 100]), ("word2", []), ("word3", []), ("old", []),
                    ("word6", [6]),
                ]
                for (words, keys) in questions {
                    try expectEqual(
                        try snapshot.fetch(Article.where { $0.search(.all("\(words)")) }).map(\.id), keys, words)
                }
            }
            try expectEqual(try trial.stack.blocking.verify(), [])
        },
    ]
}
