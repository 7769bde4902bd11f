import Foundation
import Granary

@Record struct Venue {
    @Key var id: Int64
    var name: String
    var opened: Date?
    @Unique var code: String?
    static let concerts = ToMany(\Concert.Fields.venue, onDelete: .cascade)
}

@Record struct Concert {
    @Key var id: Int64
    var title: String
    var venue: Ref<Venue>
    var price: Decimal?
}

let venues: ImportValue = [
    [
        "id": "1", "Name": "Village Vanguard", "opened": "1935-02-22",
        "concerts": [["id": 10, "title": "Sunday", "price": "9.50"]],
    ],
    ["id": 2, "name": "Birdland", "opened": nil],
]

func importVenues(_ stack: Stack) async throws -> ImportReport {
    try await stack.import(venues, as: Venue.self)
}

func importVenues(in context: Context) throws -> [Venue] {
    let result = try context.import(venues, as: Venue.self)
    for issue in result.report.issues { print(issue) }  // $[0].opened: typeMismatch: ...
    return result.records
}

/// Imports what a service says of one venue, without its key.
func importVenue(_ object: ImportValue, into venue: Venue, in context: Context) throws -> Venue? {
    var importer = Importer()
    importer.target = .integer(venue.id)
    return try context.import(object, as: Venue.self, with: importer).records.first
}

/// A venue keeps the date of its opening if the source has null for it.
let keepingDates = ImportMapping().whenNull("opened", .keep)

extension Venue: Importable {
    static let importMapping = ImportMapping()
        .map("name", from: "venue_name", "profile.names[0]")
        .dates(.rfc3339, .pattern("dd.MM.yyyy"), for: "opened")
        .ignore("debug")

    mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws {
        name = name.trimmingCharacters(in: .whitespaces)
    }
}

func mirrorVenues(in tx: Transaction, _ source: ImportValue) throws -> ImportReport {
    var importer = Importer(.mirror())
    importer.failures = .report
    importer.mapping = ImportMapping()
        .relate("concerts", .replaceAndDelete)
        .transform("code") { value, _ in
            if case .string(let text) = value { .string(text.uppercased()) } else { value }
        }
    importer.mappings["Concert"] = ImportMapping().map("title", from: "headline")
    return try tx.import(source, as: Venue.self, with: importer).report
}

/// A service writes the code of a venue into its name, as in `Birdland (bi)`, and names concerts by their numbers.
let listed = ImportMapping()
    .takeOver(from: "name") { value, _ in
        guard case .string(let text) = value, text.hasSuffix(")"), let start = text.firstIndex(of: "(") else {
            return nil
        }
        let name = text[..<start].trimmingCharacters(in: .whitespaces)
        return ["name": .string(name), "code": .string(String(text[start...].dropFirst().dropLast()))]
    }
    .connect("concerts", ["program.number": "id"])

/// Tells how many concerts each venue has once they are imported.
func countingConcerts(_ tell: @escaping @Sendable (String, Int) -> Void) -> Importer {
    var importer = Importer()
    importer.mapping = ImportMapping().didRelate("concerts") { relationship, tx in
        guard let venue = try tx.find(relationship.owner(Venue.self)) else { return }
        tell(venue.name, try venue.concerts.all.count(in: tx))
    }
    return importer
}

/// A concert may come before the band that it names: in another file, on another day.
@Record struct Gig {
    @Key var id: Int64
    var band: Ref<Performer>?
}

@Record struct Performer {
    @Key var id: Int64
    @Unique var name: String
}

extension Gig: ImportMapped {
    static let importMapping = ImportMapping().relate("band", by: "name", missing: .keep)
}

let gigs = Schema(Gig.self, Performer.self, PendingReference<Gig>.self)

/// The names of bands that no import has brought.
func missingBands(in snapshot: Snapshot) throws -> [StoredValue?] {
    try snapshot.fetch(PendingReference<Gig>.where { $0.relationship == "band" }).map { $0.names["name"] }
}

/// Imports a large file. Each run that ends early saves where the next one begins.
func importInParts(_ source: some ImportSource, _ stack: Stack, from start: Int, save: (Int) -> Void) async throws {
    var importer = Importer()
    importer.commits = .every(10_000)
    importer.start = start
    do {
        save(try await stack.import(source, as: Venue.self, with: importer).committed)
    } catch let error as GranaryError {
        if let report = error.importReport { save(report.committed) }
        throw error
    }
}

/// The key is a string, the title a number, the venue a boolean, the price a string.
let convertedConcert: ImportValue = ["id": "7", "title": 1984, "venue": true, "price": " 1e2 "]
