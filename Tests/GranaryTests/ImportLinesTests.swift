import Foundation
import Granary
import GranaryMemory
import GranaryFormats
import TestSupport
import Testing

@testable import GranaryImport

/// Lines that are at hand are read by several threads: what comes of it is the same as from a source that is read by one.
struct ImportLinesTests {
    private static let schema = Schema(entities: [
        Entity("City", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)])
    ])

    /// What an import says and leaves behind.
    private func outcome(_ source: ByteSource, _ importer: Importer) throws -> [String] {
        let stack = try Stack(ImportLinesTests.schema, store: .inMemory)
        var lines: [String] = []
        do {
            let report = try stack.blocking.import(
                .json(source, JSONOptions(layout: .lines)), as: "City", with: importer)
            lines = ["\(report.inserted) \(report.updated) \(report.unchanged) \(report.failed) \(report.committed)"]
            // What cannot be read is told before what cannot be written, batch by batch.
            lines += report.issues.sorted { $0.line ?? 0 < $1.line ?? 0 }.map {
                "\($0.path) \($0.line ?? 0) \($0.error)"
            }
        } catch let error as GranaryError {
            lines = ["\(error) \(error.importPath ?? "") \(error.importLine ?? 0)"]
        }
        return try lines
            + stack.blocking.read { snapshot in
                try snapshot.fetch(Request("City")).map { "\($0)" }
            }
    }

    /// The same bytes as a source that is not known to be at hand.
    private func unknown(_ bytes: [UInt8]) -> ByteSource { ByteSource("bytes") { ArrayStream(bytes, chunk: 70_000) } }

    private func expectSame(_ bytes: [UInt8], _ importer: Importer, _ comment: Comment) throws {
        let (several, one) = try (
            BatchesAhead.$lineReaders.withValue(3) { try outcome(.bytes(bytes), importer) },
            outcome(unknown(bytes), importer)
        )
        let difference = zip(several, one).first { $0 != $1 }
        #expect(several == one, "\(comment): \(difference.map { "\($0) instead of \($1)" } ?? "more lines")")
    }

    @Test(arguments: (0..<24).map(TestSeed.of))
    func `lines of every kind are read as by one thread`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        var text = Bool.random(using: &random) ? "" : "\u{FEFF}"
        // A record that comes twice is counted by batches, and where one ends that has bytes enough or failures is not told exactly.
        let isUnique = Bool.random(using: &random)
        for number in 0..<Int.random(in: 0...120, using: &random) {
            let id = isUnique ? number : Int.random(in: 0...number, using: &random)
            let name = String(repeating: "é", count: Int.random(in: 0...40, using: &random))
            let lines = [
                "{\"id\": \(id), \"name\": \"\(name)\"}", "{\"id\": \(id), \"name\": \"\(name)\", \"more\": [1]}",
                "{\"name\": \"\(name)\", \"id\": \"\(id)\"}\r", "", "  \t", "\u{FEFF}", "{\"id\": \(id), \"name\": }",
                "{\"id\": \(id), \"name\": \"a\"} {}", "[", "{\"id\": \(id)}", "null", "\0",
            ]
            let kinds = isUnique && Int.random(in: 0..<3, using: &random) == 0 ? lines.count : 5
            text += lines[Int.random(in: 0..<kinds, using: &random)] + "\n"
        }
        if Bool.random(using: &random), !text.isEmpty { text.removeLast() }
        for failures in [ImportFailures.report, .throw] {
            var importer = Importer()
            importer.failures = failures
            importer.batchSize = Int.random(in: 1...30, using: &random)
            if isUnique { importer.batchBytes = Int.random(in: 1...2_000, using: &random) }
            if Bool.random(using: &random) { importer.commits = .every(Int.random(in: 1...20, using: &random)) }
            try expectSame(Array(text.utf8), importer, "seed \(seed), \(failures)")
        }
    }

    @Test func `many lines keep their order`() throws {
        let text = (0..<20_000).map { "{\"id\": \($0 % 9_000), \"name\": \"\($0)\"}\n" }.joined()
        var importer = Importer()
        importer.batchSize = 100
        try expectSame(Array(text.utf8), importer, "")
    }

    @Test func `a line that is very long is read as it comes`() throws {
        let long = String(repeating: "x", count: 3 << 20)
        let lines = [1, 2, 3, 4].map { "{\"id\": \($0), \"name\": \"\($0 == 3 ? long : "short")\"}" }
        var importer = Importer()
        for size in [1, 500] {
            importer.batchSize = size
            let text = lines.joined(separator: "\n") + "\n{\"id\": 5, \"name\": }\n"
            for failures in [ImportFailures.report, .throw] {
                importer.failures = failures
                try expectSame(Array(text.utf8), importer, "\(failures)")
            }
        }
    }

    @Test func `an archive that is cut off says the same`() throws {
        let folder = try TemporaryFolder()
        let path = folder("cities.jsonl.gz")
        let stack = try Stack(ImportLinesTests.schema, store: .inMemory)
        let text = (0..<5_000).map { "{\"id\": \($0), \"name\": \"\($0)\"}\n" }.joined()
        try stack.blocking.import(.json(.text(text), JSONOptions(layout: .lines)), as: "City")
        try stack.blocking.export(Request("City"), to: .file(path))
        let archive = try [UInt8](Data(contentsOf: URL(filePath: path)))
        for failures in [ImportFailures.report, .throw] {
            var importer = Importer()
            importer.failures = failures
            for count in [archive.count, archive.count / 2, archive.count - 4, 20] {
                try expectSame(Array(archive.prefix(count)), importer, "\(count) of \(archive.count), \(failures)")
            }
        }
    }
}
