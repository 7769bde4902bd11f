import Foundation
import Granary

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

/// A venue keeps the date of its opening if the source has null for it.
let keepingDates = ImportMapping().whenNull("opened", .keep)

/// The key is a string, the title a number, the venue a boolean, the price a string.
let convertedConcert: ImportValue = ["id": "7", "title": 1984, "venue": true, "price": " 1e2 "]
