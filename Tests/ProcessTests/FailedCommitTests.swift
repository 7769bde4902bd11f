#if os(Linux)
    import ConformanceKit
    import Foundation
    import GranaryCore
    import GranaryTool
    import StoreSubjects
    import Testing

    /// A process whose calls on the store's files fail, and that is killed once it was told of an error; and what another
    /// process finds then.
    struct FailedCommitTests {
        /// What the process was told.
        struct Told {
            /// The numbers of the commits that returned: 1, 2 and so on.
            var committed = 0
            /// The code of the error that came after them; nil if all went well.
            var code: String?
        }

        private func withStore(_ kind: StoreKind, _ body: (_ path: String) throws -> Void) throws {
            try WorkerProgram.withFolder { folder in
                let path = folder + "/Failing.granary"
                try kind.subject.open(SuiteSchema.standard, at: path).blocking.close()
                try body(path)
            }
        }

        private static let commits = 3

        /// Has a process commit three times in a copy of a store, while calls fail.
        private func run(_ kind: StoreKind, _ path: String, _ plan: String) throws -> Told {
            let (process, pipe) = try WorkerProgram.start(
                kind, path, ["fail", "\(Self.commits)"], environment: ["FAULTS_FOLDER": path, "FAULTS_PLAN": plan])
            let lines = WorkerProgram.lines(pipe)
            process.waitUntilExit()
            let told = Told(committed: lines.compactMap { Int($0) }.max() ?? 0, code: lines.last { Int($0) == nil })
            #expect((process.terminationReason == .uncaughtSignal) == (told.code != nil), "\(plan): \(lines)")
            return told
        }

        /// How often a process makes a kind of call on the store when none fails.
        private func count(_ call: String, _ kind: StoreKind) throws -> Int {
            var count = 0
            try withStore(kind) { path in
                let errors = Pipe()
                let (process, pipe) = try WorkerProgram.start(
                    kind, path, ["fail", "\(Self.commits)"],
                    environment: ["FAULTS_FOLDER": path, "FAULTS_COUNTS": "1"], errors: errors)
                #expect(WorkerProgram.lines(pipe) == ["1", "2", "3"])
                process.waitUntilExit()
                let line = try #require(WorkerProgram.lines(errors).first { $0.hasPrefix(call + " ") })
                count = try #require(Int(line.dropFirst(call.count + 1)))
            }
            return count
        }

        /// How a call fails, and how long.
        static let ways = ["once,EIO", "ever,EIO", "once,done", "once,doneThenError", "ever,doneThenError"]

        @Test(arguments: WorkerProgram.kinds, ways)
        func `what was said of a commit is what is found when the process was killed`(
            _ kind: StoreKind, _ way: String
        ) throws {
            try tryCommits(kind, way, isShared: false)
        }

        /// Both processes then share the memory that says which commit is newest; neither reads it from the file again.
        @Test(arguments: WorkerProgram.kinds, ways)
        func `what was said of a commit is what is found when another process had the store open, too`(
            _ kind: StoreKind, _ way: String
        ) throws {
            try tryCommits(kind, way, isShared: true)
        }

        /// - Parameter isShared: Whether another process reads all the while, and is killed, too.
        private func tryCommits(_ kind: StoreKind, _ way: String, isShared: Bool) throws {
            var failed = 0
            for call in ["write", "datasync"] {
                for number in 1...(try count(call, kind)) {
                    try withStore(kind) { path in
                        let plan = "\(call),\(number),\(way)"
                        let other = isShared ? try WorkerProgram.start(kind, path, ["hold", "1"]) : nil
                        _ = try other?.1.fileHandleForReading.read(upToCount: 1)
                        let told = try run(kind, path, plan)
                        if let (process, _) = other {
                            kill(process.processIdentifier, SIGKILL)
                            process.waitUntilExit()
                        }
                        let stack = try kind.subject.open(SuiteSchema.standard, at: path)
                        defer { try? stack.blocking.close() }
                        let found = try stack.blocking.read { try $0.count(Ticket.all) }
                        switch told.code {
                        case nil: #expect(found == Self.commits, "\(plan)")
                        case "commitOutcomeUnknown": #expect(0...1 ~= found - told.committed, "\(plan)")
                        case "io": #expect(found == told.committed, "\(plan)")
                        default: Issue.record("\(plan): \(told)")
                        }
                        if told.code != nil { failed += 1 }
                        // A disk that fails once, or takes back what it could not do, leaves nothing open.
                        if way == "once,EIO" || way == "once,done" {
                            #expect(told.code != "commitOutcomeUnknown", "\(plan)")
                        }
                        #expect(try stack.blocking.verify() == [])
                    }
                }
            }
            #expect(failed > 0)
        }

        @Test(arguments: WorkerProgram.kinds)
        func `a store whose creation failed is created again, and synced, by the next opening`(_ kind: StoreKind) throws
        {
            var failed = 0
            for number in 1...12 {
                try WorkerProgram.withFolder { folder in
                    let path = folder + "/New.granary"
                    let (process, pipe) = try WorkerProgram.start(
                        kind, path, ["fail", "1"],
                        environment: ["FAULTS_FOLDER": folder, "FAULTS_PLAN": "sync,\(number),once,EIO"])
                    let lines = WorkerProgram.lines(pipe)
                    process.waitUntilExit()
                    guard lines == ["io"] else { return #expect(lines == ["1"], "sync \(number)") }
                    failed += 1
                    #expect(!FileManager.default.fileExists(atPath: path + "/CURRENT"), "sync \(number)")
                    try kind.subject.open(SuiteSchema.standard, at: path).blocking.close()
                }
            }
            #expect(failed >= 7, "the last is that of the folder around the store's")
        }

        @Test(arguments: WorkerProgram.kinds)
        func `a disk that cannot be read while a store opens is not taken for another kind of file`(
            _ kind: StoreKind
        ) throws {
            try withStore(kind) { path in
                for number in 1...(try count("read", kind)) {
                    // SQLite itself takes such a page for a damaged one.
                    let allowed: Set = kind == .lmdb ? ["io"] : ["io", "corrupt"]
                    let told = try run(kind, path, "read,\(number),ever,EIO")
                    #expect(told.code.map { allowed.contains($0) } ?? true, "read \(number): \(told)")
                    if told.committed == 0 { #expect(told.code != nil) }
                }
            }
        }
    }
#endif
