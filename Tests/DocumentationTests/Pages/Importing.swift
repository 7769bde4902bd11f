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

/// Imports `{"venues": [...], "program": {"concerts": [...]}}`, and says from where each record has come.
func importDocument(_ document: ImportValue, in context: Context) throws -> [String] {
    let result = try context.import(document, as: ["venues": "Venue", "program.concerts": "Concert"])
    return zip(result.records, result.origins).map { record, origin in "\(origin.path): \(record.key)" }
}

/// The venue that a form describes. What the form leaves out stays as it is in the draft.
func venue(from form: ImportValue, over draft: Venue) throws -> Venue? {
    let schema = Schema(Venue.self, Concert.self)
    return try Importer().decode(form, as: Venue.self, over: draft, in: schema).records.first
}
