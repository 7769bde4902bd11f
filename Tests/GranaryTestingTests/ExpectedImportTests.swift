import Foundation
import Granary
import GranaryTesting
import Testing

struct ExpectedImportTests {
    private let paintings: ImportValue = [
        ["id": 1, "title": "Roots", "price": 12.5, "fee": 1.25, "painter": ["id": 7, "name": "Frida"]],
        ["id": 2, "title": "Bus", "fee": 3],
    ]

    private func differences(_ body: () async throws -> Void) async throws -> [String] {
        do {
            try await body()
            return []
        } catch let failure as ExpectationFailure {
            return failure.differences
        }
    }

    @Test func `what is imported as expected passes, in any order`() async throws {
        let report = try await expectImport(
            paintings, as: Painting.self, in: gallery,
            gives: [
                Painting(id: 2, title: "Bus", fee: 3),
                Painting(id: 1, title: "Roots", price: 12.50, fee: 1.25, painter: Ref(7)),
            ])
        // The painter, too.
        #expect(report.inserted == 3)
    }

    @Test func `each difference is said with the record and the attribute`() async throws {
        let found = try await differences {
            try await expectImport(
                paintings, as: Painting.self, in: gallery,
                gives: [
                    Painting(id: 1, title: "Root", price: 12.75, fee: 1.30, isSold: true),
                    Painting(id: 3, title: "Hat", fee: 0), Painting(id: 1, title: "Roots", fee: 0),
                ])
        }
        #expect(
            found == [
                #"Painting 1, title: expected "Root", found "Roots""#, "Painting 1, price: expected 12.75, found 12.5",
                "Painting 1, fee: expected 1.3, found 1.25", "Painting 1, isSold: expected true, found false",
                "Painting 1, painter: expected nil, found 7", "Painting 3: expected, and not imported",
                "Painting 1: expected twice", "Painting 2: imported, and not expected",
            ])
    }

    @Test func `problems that the import reports are differences`() async throws {
        var importer = Importer()
        importer.failures = .report
        let found = try await differences {
            try await expectImport(
                [["id": 1, "title": "Roots", "fee": "dear"]] as ImportValue, as: Painting.self, in: gallery,
                with: importer, gives: [])
        }
        #expect(found.count == 1 && found[0].hasPrefix("problem at $[0]"), "\(found)")
        // Without a report of failures, the import itself throws.
        await #expect(throws: GranaryError.self) {
            try await expectImport(
                [["id": 1, "title": "Roots", "fee": "dear"]] as ImportValue, as: Painting.self, in: gallery, gives: [])
        }
    }

    @Test func `values of a record are compared by attribute and by path`() async throws {
        try await expectImport(
            paintings, as: Painting.self, in: gallery, key: 1,
            has: [
                "title": "Roots", "painter.name": "Frida", "painter.born": nil, "isSold": false,
                "price": .value(Decimal(12.5)),
            ])
        let found = try await differences {
            try await expectImport(
                paintings, as: Painting.self, in: gallery, key: 1,
                has: ["title": "Bus", "painter.name": nil, "price": nil])
        }
        #expect(found.count == 3 && found[0] == #"Painting 1, title: found "Roots""#, "\(found)")
        #expect(
            try await differences {
                try await expectImport(paintings, as: Painting.self, in: gallery, key: 9, has: ["title": "Bus"])
            } == ["Painting 9: expected, and not imported"])
        await #expect(throws: GranaryError.self) {
            try await expectImport(paintings, as: Painting.self, in: gallery, key: 1, has: ["tilte": "Bus"])
        }
        // The types of values are checked, as in queries.
        await #expect(throws: GranaryError.self) {
            try await expectImport(paintings, as: Painting.self, in: gallery, key: 1, has: ["fee": 1.25])
        }
    }

    @Test func `an import may be tried on a store with records`() async throws {
        try await expectImport(
            [["id": 1, "title": "Roots"]] as ImportValue, as: Painting.self, in: gallery,
            gives: [Painting(id: 1, title: "Roots", price: 3, fee: 2), Painting(id: 5, title: "Bus", fee: 0)]
        ) { tx in
            try tx.insert(Painting(id: 1, title: "Root", price: 3, fee: 2))
            try tx.insert(Painting(id: 5, title: "Bus", fee: 0))
        }
    }
}
