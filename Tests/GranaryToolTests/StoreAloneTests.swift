import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// Verbs that need a store alone, and places that are not for what a verb writes.
struct StoreAloneTests {
    @Test(arguments: Tool.kinds, [["compact"], ["reset", "--yes"], ["destroy", "--yes"]])
    func `a verb waits until the store is closed, as long as it is told to`(_ kind: StoreKind, _ verb: [String]) throws
    {
        try MusicStore.with(kind) { store throws in
            let stack = try store.open()
            let busy = try Tool.run([verb[0], store.path, "--wait", "0.1"] + verb.dropFirst(), program: "granary")
            #expect(busy.status == 75, "\(busy.errors)")
            #if os(Linux)
                let watch = try FolderWatch(store.path)
            #endif
            let process = Tool.process([verb[0], store.path, "--wait", "60"] + verb.dropFirst())
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            #if os(Linux)
                #expect(watch.waitForOpening(seconds: 60))
            #endif
            #expect(process.isRunning, "it waits")
            try stack.blocking.close()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
    }

    @Test(arguments: Tool.kinds) func `nothing is exported into a store's folder`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let name = kind == .sqlite ? "db.sqlite" : "data.mdb"
            let files = try FileManager.default.subpathsOfDirectory(atPath: store.path)
            let engine = try #require(files.first { $0.hasSuffix(name) })
            for path in [engine, "CURRENT", "songs.csv"] {
                let result = try Tool.run(
                    "export", store.path, "Song", "--format", "csv", "--to", "\(store.path)/\(path)")
                #expect(result.status == 66 && result.errors.contains("is inside the store"), "\(result.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: "\(store.path)/songs.csv"))
            #expect(try Tool.run("verify", store.path).status == 0)
        }
    }

    @Test(
        arguments: [
            ("MANIFEST-000001\n", 0), (String(repeating: "x", count: 100_000), 0), ("granary\n", 66), ("", 66),
        ] as [(String, Int32)]) func `a file that is named CURRENT alone makes no folder a store`(
            _ text: String, _ status: Int32
        ) throws
    {
        try MusicStore.with(.sqlite) { store throws in
            let folder = "\(store.folder)/database"
            try FileManager.default.createDirectory(atPath: "\(folder)/inner", withIntermediateDirectories: true)
            try write(text, to: "\(folder)/CURRENT")
            for path in ["songs.csv", "inner/songs.csv"] {
                let result = try Tool.run("export", store.path, "Song", "--to", "\(folder)/\(path)")
                #expect(result.status == status, "\(result.errors)")
                #expect(exists("\(folder)/\(path)") == (status == 0))
            }
            let database = try Tool.run("export", store.path, "--to", "\(folder)/Music.sqlite")
            #expect(database.status == status, "\(database.errors)")
        }
    }

    @Test func `a kind of store that was misspelt is not a path`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let result = try Tool.run(
                ["copy", store.path, "sqllite:Copy"], program: "granary", folder: store.folder)
            #expect(result.status == 64 && result.errors.contains("sqllite: is no kind of store"), "\(result.errors)")
            let copied = try Tool.run(
                ["copy", store.path, "./sqllite:Copy"], program: "granary", folder: store.folder)
            #expect(copied.status == 0, "\(copied.errors)")
        }
    }

    @Test(arguments: ["seed", "reset"]) func `a seed that is not there is neither a store nor JSON`(_ verb: String)
        throws
    {
        try MusicStore.with(.sqlite) { store throws in
            let place = verb == "seed" ? "\(store.folder)/New.granary" : store.path
            let result = try Tool.run(
                [verb, place, "--from", "\(store.folder)/none.json"] + (verb == "reset" ? ["--yes"] : []),
                program: "granary")
            #expect(result.status == 66 && result.errors.contains("no file or folder of JSON"), "\(result.errors)")
        }
    }

    @Test func `an import that deletes what the files do not have asks before`() throws {
        try MusicStore.with(.sqlite) { store throws in
            let empty = "\(store.folder)/none.json"
            try Data("[]".utf8).write(to: URL(filePath: empty))
            let result = try Tool.run("import", store.path, "Song", empty, "--policy", "mirror")
            #expect(result.status == 2 && result.errors.contains("Delete each Song"), "\(result.errors)")
            for key in ["1", "2"] { #expect(try Tool.run("get", store.path, "Song", key).status == 0) }
        }
    }
}

#if os(Linux)
    /// Tells that something in a folder is opened, by any process.
    private final class FolderWatch {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = inotify_init1(Int32(O_CLOEXEC))
            try #require(inotify_add_watch(descriptor, path, UInt32(IN_OPEN)) >= 0)
        }

        deinit { close(descriptor) }

        /// - Returns: Whether something was opened since the watch was made, or within this time.
        func waitForOpening(seconds: Int32) -> Bool {
            var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&event, 1, seconds * 1_000) == 1
        }
    }
#endif
