import ConformanceKit
import Foundation
import GranaryCore
import GranaryImport

// Real data, imported whole: a music shop and the cities of the world. The files are in the folder that the environment variable
// `GRANARY_TRIAL_DATA` names. A case whose file is missing is reported as skipped.

/// - Throws: ``NotTested`` if the file is missing.
private func data(_ name: String) throws -> URL {
    guard let folder = ProcessInfo.processInfo.environment["GRANARY_TRIAL_DATA"] else {
        throw NotTested(reason: "GRANARY_TRIAL_DATA names no folder with \(name)")
    }
    let file = URL(filePath: folder).appending(path: name)
    guard FileManager.default.fileExists(atPath: file.path) else {
        throw NotTested(reason: "the folder that GRANARY_TRIAL_DATA names lacks \(name)")
    }
    return file
}

private func reference(_ name: String, to entity: String, _ rule: DeleteRule = .cascade) -> Attribute {
    Attribute(name, .int64, reference: .init(entity: entity, onDelete: rule))
}

private func entity(_ name: String, _ attributes: [Attribute], _ relationships: [Relationship] = []) -> Entity {
    Entity(
        name, key: "id", attributes: [Attribute("id", Int64.self)] + attributes, relationships: relationships)
}

private let shop = Schema(entities: [
    entity("Genre", [Attribute("name", String.self)]), entity("MediaType", [Attribute("name", String.self)]),
    entity(
        "Artist", [Attribute("name", String.self)], [Relationship("albums", entity: "Album", attribute: "artist")]),
    entity("Album", [Attribute("title", String.self), reference("artist", to: "Artist")]),
    entity(
        "Track",
        [
            Attribute("name", String.self), reference("album", to: "Album"), reference("genre", to: "Genre"),
            reference("mediaType", to: "MediaType"), Attribute("composer", String?.self),
            Attribute("milliseconds", Int64.self), Attribute("bytes", Int64.self), Attribute("unitPrice", Decimal.self),
        ]),
    entity(
        "Employee",
        [
            Attribute("lastName", String.self), Attribute("birthDate", Date.self),
            Attribute(
                "reportsTo", .int64, isOptional: true, reference: .init(entity: "Employee", onDelete: .nullify)),
        ]),
    entity("Customer", [Attribute("firstName", String.self), Attribute("company", String?.self)]),
    entity(
        "Invoice",
        [reference("customer", to: "Customer"), Attribute("invoiceDate", Date.self), Attribute("total", Decimal.self)]),
    entity(
        "InvoiceLine",
        [
            reference("invoice", to: "Invoice"), reference("track", to: "Track"),
            Attribute("unitPrice", Decimal.self), Attribute("quantity", Int64.self),
        ]),
    entity("Playlist", [Attribute("name", String.self)]),
    Entity(
        "PlaylistTrack", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self), reference("playlist", to: "Playlist"), reference("track", to: "Track"),
        ], indexes: [.unique("playlist", "track")]),
])

private let counts: KeyValuePairs<String, Int> = [
    "PlaylistTrack": 8_715, "InvoiceLine": 2_240, "Track": 3_503, "Album": 347, "Artist": 275, "Genre": 25,
    "MediaType": 5, "Employee": 8, "Invoice": 412, "Customer": 59, "Playlist": 18,
]

private let world = Schema(entities: [
    entity(
        "City",
        [
            Attribute("name", String.self), Attribute("latitude", Double.self), Attribute("longitude", Double.self),
            Attribute("countryCode", String.self), Attribute("population", Int64.self),
            Attribute("timezone", String.self), Attribute("admin1Code", String.self),
            Attribute("alternateNames", .json),
        ])
])

extension ReadContext {
    fileprivate func values(_ entity: String, _ name: String) throws -> [StoredValue] {
        let position = try schema.entities[try schema.position(ofEntity: entity)].position(ofAttribute: name)
        var values: [StoredValue] = []
        try Request(entity).forEach(in: self) { values.append($0.values[position]) }
        return values
    }

    fileprivate func decimals(_ entity: String, _ name: String) throws -> Decimal {
        try values(entity, name).reduce(0) { try $0 + $1.value(as: Decimal.self) }
    }

    fileprivate func integers(_ entity: String, _ name: String) throws -> Int64 {
        try values(entity, name).reduce(0) { try $0 + $1.value(as: Int64.self) }
    }
}

var importTrialCases: [ConformanceCase] {
    [shopCase, citiesCase]
}

private let shopCase = ConformanceCase(
    "import.trial-shop", in: .importing, "a music shop is imported whole, and again without a write"
) { trial in
    let file = try data("chinook.json")
    try trial.open(shop)
    for round in 0...1 {
        try trial.write { tx in
            for (entity, count) in counts.reversed() {
                var importer = Importer()
                importer.root = entity
                if entity == "PlaylistTrack" { importer.mapping = ImportMapping().identify(by: "playlist", "track") }
                let report = try tx.import(file, as: entity, with: importer).report
                try expectEqual(report.issues.map(\.description), [], entity)
                try expectEqual(
                    [report.inserted, report.unchanged], round == 0 ? [count, 0] : [0, count], entity)
            }
        }
    }
    try trial.read { snapshot in
        for (entity, count) in counts { try expectEqual(try snapshot.count(Request(entity)), count, entity) }
        try expectEqual(try snapshot.integers("Track", "milliseconds"), 1_378_778_040)
        try expectEqual(try snapshot.decimals("Track", "unitPrice"), Boundaries.decimal("3680.97"))
        try expectEqual(try snapshot.decimals("Invoice", "total"), Boundaries.decimal("2328.60"))
        let links = try snapshot.fetch(Request("PlaylistTrack").where(.compare("playlist", .equal, .integer(1))))
        try expectEqual(links.count, 3_290)
        try expectEqual(
            try snapshot.values("Employee", "reportsTo"),
            [.null, .integer(1)] + [2, 2, 2, 1, 6, 6].map { StoredValue.integer($0) })
        let track = try snapshot.find("Track", 2_819)
        try expectEqual(track?["name"], .string("Battlestar Galactica: The Story So Far"))
        try expectEqual([track?["album"], track?["genre"]], [.integer(226), .integer(18)])
        let birth = try snapshot.find("Employee", 1)?.value("birthDate", as: Date.self)
        try expectEqual(birth, Date(timeIntervalSince1970: -248_313_600))
    }
}

private let citiesCase = ConformanceCase(
    "import.trial-cities", in: .importing, "the cities of the world are imported whole", isHeavy: true, modes: [.fresh]
) { trial in
    let file = try data("cities15000.json")
    try trial.open(world)
    var importer = Importer()
    importer.isKeyed = true
    importer.mapping = ImportMapping().map("id", from: "@key").ignore("geonameid")
    let report = try trial.write { try $0.import(file, as: "City", with: importer).report }
    try expectEqual(report.issues.map(\.description), [])
    try expectEqual(report.unknownKeys, [:])
    try expectEqual(report.counts, [34_006, 0, 0, 0, 0])
    try trial.read { snapshot in
        try expectEqual(try snapshot.count(Request("City")), 34_006)
        try expectEqual(try snapshot.integers("City", "population"), 3_932_182_704)
        let city = try snapshot.find("City", 3_413_829)
        try expectEqual(city?["name"], .string("Reykjavík"))
        try expectEqual([city?["latitude"], city?["longitude"]], [.real(64.13548), .real(-21.89541)])
        let names = try city?.value("alternateNames", as: JSON<[String]>.self).value
        try expectEqual(names?.count, 84)
        try expectEqual(names?.first, "REK")
        let all = try snapshot.values("City", "alternateNames").reduce(0) { count, value in
            try count + value.value(as: JSON<[String]>.self).value.count
        }
        try expectEqual(all, 353_126)
    }
}
