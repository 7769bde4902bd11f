import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// The verbs that change the schema of a store, and say what that would do.
struct MigratingVerbTests {
    @Test(arguments: Tool.kinds) func `plan says what is rewritten, and migrate does it with a backup before`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            var entities = MusicStore.schema.entities
            let artist = try #require(entities.firstIndex { $0.name == "Artist" })
            let code = try #require(entities[artist].attributes.firstIndex { $0.name == "code" })
            entities[artist].attributes[code].type = .int64
            let wider = "\(store.folder)/wider.json"
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: wider))

            let plan = try Tool.run("plan", store.path, wider, "--check", "--json")
            #expect(plan.status == 1, "\(plan.errors)")
            let json = try #require(plan.json as? [String: Any])
            let changes = json["changes"] as? [[String: Any]]
            let cost = json["cost"] as? String
            #expect(changes?.count == 1 && changes?.first?["records"] as? Int == 3)
            #expect((json["refused"] as? [Any])?.isEmpty == true && (json["seconds"] as? Double ?? 0) > 0)
            #expect(json["space"] as? Int != nil && (json["records"] as? [String: Int])?["Song"] == 2)
            let text = try Tool.run("plan", store.path, wider).output
            #expect(text.contains(/space: about [0-9.]+ [kM]B\n/), "\(text)")

            let done = try Tool.run("migrate", store.path, "--to", wider, "--backup", "--json")
            #expect(done.status == 0, "\(done.errors)")
            let result = try #require(done.json as? [String: Any])
            #expect((result["changes"] as? [[String: Any]])?.first?["cost"] as? String == cost)
            #expect(result["madeIndexes"] as? [String] == [], "no index was missing")
            let backup = try #require(result["backup"] as? String)
            #expect(try Tool.run("diff", backup, store.path).status == 1, "the backup has the old schema")
            #expect(try Tool.run("verify", backup).status == 0)
            #expect(try Tool.run("plan", store.path, wider, "--check").output == "The store has this schema.\n")
            let again = try Tool.run("migrate", store.path, "--to", wider, "--backup")
            #expect(
                again.status == 0 && again.output == "The store has this schema.\n",
                "no backup where nothing is to be done")
        }
    }

    @Test(arguments: Tool.kinds) func `migrate drops and renames what the command line says, without another schema`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let edits = [
                "--drop", "Song.price", "--drop", "Playlist.artists", "--rename", "Artist=Musician", "--rename",
                "Artist.name=Musician.title",
            ]
            let plan = try Tool.run(["plan", store.path, "--json"] + edits, program: "granary")
            #expect(plan.status == 0, "\(plan.errors)")
            let json = try #require(plan.json as? [String: Any])
            #expect(json["cost"] as? String == "lossy" && (json["refused"] as? [Any])?.isEmpty == true)
            let renamed = (json["changes"] as? [[String: Any]])?.first { $0["entity"] as? String == "Musician" }
            #expect(renamed?["records"] as? Int == 3)
            let asked = try Tool.run(["migrate", store.path] + edits, program: "granary")
            #expect(
                asked.status != 0
                    && asked.errors.contains(
                        "Remove Song.price, Playlist.artists from \(store.path) with all that is stored there?"),
                "\(asked.status) \(asked.errors)")
            #expect(try Tool.run("schema", store.path).output.contains("price"), "nothing is removed without --yes")
            let done = try Tool.run(["migrate", store.path, "--yes"] + edits, program: "granary")
            #expect(
                done.status == 0 && done.output.contains("step: --drop Song.price\n"), "\(done.output)\(done.errors)")
            #expect(try Tool.run("verify", store.path).status == 0)
            let names = try Tool.run("query", store.path, "SELECT title FROM Musician LIMIT 1", "--csv")
            #expect(names.output == "title\r\nJimi Hendrix\r\n", "\(names.errors)")
            let songs = try Tool.run("query", store.path, "SELECT artist.title FROM Song LIMIT 1", "--csv")
            #expect(songs.output.contains("Jimi Hendrix"), "\(songs.errors)")
            let schema = try Tool.run("schema", store.path).output
            #expect(schema.contains("entity Musician\n") && !schema.contains("price") && !schema.contains("artists"))
            #expect(try Tool.run(["migrate", store.path] + edits, program: "granary").status == 64, "they are gone")
        }
    }

    @Test func `a drop or a rename that makes no sense says why, and changes nothing`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let copy = "\(store.folder)/Copy.granary"
            #expect(try Tool.run("copy", store.path, copy).status == 0)
            let edits: [(option: String, value: String, status: Int32, text: String)] = [
                ("--drop", "Nobody", 64, "Nobody"), ("--drop", "Artist.nothing", 64, "nothing"),
                ("--drop", "Artist.id", 78, "is the key"), ("--drop", "Artist", 78, "Song.artist, too"),
                ("--drop", "Artist.", 64, "--drop"), ("--rename", "Artist=Song", 78, "Song"),
                ("--rename", "Artist=Song.title", 64, "--rename"), ("--rename", "Artist", 64, "--rename"),
                ("--rename", "Artist.name=Song.name", 78, "cannot become"),
            ]
            for edit in edits {
                let result = try Tool.run("migrate", store.path, edit.option, edit.value)
                #expect(
                    result.status == edit.status && result.errors.contains(edit.text),
                    "\(edit.option) \(edit.value): \(result.status) \(result.errors)")
            }
            #expect(try Tool.run("diff", store.path, copy).status == 0)
            #expect(try Tool.run("diff", store.path, copy, "--contents").status == 0)
        }
    }

    @Test(arguments: Tool.kinds) func `a drop and a rename say what a file with a schema leaves out`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            var entities = MusicStore.schema.entities
            let song = try #require(entities.firstIndex { $0.name == "Song" })
            entities[song].attributes.removeAll { $0.name == "price" }
            let title = try #require(entities[song].attributes.firstIndex { $0.name == "title" })
            entities[song].attributes[title].name = "name"
            let file = "\(store.folder)/later.json"
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: file))
            #expect(try Tool.run("migrate", store.path, "--to", file).status == 78)
            #expect(try Tool.run("migrate", store.path, "--to", file, "--drop", "Song.price").status == 78)
            #expect(try Tool.run("migrate", store.path, "--to", file, "--drop", "Song.plays").status == 64)
            let done = try Tool.run(
                "migrate", store.path, "--to", file, "--yes", "--drop", "Song.price", "--rename",
                "Song.title=Song.name")
            #expect(done.status == 0 && !done.errors.contains("nothing to drop"), "\(done.errors)")
            let again = try Tool.run("migrate", store.path, "--to", file, "--drop", "Song.prise")
            #expect(again.status == 64 && again.errors.contains("The store has no Song.prise"), "\(again.errors)")
            let names = try Tool.run("query", store.path, "SELECT name FROM Song LIMIT 1", "--csv")
            #expect(names.output == "name\r\nFire\r\n", "\(names.errors)")
            #expect(try Tool.run("plan", store.path, file, "--check").status == 0)
        }
    }

    @Test(arguments: Tool.kinds) func `what is refused names the option that allows it`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            func changed(_ name: String, _ type: AttributeType) throws -> String {
                var entities = MusicStore.schema.entities
                let song = try #require(entities.firstIndex { $0.name == "Song" })
                entities[song].attributes.removeAll { $0.name == "price" }
                let place = try #require(entities[song].attributes.firstIndex { $0.name == name })
                entities[song].attributes[place].type = type
                let file = "\(store.folder)/\(name).json"
                try Data(try Schema(entities: entities).json()).write(to: URL(filePath: file))
                return file
            }
            let options = "--convert Song.plays --drop Song.price"
            let narrower = try changed("plays", .int8)
            let refused = try Tool.run("migrate", store.path, "--to", narrower)
            #expect(refused.status == 78 && refused.errors.contains("say so with \(options)."), "\(refused.errors)")
            let plan = try Tool.run("plan", store.path, narrower)
            #expect(plan.output.contains("allowed with: \(options)\n"), "\(plan.output)")
            let arguments = options.split(separator: " ").map { String($0) }
            let losing = try Tool.run(
                ["migrate", store.path, "--yes", "--to", changed("title", .int64), "--convert", "Song.title"]
                    + arguments.suffix(2), program: "granary")
            #expect(losing.status == 65 && losing.errors.contains("Song.title"), "\(losing.status) \(losing.errors)")
            let done = try Tool.run(["migrate", store.path, "--yes", "--to", narrower] + arguments, program: "granary")
            #expect(done.status == 0 && done.output.contains("step: --convert Song.plays\n"), "\(done.errors)")
            let plays = try Tool.run("query", store.path, "SELECT plays FROM Song ORDER BY plays", "--csv")
            #expect(plays.output == "plays\r\n5\r\n9\r\n")
            #expect(try Tool.run("verify", store.path).status == 0)
        }
    }

    @Test(arguments: Tool.kinds) func `links that lead elsewhere or lose their order go with the option that is named`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            func changed(_ links: String, _ change: (inout Entity) -> Void) throws -> String {
                let json = try Tool.run("schema", store.path, "--json").output
                var entities = try Schema(json: Array(json.utf8)).entities
                let place = try #require(entities.firstIndex { $0.name == links })
                change(&entities[place])
                let owner = try #require(entities.firstIndex { $0.name == "Playlist" })
                if links == "Playlist_songs" {
                    entities[owner].relationships = entities[owner].relationships.map { relationship in
                        var relationship = relationship
                        if relationship.name == "songs" { relationship.orderedBy = nil }
                        return relationship
                    }
                }
                let file = "\(store.folder)/\(links).json"
                try Data(try Schema(entities: entities).json()).write(to: URL(filePath: file))
                return file
            }
            for (links, option, path) in [
                ("Playlist_artists", "--drop", "Playlist.artists"), ("Playlist_songs", "--convert", "Playlist.songs"),
            ] {
                let file = try changed(links) { entity in
                    if links == "Playlist_songs" {
                        entity.attributes.removeAll { $0.name == "position" }
                        entity.indexes.removeAll { $0.attributes.contains("position") }
                    } else {
                        for place in entity.attributes.indices where entity.attributes[place].name == "target" {
                            entity.attributes[place].reference?.entity = "Key"
                        }
                    }
                }
                let refused = try Tool.run("migrate", store.path, "--to", file)
                #expect(
                    refused.status == 78 && refused.errors.contains("say so with \(option) \(path)."),
                    "\(refused.errors)")
                let asked = try Tool.run("migrate", store.path, "--to", file, option, path)
                #expect(
                    asked.status == 2 && asked.errors.contains("by which values may be lost: ")
                        && asked.errors.contains(path), "\(asked.status) \(asked.errors)")
                let done = try Tool.run("migrate", store.path, "--to", file, option, path, "--yes")
                #expect(done.status == 0, "\(done.errors)")
                #expect(try Tool.run("plan", store.path, file, "--check").status == 0)
                try #require(try Tool.run("verify", store.path).status == 0)
            }
        }
    }

    @Test func `a rename of what the store does not have is an error beside a schema, too`() throws {
        try MusicStore.with(.sqlite) { store throws in
            var entities = MusicStore.schema.entities
            let song = try #require(entities.firstIndex { $0.name == "Song" })
            let title = try #require(entities[song].attributes.firstIndex { $0.name == "title" })
            entities[song].attributes[title].name = "name"
            let file = "\(store.folder)/later.json"
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: file))
            for verb in [["plan", store.path, file], ["migrate", store.path, "--to", file]] {
                let wrong = try Tool.run(verb + ["--rename", "Song.titel=Song.name"], program: "granary")
                #expect(wrong.status == 64 && wrong.errors.contains("titel"), "\(wrong.status) \(wrong.errors)")
            }
            let rename = ["migrate", store.path, "--to", file, "--rename", "Song.title=Song.name"]
            #expect(try Tool.run(rename, program: "granary").status == 0)
            let again = try Tool.run(rename, program: "granary")
            #expect(again.output == "The store has this schema.\n", "\(again.errors)")
        }
    }
}
