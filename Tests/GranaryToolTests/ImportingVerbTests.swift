import Foundation
import Granary
import GranaryTool
import Synchronization
import TestSupport
import Testing

/// `import` and `export`: files and standard streams, mappings, reports, exit codes.
struct ImportingVerbTests {
    /// Runs the tool with an input, and gives its result.
    private func run(_ arguments: String..., input: String) throws -> Tool.Result {
        let process = Tool.process(arguments)
        let (given, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = given
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // A verb that refuses its arguments does not read.
        try? given.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try given.fileHandleForWriting.close()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Tool.Result(
            status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
            errors: String(decoding: said, as: UTF8.self))
    }

    @Test(arguments: Tool.kinds) func `what is exported is imported again, from each format`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            for (name, formats) in [
                ("a.json", ["--format", "json"]), ("a.jsonl.gz", []), ("a.csv", []), ("b", ["--format", "csv"]),
            ] {
                let path = "\(store.folder)/\(name)"
                for entity in ["Genre", "Artist", "Song", "Playlist", "Key"] {
                    let process = Tool.process(["export", store.path, entity, "--to", path] + formats)
                    process.standardOutput = FileHandle.nullDevice
                    try process.run()
                    process.waitUntilExit()
                    #expect(process.terminationStatus == 0, "\(name) \(entity)")
                    let again = Tool.process(["import", store.path, entity, path, "--json"] + formats)
                    let output = Pipe()
                    again.standardOutput = output
                    try again.run()
                    let text = output.fileHandleForReading.readDataToEndOfFile()
                    again.waitUntilExit()
                    #expect(again.terminationStatus == 0, "\(name) \(entity)")
                    let report = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
                    #expect(report["inserted"] as? Int == 0 && report["updated"] as? Int == 0, "\(name) \(entity)")
                    #expect(report["issueCount"] as? Int == 0, "\(name) \(entity)")
                }
            }
        }
    }

    @Test(arguments: Tool.kinds) func `a store becomes one plain SQLite file, which is never replaced`(
        _ kind: StoreKind
    )
        throws
    {
        try MusicStore.with(kind) { store throws in
            let file = "\(store.folder)/Music.sqlite"
            let result = try Tool.run("export", store.path, "--to", file, "--json")
            #expect(result.status == 0, "\(result.errors)")
            let said = try #require(result.json as? [String: Any])
            #expect(said["file"] as? String == file && (said["bytes"] as? Int ?? 0) > 0)
            #expect(try Data(contentsOf: URL(filePath: file)).starts(with: Data("SQLite format 3\u{0}".utf8)))
            #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder).count == 2)
            #expect(try Tool.run("export", store.path, "--to", file).status == 66)
            #expect(try Tool.run("export", store.path, "--to", "\(store.folder)/Music.json").status == 64)
            #expect(try Tool.run("export", store.path).status == 64)
            #expect(try Tool.run("export", store.path, "--to", file, "--lists").status == 64)
        }
    }

    @Test(arguments: Tool.kinds) func `records go to standard output, those of a condition alone`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let result = try Tool.run("export", store.path, "Genre", "--format", "csv")
            #expect(result.status == 0 && result.output == "code,name\r\nrock,Rock\r\n", "\(result.errors)")
            let songs = try Tool.run("export", store.path, "Song", "--where", "plays > 5", "--format", "jsonl")
            #expect(
                songs.output.hasPrefix("{\"id\":1,\"title\":\"Fire\"") && songs.output.split(separator: "\n").count == 1
            )
            let nested = try Tool.run("export", store.path, "Song", "--where", "id = 1", "--nested", "1")
            #expect(nested.output.contains("\"artist\":{\"id\":1"))
            #expect(try Tool.run("export", store.path, "Nobody").status == 64)
            #expect(try Tool.run("export", store.path, "Song", "--where", "plays >").status == 64)
            #expect(try Tool.run("export", store.path, "Song", "--lists", "--format", "csv").status == 69)
            #expect(try Tool.run("export", store.path, "Song", "--to", "\(store.folder)/x.txt").status == 64)
        }
    }

    @Test func `a file that is an object of records says how they are found`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let (file, map) = ("\(store.folder)/genres.json", "\(store.folder)/map.json")
            try Data(#"{"folk": {"name": "Folk"}, "soul": {"name": "Soul"}}"#.utf8).write(to: URL(filePath: file))
            let refused = try Tool.run("import", store.path, "Genre", file)
            #expect(refused.status == 65 && refused.errors.contains(#"{"@keyed": true, "Genre""#), "\(refused.errors)")
            try Data(#"{"@keyed": true, "Genre": {"map": {"code": "@key"}}}"#.utf8).write(to: URL(filePath: map))
            let done = try Tool.run("import", store.path, "Genre", file, "--map", map)
            #expect(done.status == 0 && done.output.contains("inserted   2\n"), "\(done.output)\(done.errors)")
            #expect(try Tool.run("get", store.path, "Genre", "soul").output.contains("Soul"))
        }
    }

    @Test(arguments: Tool.kinds) func `a file of mappings says how keys become attributes`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let map = "\(store.folder)/map.json"
            let text = """
                {"@root": "data", "Artist": {"map": {"name": ["artist_name", "who.name"], "id": "number"}, "ignore": ["x"],
                 "dates": {"born": "dd.MM.yyyy"}, "relate": {"genre": {"by": "code", "missing": "ignore"}}}}
                """
            try Data(text.utf8).write(to: URL(filePath: map))
            let source =
                #"{"data": [{"number": 5, "who": {"name": "Bo"}, "code": 3, "born": "01.05.2024", "x": 1, "genre": "rock"}]}"#
            let dry = try run("import", store.path, "Artist", "-", "--map", map, "--dry-run", input: source)
            #expect(dry.status == 0 && dry.output.hasPrefix("inserted   1\n"), "\(dry.errors)")
            #expect(try Tool.run("get", store.path, "Artist", "5").status == 1)
            let result = try run("import", store.path, "Artist", "-", "--map", map, "--json", input: source)
            #expect(result.status == 0, "\(result.errors)")
            #expect((result.json as? [String: Any])?["inserted"] as? Int == 1)
            let stack = try store.open()
            let artist = try #require(try stack.blocking.read { try $0.find(Artist.self, 5) })
            #expect(artist.name == "Bo" && artist.genre?.key == "rock")
            #expect(artist.born == Date(timeIntervalSinceReferenceDate: 736_214_400))
            try stack.blocking.close()
            let out = try Tool.run("export", store.path, "Artist", "--where", "id = 5", "--map", map)
            #expect(out.output.hasPrefix(#"{"data":[{"number":5,"artist_name":"Bo","#), "\(out.output)")
            let connecting = #"{"Artist": {"connect": {"genre": {"by": {"style.code": "code"}, "missing": "ignore"}}}}"#
            try Data(connecting.utf8).write(to: URL(filePath: map))
            let connected = try run(
                "import", store.path, "Artist", "-", "--map", map,
                input: #"[{"id": 6, "name": "Di", "code": 4, "style": {"code": "none"}}]"#)
            #expect(connected.status == 0 && !connected.errors.contains("genre"), "\(connected.errors)")
            #expect(try Tool.run("get", store.path, "Artist", "6").status == 0)
            try Data(#"{"Artist": {"connect": {"genre": {"by": {"a": "code"}, "mis": 1}}}}"#.utf8)
                .write(to: URL(filePath: map))
            let unknown = try run("import", store.path, "Artist", "-", "--map", map, input: "[]")
            #expect(unknown.status != 0 && unknown.errors.contains("$.Artist.connect.genre.mis"))
            try Data(#"{"Artist": {"mapp": {}}}"#.utf8).write(to: URL(filePath: map))
            let wrong = try run("import", store.path, "Artist", "-", "--map", map, input: "[]")
            #expect(wrong.status != 0 && wrong.errors.contains("$.Artist.mapp"))
        }
    }

    @Test(arguments: Tool.kinds) func `a file of mappings says what null and absence mean, and how lists are connected`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let map = "\(store.folder)/map.json"
            let text = """
                {"Artist": {"null": {"born": "keep"}, "absent": {"genre": "clear"}},
                 "Playlist": {"connect": {"songs": {"by": {"numbers": "id"}, "missing": "ignore"}}}}
                """
            try Data(text.utf8).write(to: URL(filePath: map))
            let start = #"[{"id": 5, "name": "Bo", "code": 10, "born": "2024-05-01", "genre": "rock"}]"#
            #expect(try run("import", store.path, "Artist", "-", input: start).status == 0)
            let nulls = #"[{"id": 5, "born": null}]"#
            let result = try run("import", store.path, "Artist", "-", "--map", map, input: nulls)
            #expect(result.status == 0, "\(result.errors)")
            let stack = try store.open()
            let artist = try #require(try stack.blocking.read { try $0.find(Artist.self, 5) })
            #expect(artist.born != nil && artist.genre == nil)
            try stack.blocking.close()
            // Without the mapping null clears, and what is absent stays.
            #expect(try run("import", store.path, "Artist", "-", input: nulls).status == 0)
            let again = try store.open()
            #expect(try again.blocking.read { try $0.find(Artist.self, 5) }?.born == nil)
            try again.blocking.close()
            for (wrong, place) in [
                (#"{"Artist": {"null": {"born": "drop"}}}"#, "$.Artist.null"),
                (#"{"Artist": {"null": "keep"}}"#, "$.Artist.null"),
            ] {
                try Data(wrong.utf8).write(to: URL(filePath: map))
                let refused = try run("import", store.path, "Artist", "-", "--map", map, input: nulls)
                #expect(refused.status != 0 && refused.errors.contains(place), "\(refused.errors)")
            }
        }
    }

    @Test(arguments: Tool.kinds) func `an import in parts leaves what is committed and goes on from there`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let lines = ["g1", "g2", "g3"].map { "{\"code\": \"\($0)\", \"name\": \"x\"}\n" }
            let cut = lines[0] + lines[1] + "{\"code\": \"bad\"}\n"
            let refused = try run(
                "import", store.path, "Genre", "-", "--format", "jsonl", "--commit-every", "2", input: cut)
            #expect(refused.status == 65 && refused.errors.contains("--start 2"), "\(refused.errors)")
            #expect(try Tool.run("get", store.path, "Genre", "g2").status == 0)
            let rest = try run(
                "import", store.path, "Genre", "-", "--format", "jsonl", "--start", "2", input: lines.joined())
            #expect(rest.status == 0 && rest.output.hasPrefix("inserted   1\n"), "\(rest.errors)")
            #expect(try Tool.run("import", store.path, "Genre", "-", "--commit-every", "0").status == 64)
        }
    }

    @Test(arguments: Tool.kinds) func `records that are refused are told, and end the import or are left out`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let source =
                "{\"code\": \"pop\", \"name\": \"Pop\"}\n{\"code\": \"x\"}\n{\"code\": \"rock\", \"name\": \"R\"}\n"
            let refused = try run("import", store.path, "Genre", "-", "--format", "jsonl", input: source)
            #expect(refused.status == 65 && refused.errors.contains("required"), "\(refused.errors)")
            #expect(refused.errors.contains("line 2)"), "\(refused.errors)")
            #expect(try Tool.run("get", store.path, "Genre", "pop").status == 1)
            let kept = try run(
                "import", store.path, "Genre", "-", "--format", "jsonl", "--keep-going", "--json", input: source)
            #expect(kept.status == 65, "\(kept.errors)")
            let report = try #require(kept.json as? [String: Any])
            #expect([report["inserted"], report["updated"], report["failed"]].map { $0 as? Int } == [1, 1, 1])
            let issue = try #require((report["issues"] as? [[String: Any]])?.first)
            #expect(issue["path"] as? String == "$[1]" && issue["line"] as? Int == 2)
            let inserted = try run(
                "import", store.path, "Genre", "-", "--format", "jsonl", "--policy", "insert", "--keep-going", "--json",
                input: source)
            let skipped = (inserted.json as? [String: Any])?["skippedObjects"] as? [[String: Any]]
            #expect(skipped?.map { $0["path"] as? String } == ["$[0]", "$[2]"], "\(inserted.errors)")
            #expect(skipped?.map { $0["reason"] as? String } == ["exists", "exists"])
            let tried = try run("import", store.path, "Playlist", "-", "--policy", "mirror", "--dry-run", input: "[]")
            #expect(tried.status == 0 && tried.errors.contains("It would delete Playlist "), "\(tried.errors)")
            let listed = try run(
                "import", store.path, "Playlist", "-", "--policy", "mirror", "--dry-run", "--json", input: "[]")
            #expect(((listed.json as? [String: Any])?["deletedKeys"] as? [Any])?.count == 1, "\(listed.errors)")
            let mirrored = try run(
                "import", store.path, "Playlist", "-", "--policy", "mirror", "--yes", "--max-delete", "1", "--json",
                input: "[]")
            #expect((mirrored.json as? [String: Any])?["deleted"] as? Int == 1, "\(mirrored.errors)")
            #expect(try Tool.run("import", store.path, "Genre").status == 64)
            #expect(try Tool.run("import", store.path, "Genre", "\(store.folder)/none.txt").status == 64)
            #expect(try Tool.run("import", store.path, "Genre", "\(store.folder)/none.json").status != 0)
        }
    }

    @Test func `a format holds for the files of a folder, and a file of mappings for what it can say`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let folder = "\(store.folder)/Genres"
            try FileManager.default.createDirectory(atPath: folder + "/inner", withIntermediateDirectories: true)
            for (name, text) in [("a.txt", "code,name\npop,Pop\n"), ("b", "code,name\nfolk,Folk\n"), ("._b", "x")] {
                try Data(text.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
            }
            let result = try Tool.run("import", store.path, "Genre", folder, "--format", "csv", "--json")
            #expect((result.json as? [String: Any])?["inserted"] as? Int == 2, "\(result.errors)")
            let map = "\(store.folder)/map.json"
            try Data(#"{"@keyed": true}"#.utf8).write(to: URL(filePath: map))
            let keyed = try Tool.run("export", store.path, "Genre", "--where", "code = 'rock'", "--map", map)
            #expect(keyed.output == "{\"rock\":{\"code\":\"rock\",\"name\":\"Rock\"}}\n", "\(keyed.errors)")
            try Data(keyed.output.utf8).write(to: URL(filePath: "\(store.folder)/keyed.json"))
            let again = try Tool.run(
                "import", store.path, "Genre", "\(store.folder)/keyed.json", "--map", map, "--json")
            #expect((again.json as? [String: Any])?["unchanged"] as? Int == 1, "\(again.errors)")
            #expect(try Tool.run("export", store.path, "Genre", "--map", map, "--format", "csv").status == 69)
            try Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x7B, 0x7D, 0x7D]).write(to: URL(filePath: map))
            let damaged = try Tool.run("export", store.path, "Genre", "--map", map)
            #expect(damaged.status != 0 && damaged.errors.contains("not UTF-8"), "\(damaged.errors)")
        }
    }

    @Test func `an import tells how many bytes of its files it has read`() async throws {
        let folder = try TemporaryFolder()
        let stack = try await Stack(MusicStore.schema, store: .inMemory)
        let lines = (1...5_000).map { "{\"code\":\"g\($0)\",\"name\":\"x\"}\n" }.joined()
        try Data(lines.utf8).write(to: URL(filePath: "\(folder.path)/a.jsonl"))
        try await stack.import(URL(filePath: "\(folder.path)/a.jsonl"), as: Genre.self)
        try await stack.export(Genre.all, to: .file("\(folder.path)/b.json.gz"))
        try await stack.export(Genre.all, to: .file("\(folder.path)/c.csv"))
        for name in ["a.jsonl", "b.json.gz", "c.csv", ""] {
            let url = URL(filePath: "\(folder.path)/\(name)")
            let names = name.isEmpty ? ["a.jsonl", "b.json.gz", "c.csv"] : [name]
            let size = try names.reduce(0) {
                try $0 + (URL(filePath: "\(folder.path)/\($1)").resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
            }
            let told = Mutex<[Int]>([])
            var importer = Importer()
            importer.progress = { report in told.withLock { $0.append(report.bytesRead) } }
            let report = try await stack.import(url, as: Genre.self, with: importer)
            #expect(report.bytesRead == size && report.totalBytes == size, "\(name)")
            let numbers = told.withLock { $0 }
            #expect(
                numbers.count > 1 && numbers == numbers.sorted() && numbers.allSatisfy { 1...size ~= $0 }, "\(name)")
        }
        let unknown = try await stack.import(.json(.text("[]")), as: Genre.self)
        #expect(unknown.totalBytes == nil)
        try await stack.close()
    }

    @Test func `references that are kept are counted in the report`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/Gigs.granary"
        try Stack(Gigs.schema, store: .sqlite(atPath: path)).blocking.close()
        let map = "\(folder.path)/map.json"
        try Data(#"{"Gig": {"relate": {"band": {"by": ["name"], "missing": "keep"}}}}"#.utf8)
            .write(to: URL(filePath: map))
        let kept = try run("import", path, "Gig", "-", "--map", map, input: #"[{"id": 1, "band": "Can"}]"#)
        #expect(kept.output.contains("pending references  1\n"), "\(kept.output) \(kept.errors)")
        let skipped = try run("import", path, "Gig", "-", "--policy", "insert", input: #"[{"id": 1}, {"id": 2}]"#)
        #expect(skipped.output.contains("skipped    1\n"), "\(skipped.output) \(skipped.errors)")
        let band = try run("import", path, "Band", "-", input: #"[{"id": 7, "name": "Can"}]"#)
        #expect(band.output.contains("connected references  1\n"), "\(band.output) \(band.errors)")
    }

    @Test func `an app's record types have their hooks and rules`() throws {
        try MusicToolStore.with { path throws in
            let result = try Tool.run("import", path, "Artist", "\(path).json", program: "embedded-tool")
            #expect(result.status == 0, "\(result.errors)")
            let names = try Tool.run("export", path, "Artist", "--format", "csv", program: "embedded-tool")
            #expect(names.output == "id,artist_name,rating\r\n1,Bo,\r\n", "\(names.output) \(names.errors)")
        }
    }
}

/// Records of which one is named before it comes.
private enum Gigs {
    @Record struct Gig {
        @Key var id: Int64
        var band: Ref<Band>?
    }

    @Record struct Band {
        @Key var id: Int64
        @Unique var name: String
    }

    static let schema = Schema(Gig.self, Band.self, PendingReference<Gig>.self)
}

/// A store of the records that the example app has, and a file to import.
private enum MusicToolStore {
    @Record struct Artist {
        @Key var id: Int64
        @Index var name: String
        var rating: Double?
        static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
    }

    @Record struct Song {
        @Key(.assigned) var id: Int64 = 0
        var title: String
        var plays = 0
        var artist: Ref<Artist>
    }

    static func with(_ body: (String) throws -> Void) throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/App.granary"
        try Stack(Schema(Artist.self, Song.self), store: .sqlite(atPath: path)).blocking.close()
        try Data(#"[{"id": 1, "artist_name": " Bo "}]"#.utf8).write(to: URL(filePath: "\(path).json"))
        try withExtendedLifetime(folder) { try body(path) }
    }
}
