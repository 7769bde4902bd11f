import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// Schemas in files that a person has written: what is not understood is refused, and says where it is.
struct SchemaFileTests {
    /// Runs a body with a store of songs and the path of a file with a schema for it, in which text was replaced.
    private func with(
        _ kind: StoreKind, replacing old: String, by new: String,
        _ body: (_ store: String, _ file: String) throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        let text = """
            {"entities": [{"name": "Song", "key": "id",
              "attributes": [{"name": "id", "type": "int64"}, {"name": "title", "type": "string"}],
              "indexes": [{"attributes": ["title"], "isUnique": true}]}]}
            """
        let (file, store) = ("\(folder.path)/schema.json", "\(folder.path)/Songs.granary")
        try Data(text.utf8).write(to: URL(filePath: file))
        let made = try Tool.run(
            "seed", "\(kind.rawValue):\(store)", "--from", try seed(in: folder.path), "--schema", file)
        #expect(made.status == 0, "\(made.errors)")
        try Data(text.replacing(old, with: new).utf8).write(to: URL(filePath: file))
        try withExtendedLifetime(folder) { try body(store, file) }
    }

    private func seed(in folder: String) throws -> String {
        let path = "\(folder)/seed.json"
        try Data(#"{"Song": [{"id": 1, "title": "Fire"}, {"id": 2, "title": "Kiss"}]}"#.utf8).write(
            to: URL(filePath: path))
        return path
    }

    @Test(arguments: [
        (#""isUnique": true"#, #""isunique": true"#, "entities[0].indexes[0].isunique is not a key"),
        (#""type": "string""#, #""type": "strnig""#, #"entities[0].attributes[1].type is "strnig", which is no type"#),
        (
            #""type": "string""#, #""type": "string", "isOptinal": true"#,
            "entities[0].attributes[1].isOptinal is not a key"
        ),
        (
            #""type": "string""#, #""type": "string", "defaultValue": {"txt": "x"}"#,
            "entities[0].attributes[1].defaultValue.txt is not a key"
        ),
        (#""key": "id","#, #""key": "id", "renamedfrom": ["Track"],"#, "entities[0].renamedfrom is not a key"),
        (#"{"entities": ["#, "[[", "it is not JSON"),
    ]) func `what is misspelt in a file is refused and named, and nothing is migrated`(
        _ old: String, _ new: String, _ message: String
    ) throws {
        try with(.sqlite, replacing: old, by: new) { store, file in
            for arguments in [["migrate", store, "--to", file], ["plan", store, file], ["schema", file]] {
                let result = try Tool.run(arguments, program: "granary")
                #expect(result.status == 78 && result.errors.contains(message), "\(arguments): \(result.errors)")
            }
            #expect(try Tool.run("set", store, "Song", "1", "title=Kiss").status == 65, "the title is unique")
        }
    }

    @Test(arguments: Tool.kinds) func `a default is written as a number, and bytes from which on a value is a file`(
        _ kind: StoreKind
    ) throws {
        let added = #"""
            "type": "string"}, {"name": "rating", "type": "double", "defaultValue": {"number": 1.5}},
            {"name": "image", "type": "data", "isOptional": true, "external": true, "externalFrom": 4
            """#
        try with(kind, replacing: #""type": "string""#, by: added) { store, file in
            let migrated = try Tool.run("migrate", store, "--to", file)
            #expect(migrated.status == 0, "\(migrated.errors)")
            let song = try Tool.run("get", store, "Song", "1", "--json")
            #expect((song.json as? [String: Any])?["rating"] as? Double == 1.5, "\(song.output)")
            let written = try Tool.run("schema", store, "--swift")
            #expect(written.output.contains("@Attribute(.external(from: 4)) var image: Data?"), "\(written.output)")
            // A verb keeps large values where the schema says.
            #expect(try Tool.run("set", store, "Song", "1", "image=AAECAwQF").status == 0)
            #expect(try Tool.run("set", store, "Song", "1", "title=Fires").status == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(store)/external")
            #expect(files.count { $0.count == 64 } == 1, "\(files)")
        }
    }

    @Test(arguments: Tool.kinds) func `plan says that records have no value for a required attribute`(
        _ kind: StoreKind
    ) throws {
        let added = #""type": "string"}, {"name": "length", "type": "double""#
        try with(kind, replacing: #""type": "string""#, by: added) { store, file in
            let plan = try Tool.run("plan", store, file)
            let said = "would fail: Song.length is required and has no default, but Song has records: 2."
            #expect(plan.status == 0 && plan.output.contains(said), "\(plan.output)\(plan.errors)")
            let migrated = try Tool.run("migrate", store, "--to", file, "--backup")
            #expect(migrated.status == 65 && migrated.errors.contains("the backup was removed"), "\(migrated.errors)")
        }
    }

    @Test(arguments: Tool.kinds) func `plan counts the records that have nil where a value becomes required`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            func plan(
                _ renames: [String], _ change: (inout Attribute) -> Void
            ) throws -> (text: String, json: [String]) {
                var entities = MusicStore.schema.entities
                let artist = try #require(entities.firstIndex { $0.name == "Artist" })
                for place in entities[artist].attributes.indices { change(&entities[artist].attributes[place]) }
                if !renames.isEmpty { entities[artist].attributes[2].name = "stars" }
                let file = "\(store.folder)/later.json"
                try Data(try Schema(entities: entities).json()).write(to: URL(filePath: file))
                let arguments = ["plan", store.path, file] + renames
                let json = try Tool.run(arguments + ["--json"], program: "granary")
                let remarks = (json.json as? [String: Any])?["remarks"] as? [String]
                return (try Tool.run(arguments, program: "granary").output, try #require(remarks, "\(json.errors)"))
            }
            func requireRating(_ attribute: inout Attribute) {
                if attribute.name == "rating" { attribute.isOptional = false }
            }
            let remark =
                "Artist.rating becomes required and has no default, but records of Artist have nil there: 1. Give it a default, or the records values."
            let required = try plan([], requireRating)
            #expect(required.text.contains("would fail: \(remark)\n") && required.json == [remark], "\(required)")
            let renamed = try plan(["--rename", "Artist.rating=Artist.stars"], requireRating)
            #expect(renamed.json == [remark.replacing("rating", with: "stars")], "\(renamed)")
            let withDefault = try plan([]) {
                requireRating(&$0)
                if $0.name == "rating" { $0.defaultValue = .real(1) }
            }
            #expect(withDefault.json.isEmpty && !withDefault.text.contains("would fail"), "\(withDefault)")
            for (key, value) in [("2", "3"), ("30", "3")] {
                #expect(try Tool.run("set", store.path, "Artist", key, "rating=\(value)").status == 0)
            }
            let given = try plan([], requireRating)
            #expect(given.json.isEmpty && !given.text.contains("would fail"), "\(given)")
        }
    }

    @Test func `plan does not foretell what the steps of an app may give the records`() throws {
        let folder = try TemporaryFolder()
        let path = folder("Music.granary")
        let artist = Entity(
            "Artist", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string, isOptional: true)])
        let stack = try Stack(Schema(entities: [artist]), store: .sqlite(atPath: path))
        try stack.blocking.write { tx in
            var record = try DynamicRecord("Artist", in: tx.schema)
            try record.set("id", to: Int64(1))
            try tx.insert(record)
        }
        try stack.blocking.close()
        let file = folder("schema.json")
        try write(try Tool.run("schema", "--json", program: "embedded-tool").output, to: file)
        #expect(try !Tool.run("plan", path, program: "embedded-tool").output.contains("would fail"))
        let inferred = try Tool.run("plan", path, file, program: "embedded-tool")
        #expect(inferred.output.contains("would fail: Artist.name becomes required"), "\(inferred)")
    }
}
