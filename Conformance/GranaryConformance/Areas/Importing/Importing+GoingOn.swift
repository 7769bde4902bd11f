import ConformanceKit
import GranaryCore
import GranaryImport

// Imports that commit in parts and end early: what another one, which goes on from there, must find.

private func card(_ key: Int64, place: Int64? = nil, board: Int64? = nil) -> ImportValue {
    let place: ImportValue = place.map { .integer($0) } ?? .null
    let board: ImportValue = board.map { .integer($0) } ?? .null
    return ["@": "Card", "id": .integer(key), "label": "x", "weight": 0, "place": place, "board": board]
}

private func board(_ key: Int64) -> ImportValue { ["@": "Board", "id": .integer(key)] }

private func board(_ key: Int64, cards: [Int64]) -> ImportValue {
    let members = cards.map { ImportValue.integer($0) }
    return ["@": "Board", "id": .integer(key), "cards": .array(members)]
}

private let wrong: ImportValue = ["@": "Card", "label": "without a key"]

private func inParts(_ count: Int = 1, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    Importer.mixed { importer in
        importer.commits = .every(count)
        change(&importer)
    }
}

/// Objects before each of which, and at whose end, code is called.
private struct Interrupted: ImportSource {
    let objects: [ImportValue]
    let before: @Sendable (Int) throws -> Void

    func makeReader(_ layout: ImportLayout) throws -> any ImportReader { InterruptedReader(source: self) }
}

private struct InterruptedReader: ImportReader {
    let source: Interrupted
    var index = 0

    mutating func next() throws -> ImportItem? {
        try source.before(index)
        guard index < source.objects.count else { return nil }
        let item = ImportItem(source.objects[index], index: index)
        index += 1
        return item
    }
}

extension Stack {
    /// How many objects an import has committed that ends early.
    fileprivate func committed(_ source: [ImportValue], as entity: String, with importer: Importer) throws -> Int? {
        do {
            try blocking.import(source, as: entity, with: importer)
            return nil
        } catch let error as GranaryError {
            return error.importReport?.committed
        }
    }
}

var importGoingOnCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.going-on-inserts", in: .importing,
            "an import that inserts alone goes on with what waited for a later object", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            var importer = inParts { $0.policy = .insertOnly }
            let source = [card(1), card(2, board: 5), card(3), board(6, cards: [9])]
            importer.start = try stack.committed(source + [wrong], as: "Card", with: importer) ?? -1
            try expectEqual(importer.start, 1)
            try expectEqual(try stack.blocking.read { try $0.fetch(Card.all).map(\.id) }, [1, 3])
            let report = try stack.blocking.import(source + [board(5), card(9)], as: "Card", with: importer)
            try expectEqual(report.counts, [4, 0, 0, 1, 0])
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.find(Card.self, 2)?.board, Ref(5))
                try expectEqual(try snapshot.find(Card.self, 9)?.board, Ref(6))
            }
        },
        ConformanceCase(
            "import.going-on-newer", in: .importing,
            "an import that passes over what is not newer goes on with what waited for a later object", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            try stack.blocking.write { _ = try $0.insert(Card(id: 2, place: 1)) }
            var importer = inParts { $0.mapping = ImportMapping().ignore("@").skipUnless(newer: "place") }
            let source = [card(1), card(2, place: 7, board: 5)]
            importer.start = try stack.committed(source + [wrong], as: "Card", with: importer) ?? -1
            try expectEqual(importer.start, 1)
            try expectEqual(try stack.blocking.read { try $0.find(Card.self, 2)?.place }, 1)
            try stack.blocking.import(source + [board(5)], as: "Card", with: importer)
            let moved = try stack.blocking.read { try $0.find(Card.self, 2) }
            try expectEqual(moved?.place, 7)
            try expectEqual(moved?.board, Ref(5))
        },
        ConformanceCase(
            "import.going-on-deletes", in: .importing,
            "an import that goes on deletes what lists of linked records do not have", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.mixes)
            let stack = try trial.stack
            try stack.blocking.write { tx in
                try tx.insert([Mix(id: 1), Mix(id: 2)])
                try tx.insert([Track(id: 1), Track(id: 2), Track(id: 3)])
                try Mix(id: 1).tracks.add(keys: [1, 2, 3], in: tx)
                try Mix(id: 2).tracks.add(keys: [3], in: tx)
            }
            var importer = Importer()
            importer.commits = .every(1)
            importer.mapping = ImportMapping().relate("tracks", .replaceAndDelete)
            let source: [ImportValue] = [["id": 1, "tracks": [1]]]
            try expectEqual(try stack.committed(source + [["name": "none"]], as: "Mix", with: importer), 0)
            try expectEqual(try stack.blocking.import(source, as: "Mix", with: importer).deleted, 1)
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Track.all).map(\.id), [1, 3])
                try expectEqual(try Mix(id: 1).tracks.all.fetch(in: snapshot).map(\.id), [1])
                try expectEqual(try Mix(id: 2).tracks.all.fetch(in: snapshot).map(\.id), [3])
            }
        },
        ConformanceCase(
            "import.commits-gone", in: .importing,
            "what waits for a later object is passed over if its record is deleted between two commits", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            let called = Journal<String>()
            let source = Interrupted(objects: [board(1, cards: [7]), card(8), card(7)]) { index in
                if index == 1 { try stack.blocking.write { _ = try Board.deleteAll(in: $0) } }
            }
            let importer = inParts {
                $0.mapping = ImportMapping().ignore("@").didRelate("cards") { _, _ in called.add("cards") }
            }
            let report = try stack.blocking.import(source, as: "Board", with: importer)
            try expectEqual([report.inserted, report.committed, report.issueCount], [3, 3, 0])
            try expectEqual(try stack.blocking.read { try $0.fetch(Card.all).map(\.board) }, [nil, nil])
            try expectEqual(called.entries, [])
        },
        ConformanceCase(
            "import.going-on-create", in: .importing,
            "an import that makes a record of each object without a key does not begin within a source", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            try expectError(.invalidQuery) {
                try stack.blocking.import(
                    [card(1), card(2)], as: "Card",
                    with: inParts {
                        $0.missingKey = .create
                        $0.start = 1
                    }
                ).inserted
            }
            try expectEqual(try stack.blocking.read { try $0.count(Card.all) }, 0)
        },
        ConformanceCase(
            "import.commits-size", in: .importing, "no commit has more objects than the importer says", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            let before = try stack.blocking.read { $0.transactionNumber }
            try stack.blocking.import((1...14).map { card($0) }, as: "Card", with: inParts(6) { $0.batchSize = 4 })
            try expectEqual(try stack.blocking.read { Int($0.transactionNumber - before) }, 3)
        },
        ConformanceCase(
            "import.start-beyond", in: .importing,
            "an import that begins after the end of its source commits what is there",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let report = try trial.stack.blocking.import(
                [card(1), card(2)], as: "Card",
                with: inParts {
                    $0.start = 9
                })
            try expectEqual([report.inserted, report.committed], [0, 2])
        },
        ConformanceCase(
            "import.source-end", in: .importing, "a source that has told its end is not asked again", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let asked = Journal<Int>()
            let source = Interrupted(objects: [card(1)]) { asked.add($0) }
            try trial.stack.blocking.import(source, as: "Card", with: inParts())
            try expectEqual(asked.entries, [0, 1])
        },
        ConformanceCase(
            "import.start-cancelled", in: .importing, "an import that is cancelled while it passes over objects ends",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            let (begun, announce) = AsyncStream<Void>.makeStream()
            let gate = Gate()
            let asked = Journal<Int>()
            let source = Interrupted(objects: (1...10).map { card($0) }) { index in
                asked.add(index)
                guard index == 1 else { return }
                announce.yield()
                gate.wait()
            }
            let task = Task { try await stack.import(source, as: "Card", with: inParts { $0.start = 9 }) }
            for await _ in begun { break }
            task.cancel()
            gate.open()
            let result = await task.result
            try expectError(.cancelled) { try result.get() }
            try expectEqual(asked.entries, [0, 1])
        },
        ConformanceCase(
            "import.lists-limit", in: .importing, "lists that wait are bounded as objects are", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            try expectError(.limit, entity: "Board") {
                try stack.blocking.import(
                    [board(1, cards: Array(1...100))], as: "Board", with: Importer.mixed { $0.maximumHeldBytes = 1_000 }
                ).inserted
            }
            try expectEqual(try stack.blocking.read { try $0.count(Board.all) }, 0)
        },
    ]
}
