import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// What the verbs that only read print.
struct ReadingVerbTests {
    @Test(arguments: Tool.kinds) func `info says what a store is and how many records it has`(_ kind: StoreKind) throws
    {
        try MusicStore.with(kind, history: .everything) { store throws in
            let result = try Tool.run("info", store.path)
            #expect(result.status == 0 && result.errors == "")
            let lines = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.contains(["kind", kind.rawValue]))
            #expect(lines.contains(["generation", "1"]))
            #expect(lines.contains(["schema", MusicStore.schema.fingerprint]))
            #expect(lines.contains(["history", "since", "commit", "1"]))
            #expect(
                lines.contains {
                    $0.starts(with: ["commits", "1,", "the", "last", "at"]) && $0.suffix(2) == ["by", "maker"]
                })
            #expect(
                lines.suffix(8).map(\.first) == [
                    "entity", "Artist", "Song", "Genre", "Playlist", "Key", "Playlist.songs", "Playlist.artists",
                ])
            #expect(lines.suffix(7).map(\.last) == ["3", "2", "1", "1", "0", "0", "0"])

            let json = try #require(
                try Tool.run("info", "\(kind.rawValue):\(store.path)", "--json").json as? [String: Any])
            #expect(json["kind"] as? String == kind.rawValue)
            #expect(json["path"] as? String == store.path)
            #expect((json["bytes"] as? Int ?? 0) > 1000)
            #expect((json["lastCommit"] as? [String: Any])?["number"] as? Int == 1)
            let entities = try #require(json["entities"] as? [[String: Any]])
            #expect(entities.first?["name"] as? String == "Artist" && entities.first?["records"] as? Int == 3)
        }
    }

    @Test(arguments: Tool.kinds) func `schema --swift is the source that the store was made with`(_ kind: StoreKind)
        throws
    {
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Records/Catalogue.swift")
        try MusicStore.with(kind) { store throws in
            let result = try Tool.run("schema", store.path, "--swift")
            #expect(result.status == 0)
            let lines = try String(contentsOf: source, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            let printed = result.output.split(separator: "\n", omittingEmptySubsequences: false)
            let differing = zip(lines, printed).filter { $0 != $1 }.map { "\($0) | \($1)" }
            #expect(differing == [])
            #expect(lines.count == printed.count)
        }
    }

    @Test(arguments: Tool.kinds) func `the JSON of a schema stands for the store`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let file = "\(store.folder)/schema.json"
            try write(try Tool.run("schema", store.path, "--json").output, to: file)
            let text = try Tool.run("schema", file).output
            #expect(try text == Tool.run("schema", store.path).output)
            for attribute in try store.open().schema.entities.flatMap(\.attributes) {
                #expect(text.contains("\n    \(attribute)"), "\(attribute)")
            }
            #expect(text.contains("\n    songs: to-many Song.artist, ordered by place\n"))
            #expect(text.contains("\n    songs: many-to-many Song, ordered\n"))
            #expect(text.contains("\n    playlists: many-to-many Playlist"))
            let plan = try Tool.run("plan", store.path, file, "--check")
            #expect(plan.status == 0 && plan.output == "The store has this schema.\n")
            let difference = try Tool.run("diff", file, store.path, "--json")
            #expect(difference.status == 0 && difference.output == "[]\n")
        }
    }

    @Test(arguments: Tool.kinds) func `a query prints a table`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let result = try Tool.run(
                "query", store.path,
                "SELECT id, name, rating, isActive AS active FROM Artist WHERE code > 6 ORDER BY id")
            #expect(result.status == 0)
            #expect(
                result.output == """
                    id  name                              rating  active
                     1  Jimi Hendrix                        4.75  true
                     2  Nina "Eunice" Simone, née Waymon          true
                    30  Line\\nEnd                           -2.0  false

                    """)
        }
    }

    @Test(arguments: Tool.kinds) func `a date after the year 9999 is printed in one way by each verb, and read back`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let file = "\(store.folder)/far.json"
            try Data(#"[{"id": 1, "born": 253402300800.0}]"#.utf8).write(to: URL(filePath: file))
            #expect(try Tool.run("import", store.path, "Artist", file).status == 0)
            let query = ["query", store.path, "SELECT id, born FROM Artist WHERE id = 1"]
            let table = "id,born\r\n1,253402300800.0\r\n"
            #expect(try Tool.run(query + ["--csv"], program: "granary").output == table)
            let rows = try Tool.run(query + ["--json"], program: "granary").json as? [[String: Any]]
            #expect(rows?.first?["born"] as? Double == 253_402_300_800)
            let got = try Tool.run("get", store.path, "Artist", "1", "--json")
            #expect((got.json as? [String: Any])?["born"] as? Double == 253_402_300_800)
            let exported = try Tool.run("export", store.path, "Artist", "--where", "id = 1", "--format", "csv")
            #expect(exported.output.contains(",253402300800.0"), "\(exported.output)")
            try Data(table.utf8).write(to: URL(filePath: "\(store.folder)/far.csv"))
            let again = try Tool.run("import", store.path, "Artist", "\(store.folder)/far.csv")
            #expect(again.output.contains("unchanged  1"), "\(again.output)")
            #expect(try Tool.run("set", store.path, "Artist", "1", "born=253402300801.0", "--json").status == 0)
            #expect(try Tool.run("set", store.path, "Artist", "1", "born=1000000000").status != 0)
            #expect(
                try Tool.run(query + ["--csv"], program: "granary").output
                    == table.replacing("800.0", with: "801.0"))
        }
    }

    @Test(arguments: Tool.kinds) func `a query prints CSV as RFC 4180 has it`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let result = try Tool.run("query", store.path, "SELECT id, name, born FROM Artist ORDER BY id", "--csv")
            #expect(result.status == 0)
            #expect(
                result.output
                    == "id,name,born\r\n1,Jimi Hendrix,1942-12-31T23:59:59.5Z\r\n2,\"Nina \"\"Eunice\"\" Simone, née Waymon\",\r\n"
                    + "30,\"Line\nEnd\",\r\n")
            let empty = try Tool.run("query", store.path, "SELECT title, `in` FROM Song ORDER BY id", "--csv")
            #expect(empty.output == "title,`in`\r\nFire,\r\n\"\",text\r\n", "an empty text is not nil")
        }
    }

    @Test(arguments: Tool.kinds) func `a query prints whole records as JSON, each value in the form of its type`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let artists = try Tool.run("query", store.path, "Artist WHERE id == 1", "--json")
            #expect(
                artists.output == """
                    [
                      {"id":1,"name":"Jimi Hendrix","rating":4.75,"born":"1942-12-31T23:59:59.5Z","label":"none","code":7,\
                    "isActive":true,"settings":{"loud":true},"genre":"rock","version":0}
                    ]

                    """)
            let playlists = try Tool.run("query", store.path, "Playlist", "--json")
            #expect(
                playlists.output == """
                    [
                      {"id":"\(MusicStore.playlist.uuidString)","name":"Best","cover":"AP8=","link":"https://a.b/c","weight":12.5}
                    ]

                    """)
            let songs = try Tool.run(
                "query", store.path, "SELECT price, length, plays * 2 FROM Song ORDER BY plays DESC", "--json")
            #expect(
                songs.output == """
                    [
                      {"price":0.99,"length":2.5,"plays * 2":18},
                      {"price":1.00,"length":null,"plays * 2":10}
                    ]

                    """)
            #expect(try Tool.run("query", store.path, "Key", "--json").output == "[]\n")
        }
    }

    @Test(arguments: Tool.kinds) func `a query follows relationships, and groups`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let counts = try Tool.run(
                "query", store.path, "SELECT name, songs.@count AS songs FROM Artist WHERE songs.@count > 0 LIMIT 1",
                "--csv")
            #expect(counts.output == "name,songs\r\nJimi Hendrix,1\r\n")
            let groups = try Tool.run(
                "query", store.path,
                "SELECT artist.name, @sum.plays AS plays FROM Song GROUP BY artist.name HAVING @count > 0 ORDER BY @sum.plays",
                "--json")
            #expect(
                groups.output == """
                    [
                      {"artist.name":"Nina \\"Eunice\\" Simone, née Waymon","plays":5},
                      {"artist.name":"Jimi Hendrix","plays":9}
                    ]

                    """)
            #expect(try Tool.run("query", store.path, "SELECT @count FROM Song", "--csv").output == "@count\r\n2\r\n")
            let plan = try Tool.run("query", store.path, "Artist WHERE name == 'x'", "--explain")
            #expect(plan.output.contains("search Artist using name"), "\(plan.output)")
        }
    }

    @Test(arguments: Tool.kinds) func `get prints the record with a key`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let text = try Tool.run("get", store.path, "Song", "2")
            #expect(
                text.output == """
                    id      2
                    title   \n\
                    plays   5
                    place   0
                    artist  2
                    cover   nil
                    price   1.00
                    length  nil
                    in      text

                    """)
            let json = try Tool.run("get", store.path, "Genre", "rock", "--json")
            #expect(json.output == "{\n  \"code\": \"rock\",\n  \"name\": \"Rock\"\n}\n")
            let missing = try Tool.run("get", store.path, "Artist", "99")
            #expect(missing.status == 1 && missing.output == "" && missing.errors.contains("recordNotFound"))
        }
    }

    @Test func `the contents of stores of two kinds are compared by key`() throws {
        try MusicStore.with(.sqlite) { first throws in
            try MusicStore.with(.lmdb) { second throws in
                let same = try Tool.run("diff", first.path, second.path, "--contents")
                #expect(same.status == 0 && same.output == "" && same.errors == "")
                let stack = try second.open()
                try stack.blocking.write { tx in
                    try tx.update(Artist.self, 2) { $0.rating = 5 }
                    try tx.delete(Artist.self, 30)
                    try tx.insert(Artist(id: 3, name: "Prince", code: 10))
                }
                try stack.blocking.close()
                let text = try Tool.run("diff", first.path, second.path, "--contents")
                #expect(text.status == 1)
                #expect(
                    text.output == """
                        ~ Artist 2  rating: nil -> 5.0, version: 0 -> 1
                        + Artist 3
                        - Artist 30

                        """)
                let json = try Tool.run("diff", first.path, second.path, "--contents", "--json")
                #expect(
                    json.output == """
                        [
                          {"change":"changed","entity":"Artist","key":2,"attributes":{"rating":[null,5.0],"version":[0,1]}},
                          {"change":"added","entity":"Artist","key":3},
                          {"change":"removed","entity":"Artist","key":30}
                        ]

                        """)
            }
        }
    }

    @Test func `contents are the same where one type has the values of the other`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let other = "\(store.folder)/Other.granary"
            #expect(try Tool.run("copy", store.path, other).status == 0)
            var entities = MusicStore.schema.entities
            let artist = try #require(entities.firstIndex { $0.name == "Artist" })
            let code = try #require(entities[artist].attributes.firstIndex { $0.name == "code" })
            entities[artist].attributes[code].type = .string
            let schema = "\(store.folder)/schema.json"
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: schema))
            let migrated = try Tool.run("migrate", other, "--to", schema)
            #expect(migrated.status == 0 && migrated.output.contains("Artist.code"), "\(migrated)")
            #expect(try Tool.run("diff", store.path, other).status == 1, "the schemas differ")
            for (first, second) in [(store.path, other), (other, store.path)] {
                let same = try Tool.run("diff", first, second, "--contents")
                #expect(same.status == 0 && same.output == "", "\(same)")
            }
            let name = String(repeating: "long ", count: 30)
            #expect(try Tool.run("set", store.path, "Artist", "30", "name=\(name)a", "rating=-2").status == 0)
            #expect(try Tool.run("set", other, "Artist", "30", "name=\(name)b", "code=010").status == 0)
            let text = try Tool.run("diff", store.path, other, "--contents")
            #expect(
                text.status == 1
                    && text.output == "~ Artist 30  name: …long long a -> …long long b, code: 9 -> 010\n", "\(text)")

            // Keys of different types have different orders.
            let genre = try #require(entities.firstIndex { $0.name == "Artist" })
            entities[genre].attributes[0].type = .string
            for number in entities.indices {
                for attribute in entities[number].attributes.indices
                where entities[number].attributes[attribute].reference?.entity == "Artist" {
                    entities[number].attributes[attribute].type = .string
                }
            }
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: schema))
            let changed = try Tool.run("migrate", other, "--to", schema)
            #expect(changed.status == 0, "\(changed)")
            let refused = try Tool.run("diff", store.path, other, "--contents")
            #expect(refused.status == 78 && refused.errors.contains("The keys of Artist"), "\(refused)")
        }
    }

    @Test(arguments: Tool.kinds) func `verify remarks that no record names a file, which is no fault`(_ kind: StoreKind)
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder("Photos.granary")
        let schema = Schema(entities: [
            Entity("Photo", key: "id", attributes: [Attribute("id", .int64), Attribute("image", .data).external()])
        ])
        let stack = try Stack(schema, store: kind.provider(at: path))
        try stack.blocking.write { tx in
            var photo = try DynamicRecord("Photo", in: tx.schema)
            try photo.set("id", to: Int64(1))
            try photo.set("image", to: Data(repeating: 1, count: 300_000))
            try tx.upsert(photo)
        }
        try stack.blocking.close()
        #expect(try Tool.run("verify", path).output == "No faults.\n")
        try write("left over", to: "\(path)/external/\(String(repeating: "a", count: 64))")
        let text = try Tool.run("verify", path)
        #expect(text.status == 0 && text.output.hasPrefix("No faults.\nNo record names 1 of the files"), "\(text)")
        let json = try Tool.run("verify", path, "--json")
        let said = try #require(json.json as? [String: [String]])
        #expect(json.status == 0 && said["faults"] == [] && said["remarks"]?.count == 1, "\(json)")
    }

    @Test(arguments: Tool.kinds) func `verify finds nothing in a sound store`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let text = try Tool.run("verify", store.path)
            #expect(text.status == 0 && text.output == "No faults.\n")
            #expect(
                try Tool.run("verify", store.path, "--json").output == "{\n  \"faults\": [],\n  \"remarks\": []\n}\n")
        }
    }

    @Test(arguments: Tool.kinds) func `an error about a record that does not exist has its key`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let keys = [("Artist", "77"), ("Genre", "hip\nhop"), ("Playlist", UUID().uuidString)]
            for (entity, key) in keys {
                for verb in [["get"], ["set", "name=x"], ["delete", "--yes"]] {
                    let arguments = [verb[0], store.path, entity, key] + verb.dropFirst()
                    let result = try Tool.run(arguments + ["--json"], program: "granary")
                    let json =
                        try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: [String: Any]]
                    let error = try #require(json?["error"])
                    #expect(result.status == 1 && error["code"] as? String == "recordNotFound")
                    #expect(error["entity"] as? String == entity && error["key"] as? String == key, "\(error)")
                    let text = try Tool.run(arguments, program: "granary").errors
                    let shown = key.replacing("\n", with: "\\n")
                    #expect(
                        text
                            == "error: recordNotFound: \(entity) has no record with this key. Check the key. [\(entity), key \(shown)]\n"
                    )
                }
            }
        }
    }
}
