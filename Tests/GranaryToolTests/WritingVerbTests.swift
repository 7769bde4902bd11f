import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// What the verbs that write do, and what they refuse.
struct WritingVerbTests {
    @Test(arguments: Tool.kinds) func `set changes attributes, and tells the record as it is then`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let result = try Tool.run(
                "set", store.path, "Artist", "1", "name=A=B", "rating=-1.5", "isActive=false", "born=2024-05-01",
                "--unset", "genre", "--json")
            #expect(result.status == 0, "\(result.errors)")
            let json = try #require(result.json as? [String: Any])
            #expect(json["name"] as? String == "A=B" && json["version"] as? Int == 1)
            let stack = try store.open()
            let artist = try #require(try stack.blocking.read { try $0.find(Artist.self, 1) })
            #expect(artist.name == "A=B" && artist.rating == -1.5 && !artist.isActive && artist.genre == nil)
            #expect(artist.born == Date(timeIntervalSinceReferenceDate: 736_214_400))
            try stack.blocking.close()
        }
    }

    @Test(arguments: Tool.kinds) func `set --insert makes a record, whose key may be assigned`(_ kind: StoreKind) throws
    {
        try MusicStore.with(kind) { store throws in
            let result = try Tool.run(
                "set", store.path, "Song", "0", "title=Kiss", "artist=2", "price=1.25", "--insert")
            #expect(result.status == 0 && result.output.hasPrefix("id      3\ntitle   Kiss\n"), "\(result.errors)")
            let again = try Tool.run("set", store.path, "Genre", "rock", "name=x", "--insert")
            #expect(again.status == 65 && again.errors.contains("uniqueness"))
            let missing = try Tool.run("set", store.path, "Genre", "pop", "name=x")
            #expect(missing.status == 1 && missing.errors.contains("recordNotFound"))
        }
    }

    @Test(arguments: Tool.kinds) func `what a rule of the schema refuses changes nothing`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let refused: [(values: [String], code: String, status: Int32)] = [
                (["name=JIMI HENDRIX"], "uniqueness", 65), (["code=99999999999"], "range", 65),
                (["isActive=perhaps"], "typeMismatch", 65), (["genre=pop"], "danglingReference", 65),
                (["--unset", "name"], "required", 65), (["nme=x"], "unknownAttribute", 64),
                (["id=5"], "typeMismatch", 65),
            ]
            for (values, code, status) in refused {
                let process = Tool.process(["set", store.path, "Artist", "2"] + values + ["--json"])
                let errors = Pipe()
                process.standardError = errors
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                let said = errors.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                #expect(process.terminationStatus == status, "\(values)")
                let json = try JSONSerialization.jsonObject(with: said) as? [String: [String: Any]]
                #expect(json?["error"]?["code"] as? String == code, "\(values)")
            }
            let stack = try store.open()
            #expect(try stack.blocking.read { try $0.find(Artist.self, 2) }?.version == 0)
            try stack.blocking.close()
        }
    }

    @Test(arguments: Tool.kinds) func `a write keeps the history going where a store has one`(_ kind: StoreKind) throws
    {
        try MusicStore.with(kind, history: .everything) { store throws in
            #expect(try Tool.run("set", store.path, "Genre", "rock", "name=R").status == 0)
            let stack = try store.open(history: .everything)
            let changes = try stack.blocking.read { try $0.changes(since: HistoryToken(transactionNumber: 1)) }
            #expect(changes.map(\.origin.name) == ["granary"])
            try stack.blocking.close()
        }
        try MusicStore.with(kind) { store throws in
            #expect(try Tool.run("set", store.path, "Genre", "rock", "name=R").status == 0)
            #expect(try Tool.run("info", store.path).output.contains("history       none"))
        }
    }

    @Test(arguments: Tool.kinds) func `delete follows the delete rules, and asks`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let refused = try Tool.run("delete", store.path, "Artist", "1")
            #expect(refused.status == 2 && refused.errors.contains("--yes"))
            #expect(try Tool.run("get", store.path, "Artist", "1").status == 0)
            #expect(try Tool.run("delete", store.path, "Artist", "1", "--yes").status == 0)
            #expect(try Tool.run("get", store.path, "Artist", "1").status == 1)
            #expect(try Tool.run("query", store.path, "SELECT id FROM Song", "--csv").output == "id\r\n2\r\n")
            #expect(try Tool.run("delete", store.path, "Artist", "1", "--yes").status == 1)
        }
    }

    @Test(arguments: Tool.kinds) func `destroy needs a yes, removes a damaged store, and refuses an open one`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let refused = try Tool.run("destroy", store.path)
            #expect(refused.status == 2 && exists(store.path))
            let stack = try store.open()
            #expect(try Tool.run("destroy", store.path, "--yes").status == 75)
            try stack.blocking.close()
            #expect(try Tool.run("destroy", store.path, "--yes").status == 0)
            #expect(!exists(store.path))
            try store.make()
            try write("granary\n", to: "\(store.path)/CURRENT")
            #expect(try Tool.run("info", store.path).status == 79)
            #expect(try Tool.run("destroy", store.path, "--yes").status == 0)
            #expect(!exists(store.path))
            // As a process leaves it that is killed while it makes a store.
            try store.make()
            try FileManager.default.moveItem(atPath: "\(store.path)/CURRENT", toPath: "\(store.path)/CURRENT.tmp")
            #expect(try Tool.run("info", store.path).status == 66)
            #expect(try Tool.run("destroy", store.path, "--yes").status == 0)
            #expect(!exists(store.path))
        }
    }

    @Test(arguments: Tool.kinds) func `a store is not destroyed as one of another kind`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            for other in Tool.kinds where other != kind {
                let error = #expect(throws: GranaryError.self) { try other.provider(at: store.path).destroy() }
                #expect(error?.code == .notAStore)
            }
            #expect(try Tool.run("verify", store.path).status == 0)
            try kind.provider(at: store.path).destroy()
            #expect(!exists(store.path))
        }
    }

    @Test(arguments: Tool.kinds) func `compact leaves the records and makes the files smaller`(_ kind: StoreKind) throws
    {
        try MusicStore.with(kind) { store throws in
            let stack = try store.open()
            try stack.blocking.write { try $0.insert((0..<5_000).map { Song(title: "title \($0)", artist: Ref(1)) }) }
            try stack.blocking.write { _ = try Song.where { $0.id > 2 }.deleteAll(in: $0) }
            try stack.blocking.close()
            let json = try #require(try Tool.run("compact", store.path, "--json").json as? [String: Int])
            #expect((json["bytesAfter"] ?? 0) < (json["bytesBefore"] ?? 0))
            #expect(try Tool.run("query", store.path, "SELECT @count FROM Song", "--csv").output == "@count\r\n2\r\n")
            #expect(try Tool.run("info", store.path).output.contains("generation    2"))
        }
    }

    @Test(arguments: Tool.kinds) func `migrate does what loses nothing, and plan says what would lose something`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            var entities = MusicStore.schema.entities
            let artist = try #require(entities.firstIndex { $0.name == "Artist" })
            entities[artist].attributes.append(Attribute("nick", .string, isOptional: true))
            entities[artist].attributes[entities[artist].attributes.count - 1].id = 0
            let wider = "\(store.folder)/wider.json"
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: wider))
            let plan = try Tool.run("plan", store.path, wider, "--check")
            #expect(plan.status == 1)
            #expect(
                plan.output.hasPrefix(
                    "1. instant\n   Artist.nick: string? is added (instant)\nrecords: Artist 3, Song 2"))
            #expect(try Tool.run("migrate", store.path, "--to", wider).status == 0)
            #expect(try Tool.run("plan", store.path, wider, "--check").status == 0)
            #expect(try Tool.run("get", store.path, "Artist", "1").output.contains("nick      nil"))

            let narrower = "\(store.folder)/narrower.json"
            try Data(try MusicStore.schema.json()).write(to: URL(filePath: narrower))
            let lossy = try #require(try Tool.run("plan", store.path, narrower, "--json").json as? [String: Any])
            #expect(lossy["cost"] as? String == "lossy")
            let refused = try Tool.run("migrate", store.path, "--to", narrower)
            #expect(refused.status == 78 && refused.errors.contains("Artist.nick"), "\(refused.errors)")
            #expect(try Tool.run("verify", store.path).status == 0)
        }
    }
}
