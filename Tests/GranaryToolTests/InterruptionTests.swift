import Foundation
import Granary
import GranaryTool
import TestSupport
import Testing

/// Verbs that SIGINT or SIGTERM ends.
struct InterruptionTests {
    /// Interrupts an import that reads standard input, and goes on writing objects until it has ended.
    ///
    /// - Parameter isUnderWay: Whether the import has come far enough, asked when it has read most of what was written.
    private func interrupted(
        _ store: MusicStore, with number: Int32, _ options: [String], isUnderWay: () throws -> Bool = { true }
    ) throws -> (status: Int32, errors: String) {
        let process = Tool.process(["import", store.path, "Genre", "-", "--format", "jsonl"] + options)
        let (input, errors) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        // The test's own copies of the child's ends would keep the pipes open.
        try input.fileHandleForReading.close()
        var (count, isSent) = (0, false)
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
            // More than a pipe holds: once it is written, the verb reads, and its handler of signals is there.
            let lines = (0..<10_000).map { "{\"code\":\"g\(count + $0)\",\"name\":\"x\"}\n" }.joined()
            do {
                try input.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
            } catch {
                break
            }
            count += 10_000
            guard !isSent, try isUnderWay() else { continue }
            kill(process.processIdentifier, number)
            isSent = true
        }
        try? input.fileHandleForWriting.close()
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    private func count(_ store: MusicStore) throws -> Int {
        let stack = try store.open()
        let count = try stack.blocking.read { try $0.count(Genre.all) }
        try stack.blocking.close()
        return count
    }

    @Test(arguments: Tool.kinds) func `an interrupted verb says which it was, and that nothing was changed`(
        _ kind: StoreKind
    ) throws {
        try MusicStore.with(kind) { store throws in
            for (number, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
                let text = try interrupted(store, with: number, [])
                #expect(text.status == status)
                #expect(text.errors == "error: cancelled: import was interrupted. Nothing was changed.\n")
            }
            let json = try interrupted(store, with: SIGINT, ["--json"])
            #expect(json.status == 130)
            #expect(
                json.errors
                    == "{\"error\":{\"code\":\"cancelled\",\"message\":\"import was interrupted. Nothing was changed.\"}}\n"
            )
            #expect(try count(store) == 1)
        }
    }

    @Test(arguments: Tool.kinds) func `an interrupted import in parts says what stays`(_ kind: StoreKind) throws {
        try MusicStore.with(kind) { store throws in
            let result = try interrupted(store, with: SIGINT, ["--commit-every", "1000"]) { try count(store) > 1 }
            #expect(result.status == 130)
            let number = try #require(try /The first (\d+) objects are committed/.firstMatch(in: result.errors)?.1)
            #expect(try count(store) == 1 + (Int(number) ?? 0))
            #expect(
                result.errors.contains("error: cancelled: import was interrupted. What was committed before stays.\n"),
                "\(result.errors)")
        }
    }
}
