import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore
import GranaryImport

// Values of a source as Codable types, and Codable types as a source.

/// What a service has of an artist: a type that is no record.
private struct Listing: Codable, Equatable {
    enum Kind: String, Codable { case solo, band }

    struct Place: Codable, Equatable {
        var city: String
        var at: [Double]
    }

    var id: Int64
    var label: String
    var price: Decimal?
    var born: Date?
    var kind: Kind?
    var place: Place?
    var link: URL?
    var code: UUID?
    var bytes: Data?
    var small: [Int: Int8]?
    var flags: [Bool?]?
    var big: UInt64?
}

private let whole = Listing(
    id: .max, label: "Ada \u{1F3B5}", price: Decimal(string: "12345678901234567890.123456789"),
    born: Date(timeIntervalSinceReferenceDate: 736_214_400.25), kind: .band,
    place: Listing.Place(city: "Oslo", at: [59.25, -0.1]), link: URL(string: "https://example.com/a?b=1"),
    code: UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950E"), bytes: Data([0, 255, 7]), small: [7: -3],
    flags: [true, nil, false], big: .max)

var importCodedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.coded", in: .importing, "a Codable type becomes a value, which it is decoded from, with every digit"
        ) { trial in
            try expectEqual(try ImportValue(encoding: whole).decoded(as: Listing.self), whole)
            let few = Listing(id: .min, label: "")
            try expectEqual(
                try ImportValue(encoding: [few]), [["id": .integer(.min), "label": ""]])
            try expectEqual(try ImportValue(encoding: [few]).decoded(as: [Listing].self), [few])
            try expectEqual(try ImportValue(encoding: ["a": [1, nil]]), ["a": [1, nil]])
            try expectEqual(try ImportValue(encoding: "text"), "text")
            // As it is written in a source, and in a table, where all values are texts.
            let text = #"{"id": 9223372036854775807, "label": "x", "price": 1e-3, "born": "2024-05-01", "other": 1}"#
            let read = try ImportValue(json: text).decoded(as: Listing.self)
            try expectEqual(read.price, Decimal(string: "0.001"))
            try expectEqual(read.born, Date(timeIntervalSinceReferenceDate: 736_214_400))
            var rows = try ImportInput.csv(.text("id,label,price,born\n7,x,12.50,\n")).makeReader(ImportLayout())
            try expectEqual(
                try rows.next()?.value.decoded(as: Listing.self),
                Listing(id: 7, label: "x", price: Decimal(string: "12.5"))
            )
        },
        ConformanceCase(
            "import.coded-refused", in: .importing,
            "what cannot be decoded is an error that has the path and the line of it"
        ) { trial in
            let lines = """
                {"id": 1, "label": "a"}
                {"id": 2, "label": "b", "place": {"city": "Oslo", "at": [1, "x"]}}
                {"id": 3, "label": "c", "place": {"at": []}}
                {"id": 1.5, "label": "d"}
                {"id": 5, "label": null}
                {"id": 6, "label": "e", "kind": "duo"}
                {"id": 7, "label": "f", "flags": {}}
                {"id": 8, "label": "g", "small": {"300": 300}}
                {"id": 9, "label": "h", "big": -1}
                []
                """
            var reader = try ImportInput.json(.text(lines), JSONOptions(layout: .lines)).makeReader(ImportLayout())
            var failures: [String] = []
            while let item = try reader.next() {
                do {
                    _ = try item.value.decoded(as: Listing.self, at: item.place)
                } catch let error as GranaryError {
                    try expectEqual(error.code, .typeMismatch)
                    failures.append("\(error.importLine ?? 0) \(error.importPath ?? "")")
                }
            }
            try expectEqual(
                failures,
                [
                    "2 $[1].place.at[1]", "3 $[2].place.city", "4 $[3].id", "5 $[4].label", "6 $[5].kind",
                    "7 $[6].flags",
                    "8 $[7].small.300", "9 $[8].big", "10 $[9]",
                ])
            try expectError(.typeMismatch) { try (["id": 1] as ImportValue).decoded(as: Listing.self) }
        },
        ConformanceCase(
            "import.coded-source", in: .importing, "Codable values are imported as objects of a source are"
        ) { trial in
            try Shop(trial, filled: false).write { tx in
                struct Entry: Codable {
                    var id: Int64
                    var label: String
                    var genre: Label?
                    var rating: Double?
                }
                struct Label: Codable {
                    var id: Int64
                    var label: String
                }
                let entries = [
                    Entry(id: 1, label: "Ada", genre: Label(id: 3, label: "Folk"), rating: 4.5),
                    Entry(id: 2, label: "Bo"),
                ]
                let result = try tx.import(ImportValue(encoding: entries), as: Artist.self)
                try expectEqual(
                    result.records,
                    [Artist(id: 1, label: "Ada", genre: Ref(3), rating: 4.5), Artist(id: 2, label: "Bo")])
                try expectEqual(result.report.counts, [3, 0, 0, 0, 0])
            }
        },
    ]
}
