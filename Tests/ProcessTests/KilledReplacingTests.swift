#if os(Linux)
    import Foundation
    import GranaryConformance
    import GranaryCore
    import GranaryTool
    import Testing

    /// A process that is killed at each kind of call, one after the other, while it resets, seeds or copies a store.
    struct KilledReplacingTests {
        /// What the process does: see `StoreWorker`.
        enum Job: String, CaseIterable { case reset, reseed, copy, seed }

        private static let calls = ["open", "write", "sync", "datasync", "truncate", "rename", "unlink", "mkdir"]
        private static let mostPoints = 8

        private func withStores(_ kind: StoreKind, _ body: (_ folder: String) throws -> Void) throws {
            try WorkerProgram.withFolder { folder in
                for (name, count) in [("Store", 300), ("Seed", 100)] {
                    let stack = try kind.subject.open(SuiteSchema.standard, at: "\(folder)/\(name).granary")
                    try stack.write { tx in
                        try tx.insert((0..<count).map { Note(slug: "note \($0)", topic: "\($0 % 5)") })
                    }
                    try stack.close()
                }
                try body(folder)
            }
        }

        private func run(_ kind: StoreKind, _ job: Job, _ folder: String, _ plan: String) throws -> Bool {
            let (process, pipe) = try WorkerProgram.start(
                kind, folder + "/Store.granary", [job.rawValue, "1"],
                environment: ["FAULTS_FOLDER": folder, "FAULTS_PLAN": plan])
            let lines = WorkerProgram.lines(pipe)
            process.waitUntilExit()
            return lines.contains("done")
        }

        private func counts(_ kind: StoreKind, _ job: Job) throws -> [String: Int] {
            var counts: [String: Int] = [:]
            try withStores(kind) { folder in
                let errors = Pipe()
                let (process, pipe) = try WorkerProgram.start(
                    kind, folder + "/Store.granary", [job.rawValue, "1"],
                    environment: ["FAULTS_FOLDER": folder, "FAULTS_COUNTS": "1"], errors: errors)
                #expect(WorkerProgram.lines(pipe) == ["done"])
                process.waitUntilExit()
                for line in WorkerProgram.lines(errors) {
                    let parts = line.split(separator: " ")
                    if parts.count == 2, let count = Int(parts[1]) { counts[String(parts[0])] = count }
                }
            }
            return counts
        }

        @Test(arguments: WorkerProgram.kinds, Job.allCases)
        func `a process that is killed leaves what was there or what was to be, whole`(
            _ kind: StoreKind, _ job: Job
        ) throws {
            let counts = try counts(kind, job)
            var (old, new) = (0, 0)
            for call in Self.calls {
                let count = counts[call] ?? 0
                // All of them if they are few, else some at even distances, the first and the last among them.
                let points = Set((0..<Self.mostPoints).map { 1 + $0 * (count - 1) / (Self.mostPoints - 1) })
                for number in points.sorted() where number >= 1 && number <= count {
                    try withStores(kind) { folder in
                        let isDone = try run(kind, job, folder, "\(call),\(number),once,kill")
                        let found = try found(kind, job, folder)
                        if isDone { #expect(found == .new, "\(call) \(number)") }
                        if found == .new { new += 1 } else { old += 1 }
                    }
                }
            }
            #expect(old > 0 && new > 0, "\(old) old, \(new) new")
        }

        private enum Found { case old, new }

        /// What is in the store that was to be changed, or made.
        private func found(_ kind: StoreKind, _ job: Job, _ folder: String) throws -> Found {
            let source = try kind.subject.open(SuiteSchema.standard, at: folder + "/Store.granary")
            defer { try? source.close() }
            #expect(try source.verifyNow() == [])
            let count = try source.read { try $0.count(Note.all) }
            switch job {
            case .reset, .reseed:
                let expected = job == .reset ? 0 : 100
                #expect(count == 300 || count == expected)
                #expect(try generations(folder + "/Store.granary") == 1, "what was left over is gone")
                return count == 300 ? .old : .new
            case .copy, .seed:
                #expect(count == 300)
                let copy = try kind.subject.open(SuiteSchema.standard, at: folder + "/Store.granary.new")
                defer { try? copy.close() }
                let (copied, number) = try copy.read { (try $0.count(Note.all), $0.transactionNumber) }
                #expect(copied == 300 || copied == 0 && number == 0, "made whole, or by this opening")
                #expect(try copy.verifyNow() == [])
                #expect(try generations(folder + "/Store.granary.new") == 1)
                return copied == 300 ? .new : .old
            }
        }

        private func generations(_ path: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: path).count { $0.hasPrefix("gen-") }
        }
    }
#endif
