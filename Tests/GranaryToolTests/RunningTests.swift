import Foundation
import Granary
import GranaryPlatform
import GranaryTool
import TestSupport
import Testing

@testable import GranaryStoreKit

/// Names of stores, exit codes, pipes, help and completions.
struct RunningTests {
    @Test func `each kind of failure has its exit code`() throws {
        let folder = try TemporaryFolder()
        try write("{", to: folder("broken.json"))
        try write(#"{"entities":[]}"#, to: folder("empty.json"))
        try FileManager.default.createDirectory(atPath: folder("Other"), withIntermediateDirectories: false)
        try write("x", to: folder("Other/file"))
        try MusicStore.with(.sqlite) { store throws in
            let failures: [(arguments: [String], status: Int32)] = [
                (["info", folder("None.granary")], 66), (["info", folder("Other")], 66), (["info", ""], 66),
                (["info", folder("broken.json")], 66), (["info", "memory:"], 66), (["info", "lmdb:\(store.path)"], 66),
                (["info", folder("no/such/parent")], 66), (["info"], 64), (["inform", store.path], 64),
                (["query", store.path, "Artist WHERE"], 64), (["query", store.path, "Nobody"], 64),
                (["query", store.path, "Artist WHERE code == 'x'"], 64),
                (["export", store.path, "Artist", "--to", folder("a.text")], 64),
                (["import", store.path, "Artist", folder("Other/file")], 64),
                (["export", store.path, "Artist", "--where", "code == 'x'"], 64),
                (["query", store.path, "Artist", "--csv", "--json"], 64), (["get", store.path, "Artist", "x"], 65),
                (["set", store.path, "Artist", "1"], 64), (["set", store.path, "Artist", "1", "name"], 64),
                (["plan", store.path, folder("broken.json")], 78), (["plan", store.path, folder("empty.json")], 78),
                (["plan", store.path], 64), (["migrate", store.path], 64), (["schema"], 64),
                (["destroy", "memory:x", "--yes"], 69), (["destroy", "lmdb:\(store.path)", "--yes"], 66),
                (["destroy", folder("Other"), "--yes"], 66),
            ]
            for (arguments, status) in failures {
                let process = Tool.process(arguments)
                let output = Pipe()
                process.standardOutput = output
                process.standardError = FileHandle.nullDevice
                try process.run()
                let text = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                #expect(process.terminationStatus == status, "\(arguments)")
                #expect(text.isEmpty, "\(arguments) printed \(String(decoding: text, as: UTF8.self))")
            }
            #expect(exists(store.path) && exists(folder("Other/file")))
            #expect(!exists(folder("None.granary")))
        }
    }

    @Test(arguments: Tool.kinds) func `a newer store, a damaged one and a busy one are told apart`(_ kind: StoreKind)
        throws
    {
        try MusicStore.with(kind) { store throws in
            let current = "\(store.path)/CURRENT"
            let whole = try #require(text(current))
            let newer = StoreDescription(format: 2, kind: kind.rawValue)
            try Data(newer.bytes).write(to: URL(filePath: current))
            #expect(try Tool.run("info", store.path).status == 76)
            #expect(try Tool.run("destroy", store.path, "--yes").status == 76)
            try write(whole, to: current)
            let stack = try store.open()
            #expect(try Tool.run("compact", store.path).status == 75)
            #expect(try Tool.run("info", store.path).status == 0, "reading needs no turn")
            try stack.blocking.close()
            let file = try #require(stack.location)
            let handle = try FileHandle(forWritingTo: URL(filePath: file))
            try handle.truncate(atOffset: 5_000)
            try handle.close()
            let damaged = try Tool.run("verify", store.path)
            #expect([1, 79].contains(damaged.status), "\(damaged)")
        }
    }

    @Test(arguments: Tool.kinds) func `a verb waits for a writer as long as it is told to`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let stack = try store.open()
            try stack.blocking.write { _ in
                let result = try Tool.run("set", store.path, "Genre", "rock", "name=x", "--wait", "0.2")
                #expect(result.status == 75 && result.errors.contains("--wait SECONDS"), "\(result)")
            }
            let result = try Tool.run("set", store.path, "Genre", "rock", "name=x", "--wait", "30")
            #expect(result.status == 0, "\(result)")
            try stack.blocking.close()
            #expect(try Tool.run("info", store.path, "--wait=-1").status == 64)
        }
    }

    @Test func `the tool says its version`() throws {
        #expect(try Tool.run("--version").output == "\(ToolApplication.granaryVersion)\n")
        #expect(try Tool.run("--version", program: "embedded-tool").status == 0)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a store that may not be written is refused with 77`() throws {
        try MusicStore.with(.sqlite) { store throws in
            _ = chmod(store.path, 0o500)
            defer { _ = chmod(store.path, 0o700) }
            #expect(try Tool.run("set", store.path, "Genre", "rock", "name=x").status == 77)
        }
    }

    @Test(arguments: Tool.kinds) func `a pipe whose reader has gone ends the verb quietly`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let stack = try store.open()
            try stack.blocking.write { try $0.insert((0..<20_000).map { Song(title: "title \($0)", artist: Ref(1)) }) }
            try stack.blocking.close()
            for options in [[], ["--json"], ["--csv"]] {
                let process = Tool.process(["query", store.path, "Song"] + options)
                let (output, errors) = (Pipe(), Pipe())
                process.standardOutput = output
                process.standardError = errors
                try process.run()
                _ = try output.fileHandleForReading.read(upToCount: 10)
                try output.fileHandleForReading.close()
                let said = errors.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                #expect(process.terminationReason == .exit && process.terminationStatus == 0)
                #expect(said.isEmpty, "\(String(decoding: said, as: UTF8.self))")
            }
        }
    }

    @Test func `the error of a schema that is not one says where`() throws {
        let folder = try TemporaryFolder()
        let schemas = [
            ("{", "it is not JSON"), ("[]", "it is not an object with `entities`"),
            (#"{"entities":[{"name":"A"}]}"#, "entities[0].key is missing"),
            (#"{"entities":[{"name":1}]}"#, "entities[0].name is of another type"),
        ]
        for (json, text) in schemas {
            try write(json, to: folder("schema.json"))
            let result = try Tool.run("schema", folder("schema.json"))
            #expect(result.status == 78 && result.errors.contains(text), "\(json): \(result.errors)")
        }
    }

    @Test func `a schema that a person writes leaves out what is as it mostly is`() throws {
        let folder = try TemporaryFolder()
        try write(
            #"{"entities":[{"name":"A","key":"id","indexes":[{"attributes":["n"]}],"#
                + #""attributes":[{"name":"id","type":"int64"},{"name":"n","type":"int64"}]}]}"#,
            to: folder("short.json"))
        try write(
            #"{"entities":[{"name":"A","id":1,"key":"id","keyGeneration":"explicit","#
                + #""indexes":[{"attributes":["n"],"isUnique":false}],"#
                + #""attributes":[{"name":"id","id":1,"type":"int64","isOptional":false},"#
                + #"{"name":"n","id":2,"type":"int64","isOptional":false}]}]}"#,
            to: folder("long.json"))
        let result = try Tool.run("diff", folder("short.json"), folder("long.json"))
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    @Test func `a schema's file that contradicts itself is refused with the reason`() throws {
        let folder = try TemporaryFolder()
        func entity(_ name: String, id: Int, _ more: String = "") -> String {
            #"{"name":"\#(name)","id":\#(id),"key":"id","keyGeneration":"explicit",\#(more)"#
                + (more.contains("indexes") ? "" : #""indexes":[],"#)
                + #""attributes":[{"name":"id","id":1,"type":"int64","isOptional":false}]}"#
        }
        let schemas = [
            ([entity("A", id: 1, #""renamedFrom":["B"],"#), entity("B", id: 2)], "A is renamed from B"),
            (
                [entity("A", id: 1, #""renamedFrom":["C"],"#), entity("B", id: 2, #""renamedFrom":["C"],"#)],
                "are both renamed from C"
            ),
            ([entity("A", id: 1), entity("B", id: 1)], "have the same id"),
            ([entity("A", id: 1), entity("A", id: 2)], "Two entities are named A"),
        ]
        for (entities, text) in schemas {
            try write(#"{"entities":[\#(entities.joined(separator: ","))]}"#, to: folder("schema.json"))
            let result = try Tool.run("schema", folder("schema.json"))
            #expect(result.status == 78 && result.errors.contains(text), "\(entities): \(result.errors)")
        }
    }

    @Test(arguments: Tool.kinds) func `a schema's file says what was renamed`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let file = "\(store.folder)/renamed.json"
            let json = try Tool.run("schema", store.path, "--json").output
            var entities = try Schema(json: Array(json.utf8)).entities
            let genre = try #require(entities.firstIndex { $0.name == "Genre" })
            let name = try #require(entities[genre].attributes.firstIndex { $0.name == "name" })
            entities[genre].attributes[name].name = "title"
            entities[genre].attributes[name] = entities[genre].attributes[name].renamed(from: "name")
            try JSONEncoder().encode(Schema(entities: entities)).write(to: URL(filePath: file))
            let done = try Tool.run("migrate", store.path, "--to", file)
            #expect(
                done.status == 0 && done.output.contains("Genre.title is the new name of name (instant)"),
                "\(done.output)\(done.errors)")
            #expect(try Tool.run("query", store.path, "SELECT title FROM Genre", "--csv").output.contains("Rock"))
            #expect(try !Tool.run("schema", store.path, "--json").output.contains("renamedFrom"))
        }
    }

    @Test(arguments: Tool.kinds) func `a copy and a backup are made on another file system`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let device = try FileSystem.status(store.folder)?.device
            guard let other = try FileSystem.status("/dev/shm"), other.kind == .folder, other.device != device,
                FileManager.default.isWritableFile(atPath: "/dev/shm")
            else { return }
            let place = "/dev/shm/granary-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: place) }
            for verb in ["copy", "backup"] {
                let made = try Tool.run(verb, store.path, "\(place)/\(verb).granary")
                #expect(made.status == 0, "\(verb): \(made.errors)")
                #expect(try Tool.run("diff", store.path, "\(place)/\(verb).granary", "--contents").status == 0)
            }
        }
    }

    @Test func `an error of usage is JSON where that is asked for`() throws {
        for arguments in [["schema", "--json"], ["plan", "schema.json", "--json"]] {
            let result = try Tool.run(arguments, program: "granary")
            #expect(result.status == 64)
            let json = try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: [String: Any]]
            #expect(json?["error"]?["code"] as? String == "usage", "\(result.errors)")
        }
    }

    @Test(arguments: Tool.kinds) func `a migration that fails says as JSON which records or changes stand in its way`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            let file = "\(store.folder)/later.json"
            func failure(_ change: (inout [Entity]) -> Void) throws -> (status: Int32, error: [String: Any]) {
                var entities = MusicStore.schema.entities
                change(&entities)
                try Data(try Schema(entities: entities).json()).write(to: URL(filePath: file))
                let result = try Tool.run("migrate", store.path, "--to", file, "--json")
                let json = try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: [String: Any]]
                return (result.status, try #require(json?["error"]))
            }
            let artist = try #require(MusicStore.schema.entities.firstIndex { $0.name == "Artist" })
            let unique = try failure { $0[artist].indexes.append(.unique("isActive")) }
            #expect(unique.status == 65 && unique.error["code"] as? String == "uniqueness")
            #expect(unique.error["duplicates"] as? [[String]] == [["1", "2"]], "\(unique)")
            let lossy = try failure { $0[artist].attributes.removeAll { $0.name == "rating" } }
            #expect(lossy.status == 78 && lossy.error["code"] as? String == "schemaMismatch")
            let plan = lossy.error["plan"] as? [String: Any]
            let refused = plan?["refused"] as? [[String: Any]]
            #expect(refused?.count == 1 && refused?.first?["entity"] as? String == "Artist", "\(lossy)")
        }
    }

    @Test func `the page has every verb, and the flags that it names are the verb's`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Granary/Granary.docc/TheTool.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { line in
            line.hasPrefix("| `") && line.dropFirst(3).prefix { $0 != " " }.allSatisfy { $0.isLetter && $0.isLowercase }
                && line.contains(" STORE") || line.hasPrefix("| `diff A B`")
        }
        let verbs = GranaryCommand.verbs.compactMap { $0.configuration.commandName }
        #expect(rows.map { String($0.dropFirst(3).prefix { $0 != " " }) } == verbs)
        for (row, verb) in zip(rows, verbs) {
            let help = try Tool.run(verb, "--help").output
            func flags(_ text: Substring) -> Set<String> {
                Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
            }
            let own = flags(help[(help.range(of: "OPTIONS:")?.lowerBound ?? help.startIndex)...]).subtracting([
                "--help", "--version", "--json", "--wait", "--yes", "--text",
            ])
            #expect(flags(row).subtracting(["--json"]) == own, "\(verb)")
        }
    }

    @Test func `each verb has help with an example`() throws {
        let verbs = GranaryCommand.verbs.compactMap { $0.configuration.commandName }
        for verb in verbs {
            let help = try Tool.run(verb, "--help")
            #expect(help.status == 0 && help.errors == "")
            #expect(help.output.contains("EXAMPLES:\n  granary \(verb) "), "\(verb): \(help.output)")
            #expect(help.output.contains("--json"), "\(verb)")
        }
        let all = try Tool.run("--help").output
        for verb in verbs + ["demo", "conformance"] { #expect(all.contains("\n  \(verb) "), "\(verb)") }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func `the tool writes completions`(_ shell: String) throws {
        let result = try Tool.run("--generate-completion-script", shell)
        #expect(result.status == 0 && result.output.contains("destroy"))
    }

    @Test func `an app that embeds the tool compares stores with its own records`() throws {
        let folder = try TemporaryFolder()
        let path = folder("Music.granary")
        let schema = try Tool.run("schema", program: "embedded-tool")
        #expect(schema.output.hasPrefix("entity Artist\n    id: int64 key\n"))
        #expect(try Tool.run("info", "memory:", "--json", program: "embedded-tool").status == 0)
        // A store of an earlier version of the app.
        var entities = [
            Entity("Artist", key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)])
        ]
        let old = try Stack(Schema(entities: entities), store: .sqlite(atPath: path))
        try old.blocking.close()
        let plan = try Tool.run("plan", path, "--check", program: "embedded-tool")
        #expect(plan.status == 1 && plan.output.contains("Song is added"), "\(plan)")
        #expect(try Tool.run("migrate", path, program: "embedded-tool").status == 0)
        #expect(try Tool.run("plan", path, "--check", program: "embedded-tool").status == 0)
        let help = try Tool.run("info", "--help", program: "embedded-tool").output
        #expect(help.contains("music-tool info Music.granary"))
        #expect(!(try Tool.run("--help", program: "embedded-tool").output.contains("conformance")))
        entities[0].attributes[1].name = "title"
        let other = try Stack(Schema(entities: entities), store: .sqlite(atPath: folder("Other.granary")))
        try other.blocking.close()
        #expect(try Tool.run("migrate", folder("Other.granary"), program: "embedded-tool").status == 78)
    }

    @Test func `the page lists the exit codes that the tool has`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Granary/Granary.docc/TheTool.md")
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/GranaryTool/Running/ExitCodes.swift")
        func rows(_ file: URL, _ start: String) throws -> [Int] {
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix(start) }
                .compactMap { Int($0.dropFirst(start.count).prefix { $0.isNumber }) }
        }
        let codes = [0, 1, 2, 64, 65, 66, 69, 70, 74, 75, 76, 77, 78, 79]
        // The last row is of the signals.
        #expect(try rows(page, "| ") == codes + [130])
        #expect(try rows(source, "/// | ") == codes + [130])
        let values = [
            ToolExit.negative, ToolExit.unconfirmed, ToolExit.usage, ToolExit.refused, ToolExit.noStore,
            ToolExit.unsupported,
            ToolExit.failed, ToolExit.io, ToolExit.busy, ToolExit.newer, ToolExit.denied,
            ToolExit.mismatch, ToolExit.damaged,
        ]
        #expect([0] + values.map { Int($0.rawValue) } == codes)
    }
}
