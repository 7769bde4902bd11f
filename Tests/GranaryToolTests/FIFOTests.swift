import Foundation
import Granary
import GranaryPlatform
import GranaryTool
import TestSupport
import Testing

/// FIFOs that are given to the tool, and files that exports make. No verb waits for ever.
struct FIFOTests {
    private static let rows = #"{"code":"pop","name":"Pop"}"# + "\n"

    @Test func `an import of a FIFO that no process writes to ends after the time of --wait`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let fifo = "\(store.folder)/rows.jsonl"
            #expect(mkfifo(fifo, 0o600) == 0)
            let result = try Tool.run("import", store.path, "Genre", fifo, "--wait", "0.2")
            #expect(result.status == 75 && result.errors.contains("FIFO that no process writes to"), "\(result.errors)")
        }
    }

    @Test(arguments: [FIFOTests.rows, ""]) func `a FIFO is imported once a process writes to it`(_ rows: String) throws
    {
        try MusicStore.with(.sqlite) { store throws in
            let fifo = "\(store.folder)/rows.jsonl"
            #expect(mkfifo(fifo, 0o600) == 0)
            let writer = Process()
            writer.executableURL = URL(filePath: "/bin/sh")
            writer.arguments = ["-c", "sleep 0.3; printf %s \"$0\" > \"$1\"", rows, fifo]
            try writer.run()
            let result = try Tool.run("import", store.path, "Genre", fifo, "--wait", "60", "--json")
            writer.waitUntilExit()
            #expect(result.status == 0, "\(result.errors)")
            #expect((result.json as? [String: Any])?["inserted"] as? Int == (rows.isEmpty ? 0 : 1), "\(result.output)")
        }
    }

    @Test func `an export to a FIFO that no process reads ends after the time of --wait`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let fifo = "\(store.folder)/rows.jsonl"
            #expect(mkfifo(fifo, 0o600) == 0)
            let result = try Tool.run("export", store.path, "Genre", "--to", fifo, "--wait", "0.2")
            #expect(result.status == 75 && result.errors.contains("FIFO that no process reads"), "\(result.errors)")
        }
    }

    @Test(arguments: ["--map", "--schema"])
    func `a file of an option that is a FIFO is read once a process writes to it, within the time of --wait`(
        _ option: String
    ) throws {
        try MusicStore.with(.sqlite) { store throws in
            let (fifo, seed) = ("\(store.folder)/option.json", "\(store.folder)/empty.json")
            #expect(mkfifo(fifo, 0o600) == 0)
            try Data("{}".utf8).write(to: URL(filePath: seed))
            let verb =
                option == "--map"
                ? ["export", store.path, "Genre"] : ["seed", "lmdb:\(store.folder)/New.granary", "--from", seed]
            let ended = try Tool.run(verb + [option, fifo, "--wait", "0.2"], program: "granary")
            #expect(ended.status == 75 && ended.errors.contains("FIFO that no process writes to"), "\(ended.errors)")
            let text =
                try option == "--map" ? "{}" : Tool.run("schema", store.path, "--json").output
            let writer = Process()
            writer.executableURL = URL(filePath: "/bin/sh")
            writer.arguments = ["-c", "sleep 0.3; printf %s \"$0\" > \"$1\"", text, fifo]
            try writer.run()
            let read = try Tool.run(verb + [option, fifo, "--wait", "60"], program: "granary")
            writer.waitUntilExit()
            #expect(read.status == 0, "\(read.errors)")
        }
    }

    @Test func `a seed that is a FIFO is refused`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let fifo = "\(store.folder)/seed.json"
            #expect(mkfifo(fifo, 0o600) == 0)
            let result = try Tool.run(
                "seed", "\(store.folder)/New.granary", "--from", fifo, "--schema", store.path, "--wait", "0.2")
            #expect(result.status == 66 && result.errors.contains("is not a file"), "\(result.errors)")
        }
    }

    private func mode(_ path: String) throws -> UInt32? { try FileSystem.status(path)?.permissions }

    @Test(arguments: ["rows.jsonl", "all.sqlite"]) func `an export is for this user alone, unless it replaces a file`(
        _ name: String
    ) throws {
        try MusicStore.with(.sqlite) { store throws in
            let path = "\(store.folder)/\(name)"
            let entity = name.hasSuffix("jsonl") ? ["Genre"] : []
            let arguments = ["export", store.path] + entity + ["--to", path]
            #expect(try Tool.run(arguments, program: "granary").status == 0)
            #expect(try mode(path) == 0o600)
            guard !entity.isEmpty else { return }
            #expect(chmod(path, 0o644) == 0)
            #expect(try Tool.run(arguments, program: "granary").status == 0)
            #expect(try mode(path) == 0o644)
        }
    }

    @Test(arguments: ["rows.jsonl", "all.sqlite"])
    func `an export removes what a killed one has left in its folder, and nothing that is in use`(_ name: String) throws
    {
        try MusicStore.with(.sqlite) { store throws in
            let folder = try OpenFolder(store.folder)
            for left in [".granary-12", ".granary-12-journal", ".granary-ab", ".granary-"] {
                try Data("left".utf8).write(to: URL(filePath: "\(store.folder)/\(left)"))
            }
            let (inUse, used) = try UnfinishedFile.create(in: folder)
            try Data("left".utf8).write(to: URL(filePath: "\(store.folder)/.granary-13"))
            let entity = name.hasSuffix("jsonl") ? ["Genre"] : []
            let result = try Tool.run(
                ["export", store.path] + entity + ["--to", "\(store.folder)/\(name)"], program: "granary")
            #expect(result.status == 0, "\(result.errors)")
            let left = try folder.names().filter { $0.hasPrefix(".granary") }
            #expect(Set(left) == [".granary-ab", ".granary-", used])
            withExtendedLifetime(inUse) {}
        }
    }

    @Test func `a path whose bytes are not UTF-8 is refused`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            let program = Tool.process([]).executableURL?.path ?? ""
            process.arguments = ["-c", "exec \"$0\" info \"$1/m$(printf '\\377')sic\"", program, store.folder]
            let errors = Pipe()
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
            try process.run()
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 64 && said.contains("is not UTF-8"), "\(said)")
        }
    }
}
