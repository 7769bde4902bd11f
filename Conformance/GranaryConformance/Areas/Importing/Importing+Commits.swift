import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport

// Imports into a stack that commit in parts: what is committed when one ends early, and how another one goes on.

private func genres(_ range: ClosedRange<Int64>) -> [ImportValue] {
    range.map { ["id": .integer($0), "label": .string("g\($0)")] }
}

private func committing(_ count: Int, _ change: (inout Importer) -> Void = { _ in }) -> Importer {
    var importer = Importer()
    importer.commits = .every(count)
    change(&importer)
    return importer
}

private let wrong: ImportValue = ["label": "without a key"]

var importCommitsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.commits", in: .importing, "an import into a stack commits after each number of objects",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let stack = try trial.stack
            for (every, commits) in [(3, 4), (10, 1), (4, 3), (1, 10), (0, 10), (1_000, 1)] {
                try stack.blocking.write { _ = try Genre.deleteAll(in: $0) }
                let before = try stack.blocking.read { $0.transactionNumber }
                let committed = Journal<Int>()
                let importer = committing(every) { $0.progress = { committed.add($0.committed) } }
                let report = try stack.blocking.import(genres(1...10), as: Genre.self, with: importer)
                try expectEqual(report.counts, [10, 0, 0, 0, 0])
                try expectEqual(report.committed, 10)
                try expectEqual(committed.entries.last, 10)
                try expectEqual(
                    try stack.blocking.read {
                        Int($0.transactionNumber - before)
                    }, commits, "every \(every)")
            }
            let once = try await stack.import(genres(1...10), as: Genre.self)
            try expectEqual([once.committed, once.unchanged], [10, 10])
        },
        ConformanceCase(
            "import.commits-ended", in: .importing,
            "an import that fails leaves what is committed, and another one goes on from there", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let stack = try trial.stack
            let source = genres(1...7) + [wrong] + genres(8...12)
            var ended: ImportReport?
            do {
                try await stack.import(source, as: Genre.self, with: committing(3))
            } catch let error as GranaryError {
                try expectEqual(error.code, .required)
                try expectEqual(error.importPath, "$[7]")
                ended = error.importReport
            }
            try expectEqual(ended?.counts, [6, 0, 0, 0, 0])
            try expectEqual(ended?.committed, 6)
            try expectEqual(try stack.blocking.read { try $0.fetch(Genre.all).map(\.id) }, Array(1...6))
            let rest = committing(3) {
                $0.start = ended?.committed ?? 0
                $0.failures = .report
            }
            let report = try await stack.import(source, as: Genre.self, with: rest)
            try expectEqual(report.counts, [6, 0, 0, 0, 1])
            try expectEqual(report.issues.map(\.path), ["$[7]"])
            try expectEqual(report.committed, 13)
            try expectEqual(try stack.blocking.read { try $0.fetch(Genre.all).map(\.id) }, Array(1...12))
        },
        ConformanceCase(
            "import.commits-unreadable", in: .importing,
            "a file that cannot be read to its end tells what is committed and where it ends",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let stack = try trial.stack
            let text = #"[{"id": 1, "label": "a"}, {"id": 2, "label": "b"}, {"id": 3, "label": }]"#
            do {
                try stack.blocking.import(.json(.text(text)), as: Genre.self, with: committing(1))
                try expect(false, "it does not end")
            } catch let error as GranaryError {
                try expectEqual(error.code, .invalidInput)
                try expectEqual(error.importReport?.committed, 2)
                try expectEqual(error.position?.line, 1)
            }
            let all = text.replacingOccurrences(of: " }]", with: " \"c\"}]")
            let report = try stack.blocking.import(
                .json(.text(all)), as: Genre.self,
                with: committing(1) {
                    $0.start = 2
                })
            try expectEqual([report.inserted, report.committed], [1, 3])
            try expectEqual(try stack.blocking.read { try $0.fetch(Genre.all).map(\.label) }, ["a", "b", "c"])
        },
        ConformanceCase(
            "import.commits-waiting", in: .importing,
            "what refers to a later object does not count as committed until that has come", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let stack = try trial.stack
            func card(_ key: Int64, board: Int64? = nil) -> ImportValue {
                let reference: ImportValue = board.map { .integer($0) } ?? .null
                return ["@": "Card", "id": .integer(key), "label": "x", "weight": 0, "board": reference]
            }
            let source = [card(1), card(2, board: 5), card(3), card(4), ["@": "Board", "id": 5], card(6)]
            let inParts = Importer.mixed { $0.commits = .every(1) }
            do {
                try stack.blocking.import(
                    Array(source.prefix(4)) + [["@": "Card", "label": "without a key"]], as: "Card", with: inParts)
                try expect(false, "it does not end")
            } catch let error as GranaryError {
                try expectEqual(error.importReport?.committed, 1)
            }
            try expectEqual(try stack.blocking.read { try $0.count(Card.all) }, 4)
            var rest = inParts
            rest.start = 1
            let report = try stack.blocking.import(source, as: "Card", with: rest)
            try expectEqual([report.inserted, report.updated, report.unchanged], [2, 1, 2])
            try expectEqual(report.committed, 6)
            let moved = try stack.blocking.read { try $0.find(Card.self, 2) }
            try expectEqual(moved?.board, Ref(5))
        },
        ConformanceCase(
            "import.commits-between", in: .importing, "other writers get their turns between the commits",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let stack = try trial.stack
            let (committed, written) = (Event("the first commit"), Event("the write of the other writer"))
            // The source has no more objects until the other writer has written.
            let chunks = AsyncStream<[UInt8]> { stream in
                stream.yield(Array("{\"id\": 1, \"label\": \"a\"}\n".utf8))
                Task.detached {
                    try? await written.happened()
                    stream.yield(Array("{\"id\": 2, \"label\": \"b\"}\n".utf8))
                    stream.finish()
                }
            }
            let importing = Task {
                let importer = committing(1) { $0.progress = { if $0.committed == 1 { committed.set() } } }
                return try await stack.import(
                    .json(.chunks(of: chunks), JSONOptions(layout: .lines)), as: Genre.self, with: importer)
            }
            do {
                try await committed.happened()
                try await stack.write { _ = try $0.insert(Genre(id: 9, label: "other")) }
            } catch {
                written.set()
                _ = await importing.result
                throw error
            }
            written.set()
            let report = try await importing.value
            try expectEqual(report.inserted, 2)
            try expectEqual(try stack.blocking.read { try $0.fetch(Genre.all).map(\.id) }, [1, 2, 9])
        },
        ConformanceCase(
            "import.commits-mirror", in: .importing, "a mirroring import deletes in its last commit, if all went well",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let stack = try trial.stack
            try stack.blocking.import(genres(1...9), as: Genre.self)
            let mirror = committing(2) { $0.policy = .mirror() }
            try expectError(.required) {
                try stack.blocking.import(genres(1...4) + [wrong], as: Genre.self, with: mirror).deleted
            }
            try expectEqual(try stack.blocking.read { try $0.count(Genre.all) }, 9)
            try expectEqual(try stack.blocking.import(genres(1...5), as: Genre.self, with: mirror).deleted, 4)
            try expectEqual(try stack.blocking.read { try $0.count(Genre.all) }, 5)
            // What another import has passed over is not known to be in the source.
            try expectError(.invalidQuery) {
                try stack.blocking.import(
                    genres(1...5), as: Genre.self,
                    with: committing(2) {
                        $0.policy = .mirror()
                        $0.start = 2
                    }
                ).deleted
            }
        },
        ConformanceCase(
            "import.commits-trial", in: .importing,
            "a dry run commits nothing, and a context commits its imports itself",
            modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let stack = try trial.stack
            let report = try stack.blocking.import(
                genres(1...9), as: Genre.self,
                with: committing(2) {
                    $0.isDryRun = true
                })
            try expectEqual([report.inserted, report.committed], [9, 0])
            try expectEqual(try stack.blocking.read { try $0.count(Genre.all) }, 0)
            try expectError(.invalidQuery) {
                try stack.blocking.write { try $0.import(genres(1...3), as: Genre.self, with: committing(2)).records }
            }
            let context = try stack.makeContext()
            try expectError(.invalidQuery) {
                try context.import(genres(1...3), as: Genre.self, with: committing(2)).records
            }
            try expectEqual(context.hasChanges, false)
        },
    ]
}
