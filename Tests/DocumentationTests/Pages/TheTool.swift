import Foundation
import Granary
import GranarySQLite
import GranaryTool

/// The verbs of the tool, with the app's records, migration steps and seed.
func runTool() async {
    let steps = MigrationPlan(.inferred("2026-11 labels go").dropping("Artist.label"))
    await ToolApplication(
        name: "music-tool", schema: Schema(Artist.self, Song.self), migration: .plan(steps),
        seed: .json(URL(filePath: "Catalogue.json"))
    ).main()
}

/// What a program without record types does: the schema is the stored one.
func names(_ url: URL) async throws -> [String] {
    let stack = try await Stack(store: .sqlite(at: url, options: .readOnly))
    let question = try TextQuery(parsing: "Artist WHERE rating >= 4.5 ORDER BY name")
    let names = try await stack.read {
        try $0.fetch(Request(recordsOf: question.request)).map { try $0.value("name", as: String.self) }
    }
    try await stack.close()
    return names
}
