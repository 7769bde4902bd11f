import Granary
import GranaryMemory
import Testing

@testable import GranaryImport

/// Objects that were decoded where they were read are imported as those that were not.
struct ImportDecodingTests {
    private static let schema = Schema(entities: [
        Entity(
            "City", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string, isOptional: true),
                Attribute("size", .int8, isOptional: true), Attribute("area", .double, isOptional: true),
                Attribute("born", .date, isOptional: true), Attribute("notes", .json, isOptional: true),
                Attribute("capitalOf", .int64, isOptional: true, reference: .init(entity: "City", onDelete: .nullify)),
            ])
    ])

    /// Each object is another way to say something of attributes.
    private static let lines = [
        #"{"id": 1, "name": "Paris", "size": 3, "area": 105.4, "born": "0250-01-01"}"#,
        #"{"id": "2", "name": "\u0042erlin", "area": 891, "born": null, "capitalOf": 1}"#,
        #"{"ID": 3, "area": 1e3, "Name": "Roma", "notes": {"hills": 7}}"#,
        #"{"id": 4, "size": 300, "area": "wide"}"#,
        #"{"id": 5, "capitalOf": {"id": 1, "name": "Lutetia"}, "size": 1}"#,
        #"{"capitalOf": 4, "id": 6, "what": [1, 2], "where": "there"}"#,
        #"{"id": 7, "NAME": "of the inferred key", "name": "of the exact key"}"#,
        #"{"id": 8, "name": "of the exact key", "NAME": "of the inferred key"}"#,
        #"{"id": 9, "name": "a value that is refused comes later", "name": [1]}"#,
        #"{"id": 9, "name": [1], "name": "a value that is refused comes first"}"#,
        #"{"id": 10, "capitalOf": {"id": 2}, "capitalOf": null}"#,
        #"{"id": 10, "size": 7}"#,
        #"{"name": "without a key"}"#,
        #"{"id": null, "name": "without a key"}"#,
        #"{}"#,
        #"[]"#,
        #"7"#,
        #"{"id": 11, "name": true, "size": "12", "area": "1.5", "born": 86400}"#,
    ]

    private struct Outcome: Equatable {
        var counts: [Int]
        var issues: [String]
        var unknownKeys: [String: [String]]
        var rows: [[StoredValue]]
        var error: String?
    }

    /// - Parameter decoded: How many of the objects are decoded before they are imported.
    private func outcome(decoded: Int, _ importer: Importer) throws -> Outcome {
        let schema = ImportDecodingTests.schema
        let source = ImportDecodingTests.lines.joined(separator: "\n")
        var reader = try ImportInput.json(.text(source), JSONOptions(layout: .lines, duplicateKeys: .last))
            .makeReader(ImportLayout())
        var items: [NumberedItem] = []
        while let item = try reader.next() { items.append(NumberedItem(number: 5 + items.count, item: item)) }
        let stack = try Stack(schema, store: .inMemory)
        return try stack.blocking.write { tx in
            let run = try ImportRun(importer, "City", in: schema, keepsKeys: false)
            var decoder = try #require(run.plans.readingDecoder)
            let batch = DecodedBatch(width: decoder.lanes.count)
            // One that has been used before.
            batch.begin(0)
            for item in items { decoder.decode(item.item.content, into: batch) }
            batch.begin(5)
            for item in items.prefix(decoded) { decoder.decode(item.item.content, into: batch) }
            var error: String?
            do {
                try run.add(ImportBatch(items: items, decoded: batch), in: tx)
                try run.finish(in: tx)
            } catch let thrown as GranaryError {
                error = "\(thrown.importPath ?? ""): \(thrown)"
            }
            let report = run.report
            let cursor = try tx.rows(FetchRequest(entity: 0, order: [.init(position: 0, isDescending: false)]))
            var rows: [[StoredValue]] = []
            while let row = try cursor.next() { rows.append((0..<row.count).map { StoredValue(row[$0]) }) }
            return Outcome(
                counts: [report.inserted, report.updated, report.unchanged, report.skipped, report.failed],
                issues: report.issues.map { "\($0)" }, unknownKeys: report.unknownKeys, rows: rows, error: error)
        }
    }

    @Test func `decoding ahead changes nothing`() throws {
        for failures in [ImportFailures.report, .throw] {
            for isStrict in [false, true] {
                var importer = Importer()
                importer.failures = failures
                importer.isStrict = isStrict
                let plain = try outcome(decoded: 0, importer)
                for count in 1...ImportDecodingTests.lines.count {
                    #expect(try outcome(decoded: count, importer) == plain)
                }
                #expect(failures == .throw || !plain.issues.isEmpty && !plain.rows.isEmpty)
            }
        }
    }

    @Test func `plain values are decoded and others are left`() throws {
        let run = try ImportRun(Importer(), "City", in: ImportDecodingTests.schema, keepsKeys: false)
        var decoder = try #require(run.plans.readingDecoder)
        let batch = DecodedBatch(width: decoder.lanes.count)
        batch.begin(0)
        var reader = try ImportInput.json(
            .text(ImportDecodingTests.lines.joined(separator: "\n")), JSONOptions(layout: .lines, duplicateKeys: .last)
        ).makeReader(ImportLayout())
        while let item = try reader.next() { decoder.decode(item.content, into: batch) }
        #expect(batch.decoded(0).map(\.left.count) == 0)
        #expect(batch.decoded(1).map(\.left.count) == 1)
        #expect(batch.decoded(3).map(\.left.count) == 2)
        // The order of both decides.
        #expect(batch.decoded(9) == nil)
        #expect(batch.decoded(15) == nil)
        #expect(batch.decoded(ImportDecodingTests.lines.count) == nil)
    }

    @Test func `what a hook or a mapping wants whole is not decoded ahead`() throws {
        func decoder(_ change: (inout Importer) -> Void) throws -> PlainDecoder? {
            var importer = Importer()
            change(&importer)
            return try ImportRun(importer, "City", in: ImportDecodingTests.schema, keepsKeys: false).plans
                .readingDecoder
        }
        #expect(try decoder { _ in } != nil)
        #expect(try decoder { $0.choose = { _, _ in "City" } } == nil)
        #expect(try decoder { $0.mapping = ImportMapping().map("name", from: "names.main") } == nil)
    }
}
