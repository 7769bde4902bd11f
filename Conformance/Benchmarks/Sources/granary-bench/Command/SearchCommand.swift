import ArgumentParser
import Foundation
import GranaryCore
import GranaryLMDB
import GranaryMemory
import GranarySQLite

/// How long searches for words take, beside FTS5.
struct SearchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Times searches for words, beside C with FTS5.")

    @OptionGroup var output: FigureOutput
    @Option(help: "How many texts.")
    var rows = 1_000_000
    @Option(help: "How many times each search is timed.")
    var rounds = 5
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: on a disk, not in memory.")
    var folder = "/var/tmp"

    func validate() throws {
        guard rows >= 1_000 else { throw ValidationError("--rows must be 1000 or more.") }
        guard rounds >= 1 else { throw ValidationError("--rounds must be 1 or more.") }
    }

    func run() throws {
        try TemporaryFolder.with(in: folder) { folder in try compare(in: folder) }
    }

    private static let stores: [(name: String, open: @Sendable (Schema, String) throws -> Stack)] = [
        ("sqlite", { try Stack($0, store: .sqlite(at: URL(fileURLWithPath: $1))) }),
        ("lmdb", { try Stack($0, store: .lmdb(at: URL(fileURLWithPath: $1))) }),
        ("memory", { schema, _ in try Stack(schema, store: .inMemory) }),
    ]

    private func compare(in folder: String) throws {
        var texts = ZipfTexts(vocabulary: 50_000)
        let essays = (1...rows).map { Essay(id: Int64($0), text: texts.text(words: 12)) }
        let words = texts.vocabulary
        let questions: [(name: String, raw: String, search: SearchText)] = [
            ("two common words", "\(words[2]) \(words[5])", .all("\(words[2]) \(words[5])")),
            ("two rarer words", "\(words[300]) \(words[500])", .all("\(words[300]) \(words[500])")),
            ("either of them", "\(words[300]) OR \(words[500])", .any("\(words[300]) \(words[500])")),
            ("a rare word", words[40_000], .all(words[40_000])),
            (
                "a beginning of three letters", "\(words[9].prefix(3))*",
                .all(String(words[9].prefix(3)), beginnings: true)
            ),
            ("a phrase", "\"\(words[2]) \(words[5])\"", .phrase("\(words[2]) \(words[5])")),
        ]
        let raw = try FullTextTable("\(folder)/raw.sqlite")
        try output.begin(
            Self.self, folder: folder, head: "what                           store      median ms     ratio to FTS5")
        let building = try timed { try raw.insert(essays) }
        try report("insert all", "raw", building, nil)
        var found: [[(id: Int64, score: Double)]] = []
        var searching: [Duration] = []
        for question in questions {
            found.append(try raw.best(question.raw))
            searching.append(try median { _ = try raw.best(question.raw) })
            try report(question.name, "raw", searching[searching.count - 1], nil)
        }
        try raw.shortenLog()
        let changing = try changes(essays) { try raw.change($0, to: $1) }
        try report("change a record", "raw", changing, nil)
        try raw.close()
        try report("bytes", "raw", size(of: "\(folder)/raw.sqlite"), nil)
        for (name, open) in SearchCommand.stores {
            let path = "\(folder)/\(name)"
            let stack = try open(Schema(Essay.self), path)
            let inserting = try timed { try stack.blocking.write { _ = try $0.insert(essays) } }
            try report("insert all", name, inserting, building)
            for (place, question) in questions.enumerated() {
                let query = Essay.where { $0.search(question.search) }.sorted(by: .rank).limit(20)
                let best = try stack.blocking.read { try query.select { ($0.id, $0.search.rank) }.fetch(in: $0) }
                guard best.count == found[place].count,
                    zip(best, found[place]).allSatisfy({ abs($0.1 - $1.score) < 1e-6 })
                else {
                    throw BenchmarkError("\(name): \(question.name) gives \(best), and FTS5 \(found[place])")
                }
                try report(
                    question.name, name, try median { _ = try stack.blocking.read { try query.fetch(in: $0) } },
                    searching[place])
            }
            try report(
                "change a record", name,
                try changes(essays) { old, new in try stack.blocking.write { try $0.update(new) } }, changing)
            try stack.blocking.close()
            try report("bytes", name, size(of: path), size(of: "\(folder)/raw.sqlite"))
        }
    }

    /// Changes one word of some records, each in a transaction, and back.
    private func changes(_ essays: [Essay], _ change: (Essay, Essay) throws -> Void) throws -> Duration {
        var times: [Duration] = []
        for step in 0..<100 {
            let old = essays[step * (essays.count / 100)]
            let new = Essay(
                id: old.id, text: old.text.split(separator: " ").dropLast().joined(separator: " ") + " changed")
            times.append(try timed { try change(old, new) })
            try change(new, old)
        }
        return Comparison.median(times)
    }

    private func median(_ body: () throws -> Void) throws -> Duration {
        Comparison.median(try (0..<rounds).map { _ in try timed(body) })
    }

    private func timed(_ body: () throws -> Void) throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        return clock.now - start
    }

    private func report(_ what: String, _ store: String, _ time: Duration, _ yardstick: Duration?) throws {
        try report(
            what, store, String(format: "%12.3f", time / .milliseconds(1)),
            FigureLine(what, subject(store), median: time), yardstick.map { time / $0 })
    }

    private func report(_ what: String, _ store: String, _ bytes: Int, _ yardstick: Int?) throws {
        try report(
            what, store, String(format: "%12d", bytes),
            FigureLine(what, subject(store), measure: "size", value: Double(bytes), unit: "bytes"),
            bytes > 0 ? yardstick.map { Double(bytes) / Double($0) } : nil)
    }

    private func report(
        _ what: String, _ store: String, _ value: String, _ line: FigureLine, _ ratio: Double?
    ) throws {
        let row =
            what.padding(toLength: 31, withPad: " ", startingAt: 0)
            + store.padding(toLength: 8, withPad: " ", startingAt: 0) + value
            + (ratio.map { String(format: "%14.2f", $0) } ?? "")
        // A store in memory has no bytes.
        try output.show(row, line.value == 0 ? [] : [line.compared(ratio, to: "FTS5")])
    }

    private func subject(_ store: String) -> String { store == "raw" ? "fts5" : "granary-" + store }

    private func size(of path: String) -> Int {
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { "\(path)/\($0)" } ?? []
        return ([path] + files).reduce(0) { sum, file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }
}
