import Foundation
import Granary
import GranaryMemory
import TestSupport
import Testing

@testable import GranaryImport

/// A type that says what the keys of a source mean, and has no hooks.
@Record struct LabelledCity {
    @Key var id: Int64
    var name: String
    var area: Double
}

extension LabelledCity: ImportMapped {
    static let importMapping = ImportMapping().map("name", from: "label").ignore("debug")
}

/// Whether imports take plain values from where a reader has put them.
struct ImportLaneTests {
    private static let schema = Schema(entities: [
        Entity(
            "City", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string), Attribute("area", .double),
                Attribute("born", .date, isOptional: true),
                Attribute("capitalOf", .int64, isOptional: true, reference: .init(entity: "City", onDelete: .nullify)),
            ])
    ])

    /// Imports a source into an empty store. Returns of how many members a tree was made.
    private func madeValues(_ source: some ImportSource, _ importer: Importer = Importer()) throws -> Int {
        try Stack(ImportLaneTests.schema, store: .inMemory).blocking.write { tx in
            let run = try ImportRun(importer, "City", in: ImportLaneTests.schema, keepsKeys: false)
            try run.run(run.batches(of: source), in: tx)
            #expect(run.report.inserted == 3)
            return run.account.madeValues
        }
    }

    private static let lines = """
        {"id": 1, "name": "Paris", "area": 105.4, "born": "0250-01-01"}
        {"id": "2", "name": "\\u0042erlin", "area": 891, "born": null}
        {"ID": 3, "area": 1e3, "Name": "Roma"}
        """

    @Test func `plain values of JSON lines make no tree`() throws {
        let made = try madeValues(.json(.text(ImportLaneTests.lines), JSONOptions(layout: .lines)))
        #expect(made == 0)
    }

    @Test func `plain values of an array make no tree`() throws {
        let text = "[\(ImportLaneTests.lines.split(separator: "\n").joined(separator: ","))]"
        #expect(try madeValues(.json(.text(text))) == 0)
    }

    @Test func `plain values of CSV make no tree`() throws {
        #expect(try madeValues(.csv(.text("id,name,area\n1,Paris,105.4\n2,Berlin,891\n3,Roma,\"1e3\"\n"))) == 0)
    }

    @Test func `what is nested, and what is unknown, makes no tree`() throws {
        let text = ImportLaneTests.lines + "\n{\"id\": 1, \"capitalOf\": {\"id\": 2}, \"what\": []}"
        #expect(try madeValues(.json(.text(text), JSONOptions(layout: .lines))) == 0)
    }

    @Test func `what cannot be converted makes a tree of its member alone`() throws {
        let text = ImportLaneTests.lines + "\n{\"id\": 1, \"area\": {\"km2\": 105}, \"born\": []}"
        #expect(try madeValues(.json(.text(text), JSONOptions(layout: .lines))) == 2)
    }

    @Test func `plain values of a type that has a mapping and no hooks make no tree`() throws {
        let schema = Schema(LabelledCity.self)
        let text = #"[{"id": 1, "label": "Paris", "area": 105.4, "debug": 1}]"#
        try Stack(schema, store: .inMemory).blocking.write { tx in
            let run = try ImportRun(Importer(), "LabelledCity", in: schema, keepsKeys: false)
            #expect(run.plans.readingDecoder != nil)
            try run.run(run.batches(of: .json(.text(text))), in: tx)
            #expect(run.report.inserted == 1)
            #expect(run.account.madeValues == 0)
            #expect(try tx.find(LabelledCity.self, 1)?.name == "Paris")
        }
    }

    @Test func `numbers are their nearest doubles, and keep their text`() throws {
        let value = try ImportValue(json: #"[1.5, {"a": 2.50, "b": [-0, 1e3], "c": 4}, 3]"#)
        let inner: ImportValue = ["a": .decimal("2.50"), "b": [.decimal("-0"), .decimal("1e3")], "c": 4]
        #expect(value == [.decimal("1.5"), inner, 3])
        let stack = try Stack(ImportLaneTests.schema, store: .inMemory)
        let text = """
            [{"id": 1, "name": 1.50, "area": 1.7976931348623157e308}, {"area": 0.1, "id": 2, "name": "b"},
             {"id": 3, "name": "c", "area": 123456789012345678901234567890.5}, {"id": 4, "name": "d", "area": 5e-324},
             {"id": 5, "name": "e", "area": -0.0}]
            """
        #expect(try stack.blocking.import(.json(.text(text)), as: "City").inserted == 5)
        let large = try stack.blocking.import(.json(.text(#"[{"id": 2, "area": 1e999}]"#)), as: "City")
        #expect(large.issues.map(\.path) == ["$[0].area"])
        let cities = try stack.blocking.read { try $0.fetch(Request("City")) }
        #expect(cities.first?["name"] == .string("1.50"))
        // The compiler may round what has more digits twice.
        let long = try #require(Double("123456789012345678901234567890.5"))
        let areas: [Double] = [.greatestFiniteMagnitude, 0.1, long, .leastNonzeroMagnitude, 0]
        #expect(cities.compactMap { $0["area"] } == areas.map { StoredValue.real($0) })
    }

    @Test func `batches are read ahead one after the other`() throws {
        var importer = Importer()
        importer.batchSize = 1
        let made = try madeValues(.json(.text(ImportLaneTests.lines), JSONOptions(layout: .lines)), importer)
        #expect(made == 0)
        #expect(ImportInput.json(.text("")).canBeReadAhead)
        #expect(!ImportInput.json(.standardInput).canBeReadAhead)
    }

    @Test func `the files of a folder are read ahead, one after the other`() throws {
        let folder = URL(filePath: TemporaryFolder.parent).appending(path: "granary-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (index, line) in ImportLaneTests.lines.split(separator: "\n").enumerated() {
            try Data(line.utf8).write(to: folder.appending(path: "\(index).jsonl"))
        }
        #expect(folder.canBeReadAhead)
        var importer = Importer()
        importer.batchSize = 1
        #expect(try madeValues(folder, importer) == 0)
        #expect(try madeValues(folder) == 0)
        #expect(!folder.appending(path: "nothing").canBeReadAhead)
    }

    @Test func `errors of batches read ahead come after what was before`() throws {
        var importer = Importer()
        importer.batchSize = 1
        importer.failures = .report
        let text = "{\"id\": 1, \"name\": \"a\", \"area\": 1}\n{\"id\":\n{\"id\": 2, \"name\": \"b\", \"area\": 2}\n"
        let stack = try Stack(ImportLaneTests.schema, store: .inMemory)
        let report = try stack.blocking.import(
            .json(.text(text), JSONOptions(layout: .lines)), as: "City", with: importer)
        #expect(report.inserted == 2)
        #expect(report.issues.map(\.line) == [2])
        importer.failures = .throw
        #expect(throws: GranaryError.self) {
            try stack.blocking.import(.json(.text(text), JSONOptions(layout: .lines)), as: "City", with: importer)
        }
    }
}
