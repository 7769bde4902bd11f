import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// The verbs that make, replace, copy, back up and repair whole stores.
struct LifecycleVerbTests {
    private static let names = "SELECT name FROM Artist ORDER BY name"

    @Test(arguments: Tool.kinds) func `copy makes a store of the same kind or of another, with the history`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind, history: .everything) { store throws in
            for (place, made) in [("Same.granary", kind), ("lmdb:L.granary", .lmdb), ("sqlite:S.granary", .sqlite)] {
                let path = "\(store.folder)/\(place.split(separator: ":").last ?? "")"
                let named = place.contains(":") ? "\(made.rawValue):\(path)" : path
                let result = try Tool.run("copy", store.path, named, "--json")
                #expect(result.status == 0, "\(result.errors)")
                let said = result.json as? [String: Any]
                let counts = said?["records"] as? [String: Int]
                #expect(counts?["Artist"] == 3 && counts?["Song"] == 2 && said?["historySince"] as? Int == 1)
                #expect(try Tool.run("diff", store.path, path, "--contents").status == 0)
                let info = try Tool.run("info", path).output
                #expect(info.contains("kind          \(made.rawValue)\n") && info.contains("since commit 1"))
                let again = try Tool.run("copy", store.path, named)
                #expect(again.status == 66 && again.errors.contains("invalidPath"), "\(again.errors)")
            }
            #expect(try Tool.run("copy", store.path, "memory:").status == 69)
            #expect(try Tool.run("copy", store.path, "\(store.path)/Inside.granary").status == 66)
        }
    }

    @Test func `copy says where no history is kept`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let text = try Tool.run("copy", store.path, "\(store.folder)/Text.granary")
            #expect(text.status == 0 && text.output.hasSuffix("\n\nhistory  none\n"), "\(text)")
            let json = try Tool.run("copy", store.path, "\(store.folder)/JSON.granary", "--json")
            #expect((json.json as? [String: Any])?["historySince"] is NSNull, "\(json)")
        }
    }

    @Test(arguments: Tool.kinds) func `reset brings a seed of an older schema to that of the store`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let seed = "\(store.folder)/Seed.granary"
            #expect(try Tool.run("copy", store.path, seed).status == 0)
            var entities = MusicStore.schema.entities
            let artist = try #require(entities.firstIndex { $0.name == "Artist" })
            let code = try #require(entities[artist].attributes.firstIndex { $0.name == "code" })
            entities[artist].attributes[code].type = .int64
            let wider = "\(store.folder)/wider.json"
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: wider))
            #expect(try Tool.run("migrate", store.path, "--to", wider).status == 0)
            #expect(try Tool.run("delete", store.path, "Artist", "30", "--yes").status == 0)
            let reset = try Tool.run("reset", store.path, "--from", seed, "--yes", "--json")
            #expect(reset.status == 0, "\(reset)")
            #expect((reset.json as? [String: [String: Int]])?["records"]?["Artist"] == 3)
            #expect(try Tool.run("plan", store.path, wider, "--check").status == 0, "the store keeps its schema")
            #expect(try Tool.run("diff", store.path, seed, "--contents").status == 0)
            // What would lose something is refused, and the store stays.
            let narrower = try Tool.run("reset", seed, "--from", store.path, "--yes")
            #expect(narrower.status == 78, "\(narrower)")
            #expect(try Tool.run("diff", store.path, seed, "--contents").status == 0)
        }
    }

    @Test(arguments: Tool.kinds) func `a store that seed has made knows its seed again`(_ kind: StoreKind) async throws
    {
        let folder = try TemporaryFolder()
        let (path, seed, other) = (folder("New.granary"), folder("Seed.granary"), folder("Other.granary"))
        for (place, name) in [(seed, "Rock"), (other, "Jazz")] {
            let stack = try await Stack(MusicStore.schema, store: kind.provider(at: place))
            try await stack.write { _ = try $0.insert(Genre(code: "a", name: name)) }
            try await stack.close()
        }
        #expect(try Tool.run("seed", path, "--from", seed).status == 0)
        for (given, isKnown) in [(other, false), (seed, true)] {
            let stack = try await Stack(
                MusicStore.schema, store: kind.provider(at: path), seed: .store(kind.provider(at: given)))
            if isKnown {
                try await stack.reset(to: .seed)
            } else {
                let error = await #expect(throws: GranaryError.self) { try await stack.reset(to: .seed) }
                #expect(error?.code == .seedMismatch)
            }
            try await stack.close()
        }
    }

    @Test(arguments: Tool.kinds) func `backup makes a store of the same kind, and replaces nothing`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let backup = "\(store.folder)/Backup.granary"
            let result = try Tool.run("backup", store.path, backup, "--json")
            #expect(result.status == 0, "\(result.errors)")
            let json = try #require(result.json as? [String: Any])
            #expect(json["backup"] as? String == backup && (json["bytes"] as? Int ?? 0) > 0)
            #expect(try Tool.run("diff", store.path, backup, "--contents").status == 0)
            #expect(try Tool.run("verify", backup).status == 0)
            #expect(try Tool.run("backup", store.path, backup).status == 66)
        }
    }

    @Test(arguments: Tool.kinds) func `seed makes a store from a store, and from JSON in a file or a folder`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let path = "\(store.folder)/New.granary"
            let result = try Tool.run("seed", path, "--from", store.path, "--json")
            #expect(result.status == 0, "\(result.errors)")
            #expect((result.json as? [String: [String: Int]])?["records"]?["Artist"] == 3)
            #expect(try Tool.run("info", path).output.contains("kind          \(kind.rawValue)\n"))
            #expect(try Tool.run("diff", store.path, path, "--contents").status == 0)
            let again = try Tool.run("seed", path, "--from", store.path)
            #expect(again.status == 66 && again.errors.contains("reset"))

            let json = "\(store.folder)/seed.json"
            try write(
                #"{"Artist": [{"id": 7, "name": "Björk", "code": 1, "genre": "pop"}], "Genre": [{"code": "pop", "name": "Pop"}]}"#,
                to: json)
            let made = "\(store.folder)/JSON.granary"
            let seeded = try Tool.run("seed", "\(kind.rawValue):\(made)", "--from", json, "--schema", store.path)
            #expect(seeded.status == 0, "\(seeded.errors)")
            #expect(
                try Tool.run("query", made, "SELECT name, genre FROM Artist", "--csv").output
                    == "name,genre\r\nBjörk,pop\r\n")

            let folder = "\(store.folder)/seed"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try write(
                "{\"code\": \"jazz\", \"name\": \"Jazz\"}\n{\"code\": \"pop\", \"name\": \"Pop\"}\n",
                to: "\(folder)/Genre.jsonl")
            try write("title,artist\nCaravan,4\n", to: "\(folder)/Song.csv")
            try write(#"[{"id": 4, "name": "Duke", "code": 1}]"#, to: "\(folder)/Artist.json")
            try write("not read", to: "\(folder)/README")
            let other = "\(store.folder)/Folder.granary"
            let filled = try Tool.run(
                "seed", "\(kind.rawValue):\(other)", "--from", folder, "--schema", store.path, "--json")
            #expect(filled.status == 0, "\(filled.errors)")
            let counts = (filled.json as? [String: [String: Int]])?["records"]
            #expect(counts?["Genre"] == 2 && counts?["Song"] == 1 && counts?["Artist"] == 1)
            #expect(try Tool.run("verify", other).status == 0)
        }
    }

    @Test func `a seed that is not one makes nothing, and its error names the place`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let seeds: [(json: String, status: Int32, text: String)] = [
                ("[1]", 65, "array of objects"), ("{\"Artist\": {}}", 65, "at Artist"),
                ("{\"Artist\": [", 65, "invalidInput"),
                ("{\"Nobody\": []}", 64, "Nobody"), ("", 65, "invalidInput"),
                ("{\"Artist\": [{\"id\": 1, \"name\": \"A\", \"code\": 1}, {\"id\": 2, \"code\": 1}]}", 65, "name"),
                ("{\"Song\": [{\"title\": \"A\", \"artist\": 9}]}", 65, "danglingReference"),
            ]
            let (file, made) = ("\(store.folder)/seed.json", "\(store.folder)/New.granary")
            for seed in seeds {
                try write(seed.json, to: file)
                let result = try Tool.run("seed", made, "--from", file, "--schema", store.path)
                #expect(
                    result.status == seed.status && result.errors.contains(seed.text), "\(seed.json): \(result.errors)")
                #expect(!exists(made))
            }
            #expect(
                try Tool.run("seed", made, "--from", "\(store.folder)/no.json", "--schema", store.path).status == 66)
            #expect(try Tool.run("seed", made, "--from", file).status == 64, "JSON has no schema")
            #expect(try Tool.run("seed", made).status == 64)
            #expect(!exists(made))
        }
    }

    @Test(arguments: Tool.kinds) func `reset asks, and empties a store or fills it with a seed`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let json = "\(store.folder)/seed.json"
            try write(#"{"Artist": [{"id": 7, "name": "Björk", "code": 1}]}"#, to: json)
            #expect(try Tool.run("reset", store.path).status == 2)
            #expect(try Tool.run("reset", store.path, "--to-seed", "--yes").status == 64, "there is no app with a seed")
            try write("{\"Artist\": [{}]}", to: "\(store.folder)/broken.json")
            #expect(try Tool.run("reset", store.path, "--from", "\(store.folder)/broken.json", "--yes").status == 65)
            #expect(try Tool.run("query", store.path, "SELECT @count FROM Artist", "--csv").output == "@count\r\n3\r\n")
            let seeded = try Tool.run("reset", store.path, "--from", json, "--yes", "--json")
            #expect(seeded.status == 0, "\(seeded.errors)")
            #expect((seeded.json as? [String: [String: Int]])?["records"]?["Song"] == 0)
            #expect(try Tool.run("query", store.path, Self.names, "--csv").output == "name\r\nBjörk\r\n")
            let emptied = try Tool.run("reset", store.path, "--yes")
            #expect(
                emptied.status == 0 && emptied.output.split(separator: "\n").allSatisfy { $0.hasSuffix(" 0") },
                "\(emptied.output)")
            // Assigned keys go on.
            try write(
                #"{"Artist": [{"id": 7, "name": "B", "code": 1}], "Song": [{"title": "New", "artist": 7}]}"#, to: json)
            #expect(try Tool.run("reset", store.path, "--from", json, "--yes").status == 0)
            #expect(try Tool.run("verify", store.path).status == 0)
            let stack = try store.open()
            #expect(try Tool.run("info", store.path).status == 0)
            #expect(try Tool.run("reset", store.path, "--yes").status == 75, "it is open")
            try stack.blocking.close()
        }
    }

    @Test(arguments: Tool.kinds) func `rebuild makes the indexes anew`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let result = try Tool.run("rebuild", store.path, "--json")
            #expect(result.status == 0 && ((result.json as? [String: Int])?["indexes"] ?? 0) > 0, "\(result.errors)")
            #expect(try Tool.run("verify", store.path).status == 0)
        }
    }

    @Test(arguments: Tool.kinds) func `an app's tool takes the app's steps and seed`(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let path = folder("Music.granary")
        try write(
            #"{"Song": [{"title": "Sinnerman", "artist": 1}], "Artist": [{"id": 1, "name": "Nina Simone"}]}"#,
            to: folder("Catalogue.json"))
        func run(_ arguments: String...) throws -> Tool.Result {
            try Tool.run(arguments, program: "embedded-tool", folder: folder.path)
        }
        let seeded = try run("seed", "\(kind.rawValue):\(path)")
        #expect(seeded.status == 0, "\(seeded.errors)")
        #expect(try run("plan", path, "--check").status == 0)
        #expect(try run("set", path, "Artist", "1", "rating=5").status == 0)
        let reset = try run("reset", path, "--to-seed", "--yes")
        #expect(reset.status == 0, "\(reset.errors)")
        #expect(try run("query", path, "SELECT rating FROM Artist", "--csv").output == "rating\r\n\r\n")
        #expect(try run("destroy", path, "--yes").status == 0)

        // A store from before the app's step, which drops a label.
        let older = folder("older.json")
        var entities = try Schema(json: Array(run("schema", "--json").output.utf8)).entities
        let artist = try #require(entities.firstIndex { $0.name == "Artist" })
        entities[artist].attributes.append(Attribute("label", .string, isOptional: true))
        entities[artist].attributes[entities[artist].attributes.count - 1].id = 0
        try Data(try Schema(entities: entities).json()).write(to: URL(filePath: older))
        #expect(try run("seed", "\(kind.rawValue):\(path)", "--schema", older).status == 0)
        #expect(try Tool.run("migrate", path, "--to", folder("schema.json")).status == 66)
        let plan = try run("plan", path)
        #expect(plan.output.contains("lossy: 2026-11 labels go"), "\(plan.output)\(plan.errors)")
        let asked = try run("migrate", path, "--backup")
        #expect(
            asked.status == 2
                && asked.errors.contains("Remove Artist.label from \(path) with all that is stored there?"),
            "\(asked.status) \(asked.errors)")
        #expect(try run("schema", path).output.contains("label"), "nothing is removed without --yes")
        #expect(!exists("\(path).backup"), "it asks before it makes a backup")
        let done = try run("migrate", path, "--yes")
        #expect(done.status == 0 && done.output.contains("step: 2026-11 labels go\n"), "\(done.output)\(done.errors)")
        let again = try run("migrate", path)
        #expect(
            again.status == 0 && again.output == "The store has this schema.\n", "nothing is lost, nothing is asked")
        #expect(try run("plan", path, "--check").status == 0)
        #expect(try run("query", path, Self.names, "--csv").output == "name\r\nNina Simone\r\n")
    }
}
