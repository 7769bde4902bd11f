import Foundation
import Granary
import TestSupport
import Testing

@testable import GranaryTool

/// What the tool says to do about an error: options and files, and no calls of Swift.
struct AdviceTests {
    /// Words of the library that a person at a command line can do nothing with.
    private static let words = [
        "Schema(", "MigrationStep", "migration:", "@Key", ".external", ".file(", "importer's", "exporter's",
        "PendingReference",
        "maximum", "step of a", "reaching", "squashing:", "down(_:)", "duplicateKeys", "time-out",
    ]

    private func expect(
        _ result: Tool.Result, _ status: Int32, _ advice: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let said = result.errors
        #expect(result.status == status && said.contains(advice), "\(said)", sourceLocation: sourceLocation)
        for word in AdviceTests.words {
            #expect(!said.contains(word), "\(said)", sourceLocation: sourceLocation)
        }
    }

    /// The messages of the library are the only place of its advice: a change of its words must change the table, too.
    @Test func `the library says what the tool exchanges`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter {
            $0.hasSuffix(".swift") && !$0.hasPrefix("GranaryTool/")
        }
        let texts = try names.map { name in
            // A message that is written in several parts.
            try String(contentsOf: sources.appending(path: name), encoding: .utf8).replacing(/"\s*\+ "/, with: "")
        }
        let words = Advice.all.map(\.words) + Advice.ofCancellation + [Advice.ofSeeds]
        #expect(words.count > 40 && texts.count > 300)
        for part in words.flatMap({ $0.split(separator: "…") }) {
            #expect(texts.contains { $0.contains(part) }, "\(part)")
        }
        for advice in Advice.all {
            for word in AdviceTests.words { #expect(!advice.said.contains(word), "\(advice.said)") }
        }
    }

    @Test func `an advice is exchanged where it stands, with the name in it`() throws {
        let middle = try #require(Advice.all.first { $0.words.contains("…") })
        let ends = middle.words.split(separator: "…")
        let error = GranaryError(.range, "Before. \(ends[0])Song.title\(ends[1]) After.", entity: "Song")
        #expect(error.namingOptions().message == "Before. \(middle.said) After.")
        #expect(error.namingOptions().namingOptions().message == "Before. \(middle.said) After.")
        let half = GranaryError(.range, "\(ends[0])Song.title")
        #expect(half.namingOptions().message == half.message)
    }

    @Test func `a name that the schema does not have is to be checked`() throws {
        try MusicStore.with(.sqlite) { store throws in
            for verb in [["get", store.path, "Nobody", "1"], ["query", store.path, "Nobody"]] {
                let result = try Tool.run(verb, program: "granary")
                expect(result, 64, "Playlist, Key. Check the name.")
            }
        }
    }

    @Test(arguments: [
        (#"{"entities": []}"#, "Write at least one entity."),
        (#"{"entities": [{"name": "A", "key": "id", "attributes": [{"name": "n", "type": "int64"}]}]}"#, "Give it one"),
        (
            #"{"entities": [{"name": "A", "key": "id", "attributes": [{"name": "id", "type": "int64"}, {"name": "b", "type": "int64", "reference": {"entity": "B", "onDelete": "deny"}}]}]}"#,
            "which the schema lacks. Add it to the entities."
        ),
        (
            #"{"entities": [{"name": "A", "key": "id", "attributes": [{"name": "id", "type": "int64"}, {"name": "n", "type": "string", "external": true}]}]}"#,
            "Remove external"
        ),
        (
            #"{"entities": [{"name": "A", "key": "id", "attributes": [{"name": "id", "type": "int64", "renamedValues": [{"old": {"integer": 1}, "new": {"integer": 2}}]}]}]}"#,
            "Remove renamedValues."
        ),
    ]) func `a schema's file that breaks a rule says what to write in it`(_ json: String, _ advice: String) throws {
        let folder = try TemporaryFolder()
        try write(json, to: folder("schema.json"))
        expect(try Tool.run("schema", folder("schema.json")), 78, advice)
    }

    @Test func `a migration that a record stands in the way of says how to change the record`() throws {
        try MusicStore.with(.sqlite) { store throws in
            func file(_ change: (inout Attribute) -> Void) throws -> String {
                var entities = MusicStore.schema.entities
                let artist = try #require(entities.firstIndex { $0.name == "Artist" })
                for place in entities[artist].attributes.indices { change(&entities[artist].attributes[place]) }
                let path = "\(store.folder)/later.json"
                try Data(try Schema(entities: entities).json()).write(to: URL(filePath: path))
                return path
            }
            let required = try file { if $0.name == "rating" { $0.isOptional = false } }
            expect(
                try Tool.run("migrate", store.path, "--to", required), 65, "`set` can give the record a value first.")
            let narrow = try file { if $0.name == "label" { ($0.type, $0.defaultValue) = (.int64, nil) } }
            expect(
                try Tool.run("migrate", store.path, "--to", narrow, "--convert", "Artist.label"), 65,
                "Change the record first: `set` does that.")
        }
    }

    @Test func `what a seed would lose is allowed by a migration of the seed`() throws {
        try MusicStore.with(.sqlite) { store throws in
            // What `reset` would lose is allowed by a migration of the seed.
            let (seed, changed) = ("\(store.folder)/Seed.granary", "\(store.folder)/changed.json")
            #expect(try Tool.run("copy", store.path, seed).status == 0)
            var entities = MusicStore.schema.entities
            let song = try #require(entities.firstIndex { $0.name == "Song" })
            entities[song].attributes.removeAll { $0.name == "price" }
            try Data(try Schema(entities: entities).json()).write(to: URL(filePath: changed))
            #expect(
                try Tool.run("migrate", store.path, "--to", changed, "--drop", "Song.price", "--yes").status == 0)
            expect(
                try Tool.run("reset", store.path, "--from", seed, "--yes"), 78,
                "migrate the seed first, or a copy of it, with --drop Song.price.")
        }
    }

    @Test func `an import and an export name the members of the file of mappings`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let (json, map) = ("\(store.folder)/genres.json", "\(store.folder)/map.json")
            try write(#"[{"name": "Folk"}]"#, to: json)
            expect(try Tool.run("import", store.path, "Genre", json), 65, "or give @missingKey in the file of --map.")
            expect(
                try Tool.run("import", store.path, "Genre", json, "--keep-going"), 65,
                "or give @missingKey in the file of --map.")
            try write(#"{"@root": "data.genres"}"#, to: map)
            expect(
                try Tool.run("import", store.path, "Genre", json, "--map", map), 65,
                "Correct @root in the file of --map")
            try write("code,name\nfolk,Folk\n", to: "\(store.folder)/genres.csv")
            expect(
                try Tool.run("import", store.path, "Genre", "\(store.folder)/genres.csv", "--map", map), 69,
                "Leave @root and @keyed out of the file of --map.")
            try write(#"{"@keyed": true}"#, to: map)
            expect(
                try Tool.run("export", store.path, "Genre", "--format", "csv", "--map", map), 69,
                "or leave @keyed out of the file of --map.")
            try write(#"{"Song": {"relate": {"artist": {"missing": "keep"}}}}"#, to: map)
            expect(
                try Tool.run("import", store.path, "Song", json, "--map", map), 64,
                "Give another value of missing in the file of --map")
            try write(#"[{"code": "a", "code": "b"}]"#, to: json)
            expect(try Tool.run("import", store.path, "Genre", json), 65, "twice. Remove one.")
        }
    }

    @Test(arguments: Tool.kinds) func `an app's tool names the options, too`(_ kind: StoreKind)
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder("Music.granary")
        let stack = try Stack(
            Schema(entities: [
                Entity(
                    "Artist", key: "id",
                    attributes: [Attribute("id", .int64), Attribute("name", .string), Attribute("rating", .string)])
            ]), store: kind.provider(at: path))
        try stack.blocking.close()
        let refused = try Tool.run("migrate", path, program: "embedded-tool")
        expect(refused, 78, "If that is meant, say so with --convert Artist.rating.")
    }
}
