#if os(Linux)
    import ConformanceKit
    import Foundation
    import GranaryCore
    import GranaryTool
    import Testing

    /// A process that is killed at each kind of call while it writes and removes the files of external values.
    struct KilledExternalTests {
        private static let calls = ["open", "write", "sync", "datasync", "rename", "unlink", "mkdir"]
        /// The points of each kind of call: all with `GRANARY_KILLS=1000000`.
        private static let mostPoints =
            ProcessInfo.processInfo.environment["GRANARY_KILLS"].flatMap { Int($0) } ?? 12

        private func run(_ kind: StoreKind, _ folder: String, _ environment: [String: String]) throws -> (
            committed: Int, counts: [String: Int], isKilled: Bool
        ) {
            let errors = Pipe()
            var environment = environment
            environment["FAULTS_FOLDER"] = folder
            let (process, pipe) = try WorkerProgram.start(
                kind, folder + "/Store.granary", ["photos", "1"], environment: environment, errors: errors)
            let lines = WorkerProgram.lines(pipe)
            var counts: [String: Int] = [:]
            for line in WorkerProgram.lines(errors) {
                let parts = line.split(separator: " ")
                if parts.count == 2, let count = Int(parts[1]) { counts[String(parts[0])] = count }
            }
            process.waitUntilExit()
            let isKilled = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
            return (lines.last.flatMap { Int($0) } ?? 0, counts, isKilled)
        }

        @Test(arguments: WorkerProgram.kinds)
        func `a process that is killed leaves no name without a file, and no file without a name`(
            _ kind: StoreKind
        ) throws {
            var counts: [String: Int] = [:]
            try WorkerProgram.withFolder { folder in
                let whole = try run(kind, folder, ["FAULTS_COUNTS": "1"])
                #expect(whole.committed == 4 && !whole.isKilled)
                counts = whole.counts
                try PhotoWorker.check(kind.subject, at: folder + "/Store.granary", atLeast: 4)
            }
            for call in Self.calls {
                let count = counts[call] ?? 0
                // LMDB syncs by `fsync` or `fdatasync`, as its build says.
                #expect(count > 0 || call == "datasync" || call == "sync", "\(call) is never called")
                let chosen = max(2, min(Self.mostPoints, count))
                let points = Set((0..<chosen).map { 1 + $0 * (count - 1) / (chosen - 1) })
                for number in points.sorted() where number >= 1 && number <= count {
                    try WorkerProgram.withFolder { folder in
                        let killed = try run(kind, folder, ["FAULTS_PLAN": "\(call),\(number),once,kill"])
                        #expect(killed.isKilled, "\(call) \(number)")
                        do {
                            try PhotoWorker.check(
                                kind.subject, at: folder + "/Store.granary", atLeast: killed.committed)
                        } catch {
                            Issue.record("\(call) \(number): \(error)")
                        }
                    }
                }
            }
        }
    }
#endif
