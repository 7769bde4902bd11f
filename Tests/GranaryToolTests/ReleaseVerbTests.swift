import ArgumentParser
import Foundation
import Granary
import GranaryPlatform
import TestSupport
import Testing

@testable import GranaryTool

/// The verbs that know the releases of an app's plan, and the one that puts a backup back.
struct ReleaseVerbTests {
    private static func schema(_ attributes: Attribute...) -> Schema {
        Schema(entities: [
            Entity("Song", key: "id", keyGeneration: .assigned, attributes: [Attribute("id", .int64)] + attributes)
        ])
    }

    private static let first = schema(Attribute("name", .string), Attribute("plays", .int32))
    private static let second = schema(
        Attribute("title", .string).renamed(from: "name"), Attribute("plays", .string),
        Attribute("mood", .string, isOptional: true))
    private static let plan = MigrationPlan().release("1.0", schema: first).release(
        "2.0", .inferred("moods").down(.inferred("no moods").dropping("Song.mood")))
    private static let app = ToolApplication(name: "songs", schema: second, migration: .plan(plan))

    private func write(_ schema: Schema, to path: String) throws {
        try Data(schema.json()).write(to: URL(filePath: path))
    }

    /// Makes a store of the first release with one song.
    private func makeStore(_ kind: StoreKind, at path: String, plays: Int64 = 7) throws {
        let stack = try Stack(Self.first, store: kind.provider(at: path))
        try stack.blocking.write { tx in
            var song = try DynamicRecord("Song", in: tx.schema)
            try song.set("name", to: "Fire")
            try song.set("plays", toStored: .integer(plays))
            try tx.insert(song)
        }
        try stack.blocking.close()
    }

    private func run(_ verb: any AsyncParsableCommand) async throws {
        var verb = verb
        try await ToolApplication.$current.withValue(Self.app) { try await verb.run() }
    }

    @Test(arguments: Tool.kinds) func `migrate goes back to an earlier release, with names and types`(
        _ kind: StoreKind
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder("Music.granary")
        try makeStore(kind, at: path)
        try await run(try MigrateVerb.parse([path, "--json"]))
        #expect(
            try Tool.run("query", path, "SELECT title, plays FROM Song", "--csv").output == "title,plays\r\nFire,7\r\n")
        try await run(try MigrateVerb.parse([path, "--down-to", "1.0", "--yes", "--json"]))
        #expect(
            try Tool.run("query", path, "SELECT name, plays FROM Song", "--csv").output == "name,plays\r\nFire,7\r\n")
        let back = folder("first.json")
        try write(Self.first, to: back)
        #expect(try Tool.run("plan", path, back, "--check").status == 0)
        try await run(try MigrateVerb.parse([path, "--json"]))
        #expect(try Tool.run("verify", path).status == 0)
    }

    @Test func `a release that the plan does not have, or whose schema is not known, is an error`() async throws {
        let folder = try TemporaryFolder()
        let path = folder("Music.granary")
        try makeStore(.sqlite, at: path)
        for arguments in [
            [path, "--down-to", "0.9"], [path, "--down-to", "2.0"], [path, "--down-to", "1.0", "--drop", "Song"],
        ] {
            await #expect(throws: (any Error).self) { try await run(try MigrateVerb.parse(arguments)) }
        }
        let alone = try Tool.run("migrate", path, "--down-to", "1.0")
        #expect(alone.status == 64 && alone.errors.contains("--down-to needs an app"), "\(alone.errors)")
    }

    @Test func `plan tries starts without a store, and says which one fails`() throws {
        let folder = try TemporaryFolder()
        let (good, bad) = (folder("1.0.json"), folder("0.9.json"))
        let entities = try Schema(
            json: Array(Tool.run("schema", "--json", program: "embedded-tool").output.utf8)
        ).entities
        let artist = try #require(entities.firstIndex { $0.name == "Artist" })
        func added(_ name: String) -> Schema {
            var changed = entities
            changed[artist].attributes.append(Attribute(name, .string, isOptional: true))
            return Schema(entities: changed)
        }
        try write(added("label"), to: good)
        try write(added("mood"), to: bad)
        let passed = try Tool.run("plan", "--from", good, program: "embedded-tool")
        #expect(
            passed.status == 0 && passed.output == "\(good): steps 2026-11 labels go; changes: 1\n",
            "\(passed.output)\(passed.errors)")
        let failed = try Tool.run("plan", "--from", good, "--from", bad, "--json", program: "embedded-tool")
        let outcomes = try #require(failed.json as? [[String: Any]])
        #expect(failed.status == 1 && outcomes.count == 2, "\(failed.output)\(failed.errors)")
        #expect(outcomes[0]["error"] is NSNull)
        #expect((outcomes[1]["error"] as? String)?.contains("Artist.mood") == true, "\(outcomes)")
        #expect(try Tool.run("plan", "--from", good, "--check", program: "embedded-tool").status == 64)
        #expect(try Tool.run("plan", program: "embedded-tool").status == 64)
    }

    @Test func `plan runs the code of steps, and tries each release of the plan`() async throws {
        let folder = try TemporaryFolder()
        let file = folder("1.0.json")
        try write(Self.first, to: file)
        let steps = MigrationPlan(
            .code("moods") { store in _ = try store.fetch(Request("Mood")) },
            .inferred("no moods").dropping("Mood"))
        let app = ToolApplication(name: "songs", schema: Self.second, migration: .plan(steps))
        let start = StartCheck(name: "1.0", schema: Self.first)
        let outcome = try await start.run(to: try #require(app.schema), app.migration)
        #expect(outcome.failure?.code == .unknownEntity && outcome.text.contains("\"moods\""), "\(outcome)")
        let known = StartCheck(name: "release 1.0", schema: Self.first)
        #expect(try await known.run(to: Self.second, Self.app.migration).steps == ["moods"])
        #expect(try await known.run(to: Self.second, Self.app.migration).failure == nil)
    }

    @Test(arguments: Tool.kinds) func `plan says which values that become unique are shared`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            var entities = MusicStore.schema.entities
            let song = try #require(entities.firstIndex { $0.name == "Song" })
            entities[song].attributes.append(Attribute("rank", .int64, isOptional: true))
            let placed = "\(store.folder)/placed.json"
            try write(Schema(entities: entities), to: placed)
            #expect(try Tool.run("migrate", store.path, "--to", placed).status == 0)
            for key in ["1", "2"] { #expect(try Tool.run("set", store.path, "Song", key, "rank=3").status == 0) }
            entities[song].indexes.append(.unique("rank"))
            let unique = "\(store.folder)/unique.json"
            try write(Schema(entities: entities), to: unique)
            let plan = try Tool.run("plan", store.path, unique)
            let said = "would fail: Song.rank becomes unique, but records of Song share their values with others: 2."
            #expect(plan.status == 0 && plan.output.contains(said), "\(plan.output)\(plan.errors)")
            #expect(try Tool.run("migrate", store.path, "--to", unique).status == 65)
            #expect(try Tool.run("set", store.path, "Song", "1", "rank=4").status == 0)
            #expect(try !Tool.run("plan", store.path, unique).output.contains("would fail"))
        }
    }

    @Test(arguments: Tool.kinds) func `a migration that fails leaves no backup`(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let path = folder("Music.granary")
        try makeStore(kind, at: path, plays: 1000)
        let file = folder("narrow.json")
        try write(Self.schema(Attribute("name", .string), Attribute("plays", .int8)), to: file)
        for _ in 1...2 {
            let failed = try Tool.run("migrate", path, "--to", file, "--convert", "Song.plays", "--backup", "--yes")
            #expect(failed.status == 65 && failed.errors.contains("the backup was removed"), "\(failed.errors)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["Music.granary", "narrow.json"])
    }

    @Test(arguments: Tool.kinds) func `a restore ends what a killed one has left, and leaves one that goes on alone`(
        _ kind: StoreKind
    ) throws {
        let folder = try TemporaryFolder()
        let (path, backup) = (folder("Music.granary"), folder("Backup.granary"))
        func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
        }
        try makeStore(kind, at: path)
        #expect(try Tool.run("backup", path, backup).status == 0)
        // Killed between the two renames, and before them.
        try FileManager.default.moveItem(atPath: path, toPath: path + ".replaced-12")
        try FileManager.default.copyItem(atPath: backup, toPath: path + ".restored-12")
        #expect(try Tool.run("restore", backup, path).status == 2, "the store is back, and is asked for")
        #expect(try names() == ["Backup.granary", "Music.granary", "Music.granary.restored-12"])
        #expect(try Tool.run("restore", backup, path, "--yes").status == 0)
        #expect(try names() == ["Backup.granary", "Music.granary"])
        // Killed after them; and one that goes on.
        let (lock, name) = try UnfinishedFile.create(in: OpenFolder(folder.path))
        let goesOn = "Music.granary.restored-" + name.dropFirst(9)
        try FileManager.default.copyItem(atPath: backup, toPath: folder(goesOn))
        try FileManager.default.copyItem(atPath: backup, toPath: path + ".replaced-13")
        try FileManager.default.copyItem(atPath: backup, toPath: path + ".aside-1")
        #expect(try Tool.run("restore", path + ".replaced-13", path, "--yes").status == 0, "the backup stays")
        #expect(try names().count == 5)
        #expect(try Tool.run("restore", backup, path, "--yes").status == 0)
        #expect(try names() == ["Backup.granary", "Music.granary", "Music.granary.aside-1", goesOn])
        withExtendedLifetime(lock) {}
    }

    @Test(arguments: Tool.kinds) func `restore puts a backup in the place of a store`(_ kind: StoreKind) throws {
        let folder = try TemporaryFolder()
        let (path, backup) = (folder("Music.granary"), folder("Backup.granary"))
        try makeStore(kind, at: path)
        #expect(try Tool.run("backup", path, backup).status == 0)
        #expect(try Tool.run("set", path, "Song", "1", "name=Other").status == 0)
        #expect(try Tool.run("restore", backup, path).status == 2)
        let kept = try Tool.run("restore", backup, path, "--yes", "--keep", "--json")
        let aside = try #require((kept.json as? [String: Any])?["movedTo"] as? String, "\(kept.errors)")
        #expect(try Tool.run("diff", backup, path, "--contents").status == 0)
        #expect(try Tool.run("query", aside, "SELECT name FROM Song", "--csv").output == "name\r\nOther\r\n")
        #expect(try Tool.run("destroy", aside, "--yes").status == 0)
        #expect(try Tool.run("set", path, "Song", "1", "name=Other").status == 0)
        #expect(try Tool.run("restore", backup, path, "--yes").status == 0)
        #expect(try Tool.run("verify", path).status == 0)
        #expect(try Tool.run("diff", backup, path, "--contents").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["Backup.granary", "Music.granary"])
        #expect(
            try Tool.run("restore", backup, folder("New.granary")).status == 0, "nothing is replaced, nothing asked")
    }
}
