import Foundation
import Granary
import GranarySQLite

/// Opens a store, and says why it cannot be opened with this schema.
func openOrExplain(_ url: URL) async throws -> Stack? {
    do {
        return try await Stack(Schema(Artist.self, Song.self), store: .sqlite(at: url), migration: .automatic)
    } catch let error as GranaryError where error.code == .schemaMismatch {
        for change in error.schemaDifference?.changes ?? [] { print(change, change.cost) }
        return nil
    }
}

/// Ratings go, plays become an `Int32`, and names are split in two.
let migrationPlan = MigrationPlan(
    .inferred("2026-03 no ratings").dropping("Song.rating"),
    .inferred("2026-04 small plays").converting("Song.plays"),
    .records("2026-05 split names", of: "Artist") { old, new, store in
        let parts = try old.value("name", as: String.self).split(separator: " ", maxSplits: 1)
        try new.set("first", to: String(parts.first ?? ""))
        try new.set("last", to: String(parts.dropFirst().last ?? ""))
    }.dropping("Artist.name"))

/// Countries of artists became labels in 2.0, and labels go in 3.0, which is in development.
func releases(_ first: Schema, _ second: Schema) -> MigrationPlan {
    MigrationPlan()
        .release("1.0", schema: first)
        .release(
            "2.0", schema: second,
            .code("countries become labels") { store in
                for var artist in try store.fetch(Request("Artist")) {
                    let name = try artist.value("country", as: String.self)
                    let label = try store.findOrCreate("Label", where: .compare("name", .equal, .string(name)))
                    try artist.set("label", toStored: label.key)
                    try store.update(artist)
                }
            }.dropping("Artist.country")
        )
        .release("3.0", .inferred("no labels").dropping("Artist.label", "Label"))
}

/// Songs know their artist. Before, an artist knew one song.
let turnedRound = MigrationPlan(
    .code("2026-06 artists of songs") { store in
        try Request("Artist").where("best != NULL").forEach(in: store.old) { artist in
            guard let best = artist["best"], var song = try store.find("Song", best) else { return }
            try song.set("artist", toStored: artist.key)
            try store.update(song)
        }
    }.dropping("Artist.best"))

/// What was stored as `angry` is `furious` now.
enum Temper: String, RenamedCases {
    case calm, furious
    static let renamedFrom = ["angry": Temper.furious]
}

/// Says what opening would do.
func printPlan(_ url: URL) async throws {
    let planned = try await Stack.plan(Schema(Artist.self, Song.self), store: .sqlite(at: url), migration: .inferred)
    print(planned, planned.seconds, planned.space ?? 0)
}
