import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// What the tool says where something goes wrong: the value, the place once, and what to do.
struct MessageTests {
    private func write(_ text: String, _ name: String, in store: MusicStore) throws -> String {
        let path = "\(store.folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    private func errorObject(_ result: Tool.Result) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: Data(result.errors.utf8))
        return try #require((json as? [String: Any])?["error"] as? [String: Any])
    }

    @Test(arguments: Tool.kinds) func `an error names the value, the other record and the place once`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let file = try write("id,name,code\n50,A,50\n51,B,7\n", "artists.csv", in: store)
            let result = try Tool.run("import", store.path, "Artist", file)
            #expect(result.status == 65)
            #expect(result.errors.contains("[Artist.label, Artist.code, key 1, value \"none, 7\"]"), "\(result.errors)")
            #expect(result.errors.contains("(at $[1], line 3)"), "\(result.errors)")
            #expect(result.errors.split(separator: "$[1]").count == 2, "\(result.errors)")
            let kept = try Tool.run("import", store.path, "Artist", file, "--keep-going")
            #expect(kept.errors.hasPrefix("$[1] (line 3): uniqueness: "), "\(kept.errors)")
            #expect(!kept.errors.contains("(at "), "\(kept.errors)")
        }
    }

    @Test func `an error in JSON has its place, and nothing is beside it`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let short = try write("id,name,code\n50,A,50\nx,B,51\n", "short.csv", in: store)
            let refused = try errorObject(try Tool.run("import", store.path, "Artist", short, "--json"))
            #expect(refused["code"] as? String == "typeMismatch")
            #expect(refused["path"] as? String == "$[1].id" && refused["line"] as? Int == 3)
            #expect(refused["value"] as? String == "x")
            let open = try write("id,name,code\n1,\"a\n", "open.csv", in: store)
            let unread = try errorObject(try Tool.run("import", store.path, "Artist", open, "--json"))
            #expect((unread["file"] as? String)?.hasSuffix("open.csv") == true)
            #expect(unread["line"] as? Int != nil && unread["byte"] as? Int != nil)
            let late = try write(
                "id,name,code\n60,A,60\n61,B,61\nx,C,62\n", "late.csv", in: store)
            let ended = try errorObject(
                try Tool.run("import", store.path, "Artist", late, "--json", "--commit-every", "1"))
            #expect(ended["committed"] as? Int == 2)
            #expect((ended["hints"] as? [String])?.first?.contains("--start 2") == true)
        }
    }

    @Test(arguments: Tool.kinds) func `a path of a mapping that no object has is named`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let file = try write(
                #"[{"code": "a", "title": "A"}, {"code": "b", "title": 7.5, "x": {"y": "B"}}]"#, "a.json", in: store)
            let nested = try write(
                #"[{"id": 50, "name": "A", "code": 77, "genre": {"code": "c", "name": "C", "title": "T"}}]"#,
                "nested.json", in: store)
            func unused(_ map: String, _ entity: String = "Genre", in other: String? = nil) throws -> [String] {
                let mapping = try write(map, "map.json", in: store)
                let result = try Tool.run(
                    "import", store.path, entity, other ?? file, "--map", mapping, "--json", "--dry-run", "--keep-going"
                )
                let paths = (result.json as? [String: Any])?["unusedPaths"] as? [[String: Any]] ?? []
                return paths.map { "\($0["name"] ?? "") \($0["paths"] as? [String] ?? [])" }
            }
            #expect(try unused(#"{"Genre": {"map": {"name": "titel"}}}"#) == ["name [\"titel\"]"])
            #expect(try unused(#"{"Genre": {"map": {"name": "title"}}}"#) == [])
            #expect(try unused(#"{"Genre": {"map": {"name": ["z", "x.y"]}}}"#) == [])
            #expect(try unused(#"{"Genre": {"map": {"name": ["z", "x.z"]}}}"#) == ["name [\"z\", \"x.z\"]"])
            // The nested object has the attribute's own name as well.
            let ofNested = { (path: String) in
                try unused(#"{"Genre": {"map": {"name": "\#(path)"}}}"#, "Artist", in: nested)
            }
            #expect(try ofNested("titel") == ["name [\"titel\"]"])
            #expect(try ofNested("title") == [])
            let mapping = try write(#"{"Genre": {"map": {"name": "titel"}}}"#, "map.json", in: store)
            let said = try Tool.run("import", store.path, "Genre", file, "--map", mapping, "--keep-going")
            #expect(
                said.errors.contains(
                    "No object has `titel`, which the mapping takes for Genre.name. Check the path."), "\(said.errors)")
        }
    }

    @Test(arguments: Tool.kinds) func `quotes of TSV are characters, and options say otherwise`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            func count(_ text: String, _ name: String, _ options: String...) throws -> Int? {
                let file = try write(text, name, in: store)
                let result = try Tool.run(
                    ["import", store.path, "Genre", file, "--json"] + options, program: "granary")
                #expect(result.status == 0, "\(result.errors)")
                return (result.json as? [String: Any])?["inserted"] as? Int
            }
            func name(_ code: String) throws -> String? {
                try (Tool.run("get", store.path, "Genre", code, "--json").json as? [String: Any])?["name"] as? String
            }
            #expect(try count("code\tname\na1\tpipe\na2\t\"Gold\na3\trope\na4\tcord\"\n", "a.tsv") == 4)
            #expect(try name("a2") == "\"Gold")
            #expect(try count("code\tname\nb1\tpipe 5\" long\n", "b.tsv") == 1)
            #expect(try count("code\tname\nc1\t\"Gold\nc2\trope\"\n", "c.tsv", "--quote", "\"") == 1)
            #expect(try name("c1") == "Gold\nc2\trope")
            #expect(try count("code,name\nd1,\"Gold\nd2,rope\"\n", "d.csv", "--quote", "none") == 2)
            #expect(try count("code\tname\nf1\t\n", "f.tsv") == 1)
            #expect(try name("f1") == "")
            let exported = try Tool.run(
                "export", store.path, "Genre", "--where", "code = 'f1'", "--format", "tsv")
            #expect(exported.output == "code\tname\r\nf1\t\r\n", "\(exported.errors)")
            let quoted = try write("\"code\"\t\"name\"\n\"e\"\t\"E\"\n", "e.tsv", in: store)
            #expect(
                try Tool.run("import", store.path, "Genre", quoted).errors.contains(
                    "If the quotes surround the fields, say --quote '\"'."))
            #expect(try Tool.run("import", store.path, "Genre", quoted, "--quote", "both").status == 64)
        }
    }

    @Test func `a file of another shape is told, with the option for it`() throws {
        try MusicStore.with(.sqlite) { store throws in
            func said(_ text: String, _ name: String, _ options: String...) throws -> String {
                let file = try write(text, name, in: store)
                let result = try Tool.run(
                    ["import", store.path, "Genre", file] + options, program: "granary")
                #expect(result.status == 65, "\(result.errors)")
                return result.errors
            }
            #expect(try said("code;name\na;b\n", "a.csv").contains("say it: --delimiter ';'"))
            #expect(try said("1,2\na,b\n", "b.csv").contains("say --no-header"))
            #expect(try said("kode,name\na,b\n", "c.csv").contains("are `kode`, `name`"))
            #expect(
                try said("{\"code\":\"a\",\"name\":\"b\"}\n{\"code\":\"c\",\"name\":\"d\"}\n", "d.json").contains(
                    "--format jsonl"))
            #expect(try said("{\n\"code\":\"a\",\"name\":\"b\"}\n", "e.jsonl").contains("--format json."))
            #expect(try said("BZh91AY&SY", "f.json").contains("an archive of bzip2"))
            #expect(try said("PK\u{3}\u{4}", "g.csv").contains("a zip archive"))
            #expect(try said("SQLite format 3\u{0}", "old.sqlite").contains("an SQLite database"))
            #expect(
                try said("code,name,code\na,b,c\n", "h.csv").contains(
                    "Columns 1 and 3 of the header are both called \"code\""))
            let done = try Tool.run(
                "import", store.path, "Genre", "\(store.folder)/a.csv", "--delimiter", ";")
            #expect(done.status == 0 && done.output.hasPrefix("inserted   1\n"), "\(done.errors)")
            let map = try write("{\"Genre\": {\"map\": {\"code\": \"0\", \"name\": \"1\"}}}", "map.json", in: store)
            let rows = try Tool.run("import", store.path, "Genre", "\(store.folder)/b.csv", "--no-header", "--map", map)
            #expect(
                rows.status == 0 && rows.output.hasPrefix("inserted   1\nupdated    0\nunchanged  1\n"),
                "\(rows.errors)")
            #expect(try Tool.run("import", store.path, "Genre", map, "--delimiter", ";;").status == 64)
            #expect(try Tool.run("import", store.path, "Genre", map, "--format", "json", "--no-header").status == 64)
        }
    }

    @Test func `a seed that is no seed is told what it is`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let csv = try write("code,name\na,b\n", "Genre.csv", in: store)
            let new = "\(store.folder)/New.granary"
            let refused = try Tool.run("seed", new, "--from", csv, "--schema", store.path)
            #expect(refused.status == 65 && refused.errors.contains("is CSV."), "\(refused.errors)")
            let database = try write("SQLite format 3\u{0}", "old.sqlite", in: store)
            let other = try Tool.run("seed", new, "--from", database, "--schema", store.path)
            #expect(other.status == 65 && other.errors.contains("is an SQLite database."), "\(other.errors)")
        }
    }

    @Test func `a file of mappings with a pattern or a path that can mean nothing is refused`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let source = try write("[]", "a.json", in: store)
            for (map, words) in [
                (
                    "{\"Artist\": {\"dates\": {\"born\": \"%Y/%m/%d\"}}}",
                    "$.Artist.dates.born has the pattern \"%Y/%m/%d\", which has the letter Y"
                ),
                ("{\"Artist\": {\"dates\": \"dd.MM.\"}}", "has no year"),
                ("{\"Artist\": {\"map\": {\"name\": \"a..b\"}}}", "has an empty part"),
                ("{\"Artist\": {\"map\": {\"name\": \"@keys\"}}}", "@keys is not one of @self"),
                ("{\"@root\": \"\"}", "does not have an object where @root says so"),
            ] {
                let file = try write(map, "map.json", in: store)
                let result = try Tool.run("import", store.path, "Artist", source, "--map", file)
                #expect(result.status == 65 && result.errors.contains(words), "\(map): \(result.errors)")
            }
        }
    }

    @Test func `words of SQL are answered with what to write`() throws {
        try MusicStore.with(.sqlite) { store throws in
            for (query, hint) in [
                ("Artist WHERE rating IS NULL", "`attribute == nil`"), ("SELECT COUNT(*) FROM Artist", "`@count`"),
                ("SELECT MAX(rating) FROM Artist", "`@max.attribute`"), ("Artist JOIN Song", "`artist.name`"),
            ] {
                let result = try Tool.run("query", store.path, query)
                #expect(result.status == 64 && result.errors.contains(hint), "\(query): \(result.errors)")
            }
            let like = try Tool.run("query", store.path, "Artist WHERE name LIKE 'J%'")
            #expect(like.status == 0 && like.errors.contains("stand for themselves"), "\(like.errors)")
            #expect(try Tool.run("query", store.path, "Artist WHERE name LIKE 'J*'").errors == "")
        }
    }

    @Test func `long values are printed as their sizes, and deletions name what goes along`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let cover = Data(repeating: 7, count: 40_000).base64EncodedString()
            let file = try write(
                "[{\"id\": \"00112233-4455-6677-8899-AABBCCDDEEFF\", \"cover\": \"\(cover)\"}]", "p.json", in: store)
            #expect(try Tool.run("import", store.path, "Playlist", file).status == 0)
            let table = try Tool.run("query", store.path, "Playlist")
            #expect(table.output.contains("<40.0 kB>") && table.output.utf8.count < 1_000, "\(table.output)")
            #expect(try Tool.run("query", store.path, "Playlist", "--full").output.contains(cover))
            #expect(try Tool.run("query", store.path, "Playlist", "--csv").output.contains(cover))
            let key = "00112233-4455-6677-8899-AABBCCDDEEFF"
            #expect(try Tool.run("get", store.path, "Playlist", key).output.contains("<40.0 kB>"))
            #expect(try Tool.run("get", store.path, "Playlist", key, "--full").output.contains(cover))
            let asked = try Tool.run("delete", store.path, "Artist", "1")
            #expect(asked.status == 2 && asked.errors.contains(", and with it 1 Song?"), "\(asked.errors)")
            let deleted = try Tool.run("delete", store.path, "Artist", "1", "--yes")
            #expect(deleted.status == 0 && deleted.output == "deleted with it: 1 Song\n", "\(deleted.errors)")
        }
    }

    @Test func `a drop or a conversion of what does not exist is refused beside a schema`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let file = try write(try Tool.run("schema", store.path, "--json").output, "schema.json", in: store)
            for option in ["--drop", "--convert"] {
                let result = try Tool.run("migrate", store.path, "--to", file, option, "Song.nothing")
                #expect(result.status == 64 && result.errors.contains("Song.nothing"), "\(result.errors)")
                #expect(try Tool.run("plan", store.path, file, option, "Song.nothing").status == 64)
            }
        }
    }

    @Test(arguments: Tool.kinds) func `text that CSV does not have is told with its record`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let file = try write("[{\"code\": \"a\", \"name\": \"x\\u0000y\"}]", "a.json", in: store)
            #expect(try Tool.run("import", store.path, "Genre", file).status == 0)
            for arguments in [
                ["export", store.path, "Genre", "--format", "csv"], ["query", store.path, "Genre", "--csv"],
            ] {
                let result = try Tool.run(arguments, program: "granary")
                #expect(result.status == 65 && result.errors.contains("[Genre.name, key a"), "\(result.errors)")
            }
        }
    }

    @Test func `a migration that a value stands in the way of names its record and the value`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let schema = try Tool.run("schema", store.path, "--json").output
            #expect(schema.contains("\"name\""))
            var json = try #require(
                try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any])
            var entities = try #require(json["entities"] as? [[String: Any]])
            func change(_ attribute: String, to type: String) throws {
                let index = try #require(entities.firstIndex { $0["name"] as? String == "Genre" })
                var attributes = try #require(entities[index]["attributes"] as? [[String: Any]])
                let place = try #require(attributes.firstIndex { $0["name"] as? String == attribute })
                attributes[place]["type"] = type
                entities[index]["attributes"] = attributes
            }
            try change("name", to: "decimal")
            json["entities"] = entities
            let text = String(decoding: try JSONSerialization.data(withJSONObject: json), as: UTF8.self)
            let file = try write(text, "new.json", in: store)
            let refused = try Tool.run("migrate", store.path, "--to", file, "--convert", "Genre.name", "--yes")
            #expect(
                refused.status == 65 && refused.errors.contains("[Genre.name, key rock, value \"Rock\"]"),
                "\(refused.errors)")
            try change("name", to: "date")
            json["entities"] = entities
            let other = String(decoding: try JSONSerialization.data(withJSONObject: json), as: UTF8.self)
            let lossy = try Tool.run("migrate", store.path, "--to", try write(other, "date.json", in: store))
            #expect(lossy.status == 78 && lossy.errors.contains("no option allows that"), "\(lossy.errors)")
        }
    }

    @Test func `a schema's file may leave out what a reference says itself, and equal numbers are named`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let id = #"{"name": "id", "type": "int64"}"#
            let text = """
                {"entities": [
                  {"name": "Band", "key": "id", "attributes": [\(id)]},
                  {"name": "Gig", "key": "id", "attributes": [\(id),
                    {"name": "band", "reference": {"entity": "Band"}},
                    {"name": "guest", "isOptional": true, "reference": {"entity": "Band"}}]}]}
                """
            let printed = try Tool.run("schema", try write(text, "short.json", in: store), "--json")
            let schema = try Schema(json: Array(printed.output.utf8))
            let attributes = schema.entities[1].attributes
            #expect(attributes.map(\.type) == [.int64, .int64, .int64], "\(printed.errors)")
            #expect(attributes.compactMap(\.reference?.onDelete) == [.deny, .nullify])
            let same = text.replacing(#""name": "band","#, with: #""id": 3, "name": "band","#)
                .replacing(#""name": "guest","#, with: #""id": 3, "name": "guest","#)
            let refused = try Tool.run("schema", try write(same, "same.json", in: store))
            #expect(
                refused.status == 78 && refused.errors.contains("Gig.band and Gig.guest have the same id 3"),
                "\(refused.errors)")
        }
    }
}
