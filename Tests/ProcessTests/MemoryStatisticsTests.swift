import Foundation
import GranaryTool
import Testing

/// SQLite's memory statistics belong to the whole process, so that each trial is a process of its own.
struct MemoryStatisticsTests {
    private func lines(usingSQLiteBefore: Bool) throws -> [String] {
        try WorkerProgram.withFolder { folder in
            let (process, pipe) = try WorkerProgram.start(
                .sqlite, folder + "/Store.granary", ["statistics", usingSQLiteBefore ? "1" : "0"])
            let lines = WorkerProgram.lines(pipe)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return lines
        }
    }

    @Test func `memory statistics are switched off if Granary is the first in the process to use SQLite`() throws {
        #expect(try lines(usingSQLiteBefore: false) == ["1", "uncounted"])
    }

    @Test func `memory statistics stay as they are if the program has used SQLite before`() throws {
        let lines = try lines(usingSQLiteBefore: true)
        try #require(lines.count == 3)
        #expect(lines[1] == "1")
        #expect(lines[2] == lines[0])
        #if os(Linux)
            #expect(lines[0] == "counted", "the library counts nothing by default, so that this shows nothing")
        #endif
    }
}
