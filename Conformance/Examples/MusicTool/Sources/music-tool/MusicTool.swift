import Foundation
import Granary
import GranaryTool

@Record struct Artist {
    @Key var id: Int64
    @Index var name: String
    var rating: Double?
    static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
}

/// `music-tool import` and `export` follow this.
extension Artist: Importable {
    static let importMapping = ImportMapping().map("name", from: "artist_name")

    mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws {
        while name.hasPrefix(" ") { name.removeFirst() }
        while name.hasSuffix(" ") { name.removeLast() }
    }
}

@Record struct Song {
    @Key(.assigned) var id: Int64 = 0
    var title: String
    var plays = 0
    var artist: Ref<Artist>
}

/// The verbs of the `granary` tool, with the records, the migration steps and the seed of an app of music.
@main enum MusicTool {
    static let steps = MigrationPlan(.inferred("2026-11 labels go").dropping("Artist.label"))

    static func main() async {
        await ToolApplication(
            name: "music-tool", abstract: "Look after stores of music.", schema: Schema(Artist.self, Song.self),
            migration: .plan(steps), seed: .json(URL(filePath: "Catalogue.json"))
        ).main()
    }
}
