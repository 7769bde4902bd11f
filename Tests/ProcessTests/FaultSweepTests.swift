#if os(Linux)
    import Foundation
    import GranaryTool
    import Testing

    /// Processes that are killed, or whose calls on files fail, at each point of what replaces a store's files: see
    /// `Tests/StoreWorker/FaultSweep.swift`.
    struct FaultSweepTests {
        private static let jobs = [
            "migrate", "alter", "plan", "aside", "reset", "reseed", "compact", "rebuild", "copy", "backup", "seed",
            "json",
            "destroy", "photosMigrate", "photosReset", "photosCopy", "parts", "group",
        ]
        /// The points at which a process is killed, or a call fails, for each kind of store, job and fault: all with
        /// `GRANARY_KILLS=1000000`. Of a reset, which is little more than the exchange of a store's files, each call fails once
        /// with `EIO`, and each that opens a file with `EMFILE`, in any case. What is done must not be told as failed.
        private static func points(_ job: String, _ fault: String) -> Int {
            if job == "reset" && ["EIO", "EMFILE"].contains(fault) { return 1_000_000 }
            // Few calls are between the commits of two parts.
            if ["parts", "group"].contains(job) && fault == "kill" { return 1_000_000 }
            return most ?? (fault == "kill" ? 20 : 6)
        }
        private static let most = ProcessInfo.processInfo.environment["GRANARY_KILLS"].flatMap { Int($0) }

        @Test(arguments: WorkerProgram.kinds, jobs)
        func `a process that is killed leaves what was there or what was to be, whole`(
            _ kind: StoreKind, _ job: String
        ) throws {
            let last = try sweep(kind, job, "kill")
            #expect(last.new > 0)
            // What is in a compacted store is the same.
            #expect(["compact", "rebuild"].contains(job) || last.old > 0)
        }

        @Test(arguments: WorkerProgram.kinds, jobs)
        func `a call that fails leaves what was there or what was to be, whole, and is a typed error`(
            _ kind: StoreKind, _ job: String
        ) throws {
            for fault in ["EIO", "ENOSPC", "EMFILE"] { _ = try sweep(kind, job, fault) }
        }

        /// Returns the numbers of trials that found the old contents and the new ones.
        private func sweep(_ kind: StoreKind, _ job: String, _ fault: String) throws -> (old: Int, new: Int) {
            try WorkerProgram.withFolder { folder in
                let points = Self.points(job, fault)
                let (process, pipe) = try WorkerProgram.start(kind, folder, ["sweep", job, fault, "\(points)"])
                let lines = WorkerProgram.lines(pipe)
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
                #expect(lines.filter { $0.hasPrefix("failure") } == [])
                // trials TRIED of POINTS, old OLD, new NEW
                let line = try #require(lines.last { $0.hasPrefix("trials") })
                let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
                try #require(numbers.count == 4)
                // Files are opened at some of the points alone.
                #expect(numbers[1] >= (fault == "EMFILE" ? 3 : Self.fewest[job] ?? 20))
                #expect(numbers[0] == min(points, numbers[1]))
                #expect(numbers[2] + numbers[3] == numbers[0])
                return (numbers[2], numbers[3])
            }
        }

        /// The fewest points of jobs that make few calls.
        private static let fewest = ["alter": 10, "rebuild": 10, "destroy": 5]
    }
#endif
