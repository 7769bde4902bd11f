#if os(Linux)
    import Foundation
    import GranaryTool
    import Testing

    /// Processes that are killed, or whose calls on files fail, at each point of what replaces a store's files: see
    /// `Tests/StoreWorker/FaultSweep.swift`.
    struct FaultSweepTests {
        private static let jobs = ["migrate", "alter", "reset", "reseed", "compact", "copy", "backup", "seed"]
        /// How often a process is killed, for each kind of store and each job.
        private static let kills = ProcessInfo.processInfo.environment["GRANARY_KILLS"].flatMap { Int($0) } ?? 40

        @Test(arguments: WorkerProgram.kinds, jobs)
        func `a process that is killed leaves what was there or what was to be, whole`(
            _ kind: StoreKind, _ job: String
        ) throws {
            let last = try sweep(kind, job, "kill", Self.kills)
            #expect(last.hasPrefix("trials \(min(Self.kills, last.points)) of"))
            #expect(!last.contains("new 0"))
            // What is in a compacted store is the same.
            #expect(job == "compact" || !last.contains("old 0"))
        }

        @Test(arguments: WorkerProgram.kinds, jobs)
        func `a call that fails leaves what was there or what was to be, whole, and is a typed error`(
            _ kind: StoreKind, _ job: String
        ) throws {
            for fault in ["EIO", "ENOSPC"] { _ = try sweep(kind, job, fault, max(Self.kills, 200)) }
        }

        /// Returns the line that counts.
        private func sweep(_ kind: StoreKind, _ job: String, _ fault: String, _ limit: Int) throws -> String {
            try WorkerProgram.withFolder { folder in
                let (process, pipe) = try WorkerProgram.start(kind, folder, ["sweep", job, fault, "\(limit)"])
                let lines = WorkerProgram.lines(pipe)
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                #expect(lines.filter { $0.hasPrefix("failure") } == [])
                return try #require(lines.last { $0.hasPrefix("trials") })
            }
        }
    }

    extension String {
        /// The number of points, of which a line says how many were tried.
        fileprivate var points: Int {
            split(separator: " ").dropFirst(3).first.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
    }
#endif
