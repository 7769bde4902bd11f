import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// A verb that replaces a store's files, in a process that may have few files open.
struct FewDescriptorsTests {
    /// What the verbs say with each limit, from one with which none works to one with which all do.
    private func withEachLimit(_ kind: StoreKind, _ verb: String, _ check: (MusicStore, Tool.Result) throws -> Void)
        throws
    {
        let program = Tool.process([]).executableURL?.path ?? ""
        var ends: Set<Int32> = []
        for limit in 10...26 {
            try MusicStore.with(kind) { store throws in
                let line = "ulimit -n \(limit); exec \"$0\" \(verb)".replacing("STORE", with: "$1")
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                process.arguments = ["-c", line, program, store.path]
                process.standardInput = FileHandle.nullDevice
                let errors = Pipe()
                (process.standardOutput, process.standardError) = (FileHandle.nullDevice, errors)
                try process.run()
                let said = errors.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                ends.insert(process.terminationStatus)
                let result = Tool.Result(
                    status: process.terminationStatus, output: "", errors: String(decoding: said, as: UTF8.self))
                try check(store, result)
            }
        }
        #expect(ends == [0, 74], "some limits are too low, and some are not")
    }

    @Test(arguments: Tool.kinds) func `a reset that is told as failed has changed nothing, or says that it is done`(
        _ kind: StoreKind
    ) throws {
        try withEachLimit(kind, "reset STORE --yes") { store, result in
            let songs = try Tool.run("query", store.path, "SELECT id FROM Song", "--json").output
            let isEmpty = !songs.contains("\"id\"")
            let saysDone = result.status == 0 || result.errors.contains("commitOutcomeUnknown")
            #expect(isEmpty == saysDone, "\(result.errors)")
        }
    }

    @Test(arguments: Tool.kinds) func `a copy that is told as failed is not there, or says that it is made`(
        _ kind: StoreKind
    ) throws {
        try withEachLimit(kind, "copy STORE STORE.copy") { store, result in
            let isMade = try Tool.run("info", "\(store.path).copy").status == 0
            let saysDone = result.status == 0 || result.errors.contains("commitOutcomeUnknown")
            #expect(isMade == saysDone, "\(result.errors)")
        }
    }
}
