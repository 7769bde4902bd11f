#if os(Linux)
    import FaultShim
    import Glibc
    import GranaryCore

    /// What a process does with a store while calls fail, writing to a board what it was told of each step:
    ///
    ///     opened                  the store is open
    ///     begin 3                 step 3 is about to be written
    ///     committed 3             its commit returned
    ///     failed 3 io             it threw, and the code says that it is not committed
    ///     unknown 3 ...           it threw `commitOutcomeUnknown`
    ///     found 3 / lost 3        what the store, opened again as that error advises, says of step 3
    ///     refused open io         something else threw
    ///     fault ...               a rule was broken before the process ended
    ///
    /// After the code comes a tab and the message, for whoever looks for the cause of a failure.
    struct Workload {
        let kind: StoreKind
        let path: String
        let seed: UInt64
        var writer: Int64 = 1
        var steps = 12
        /// Killed as soon as a failure was reported.
        var diesOnFailure = false
        /// A read goes on while steps are written.
        var hasReader = false
        /// Where the record of changes gets a line for each line on the board.
        var marks = false
        /// The first step waits until this board has a line: another process is ready.
        var waitsFor: Board?
        /// The number of steps after which the store is closed and opened again.
        var reopensEvery = 5
        /// Killed after the last step, with the store open.
        var isKilledAtEnd = false

        func run(_ board: Board) {
            var runner = Runner(workload: self, board: board)
            runner.run()
        }
    }

    private struct Runner {
        let workload: Workload
        let board: Board
        var stack: Stack?
        var world = World()
        var failures = 0

        init(workload: Workload, board: Board) {
            self.workload = workload
            self.board = board
        }

        mutating func run() {
            guard reopen(), readWorld() else { return }
            if let board = workload.waitsFor { while board.lineCount == 0 { usleep(100) } }
            // Faults for ever let every step fail: a few tell as much as all.
            let first = Int(world.progress[workload.writer] ?? -1) + 1
            for step in first..<first + workload.steps {
                guard failures < 5 else { break }
                perform(step)
                if step % workload.reopensEvery == workload.reopensEvery - 1 || stack == nil, !reopen() { return }
            }
            if workload.isKilledAtEnd { die() }
            close()
            report("closed")
        }

        func report(_ line: String) {
            board.write(line)
            guard workload.marks else { return }
            let bytes = Array(line.utf8)
            bytes.withUnsafeBytes { faults_mark($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count) }
        }

        /// Notes a failure that is not a commit's.
        mutating func refused(_ action: String, _ error: any Error) {
            report(Self.text("refused \(action)", error))
            failures += 1
            if workload.diesOnFailure { die() }
        }

        func die() { kill(getpid(), SIGKILL) }

        static func text(_ start: String, _ error: any Error) -> String {
            guard let error = error as? GranaryError else { return "fault \(start): \(error) is not typed" }
            let message = error.message.split(whereSeparator: \.isNewline).joined(separator: " ")
            return "\(start) \(error.code)\t\(message)"
        }

        mutating func close() {
            guard let stack else { return }
            self.stack = nil
            do { try stack.blocking.close() } catch { report(Self.text("refused close", error)) }
        }

        /// Opens the store again, twice at most.
        mutating func reopen() -> Bool {
            close()
            for _ in 0..<2 {
                do {
                    stack = try workload.kind.open(workload.path)
                    report("opened")
                    return true
                } catch {
                    refused("open", error)
                }
            }
            return false
        }

        /// What this writer wrote before, in an earlier process.
        mutating func readWorld() -> Bool {
            for _ in 0..<2 {
                do {
                    guard let stack else { return false }
                    var mine = try stack.blocking.read { try World($0) }
                    let keys = workload.writer * World.keysPerWriter..<(workload.writer + 1) * World.keysPerWriter
                    mine.accounts = mine.accounts.filter { keys.contains($0.key) }
                    mine.entries = mine.entries.filter { keys.contains($0.key) }
                    mine.progress = mine.progress.filter { $0.key == workload.writer }
                    world = mine
                    return true
                } catch {
                    refused("read", error)
                }
            }
            return false
        }

        mutating func perform(_ step: Int) {
            let changes = world.changes(seed: workload.seed, step: step, writer: workload.writer)
            report("begin \(step)")
            do {
                guard let stack else { return }
                if workload.hasReader {
                    try stack.blocking.read { snapshot in
                        _ = try snapshot.count(Account.all)
                        try write(changes, step, stack)
                    }
                } else {
                    try write(changes, step, stack)
                }
                report("committed \(step)")
                world.apply(changes)
            } catch let error as GranaryError where error.code == .commitOutcomeUnknown {
                report(Self.text("unknown \(step)", error))
                failures += 1
                if workload.diesOnFailure { die() }
                if look(step) { world.apply(changes) }
                return
            } catch {
                report(Self.text("failed \(step)", error))
                failures += 1
                if workload.diesOnFailure { die() }
            }
            check(step)
        }

        /// Writes a step: mostly in a transaction, at times by saving a context.
        private func write(_ changes: [World.Change], _ step: Int, _ stack: Stack) throws {
            guard step % 4 == 3 else { return try stack.blocking.write { try World.perform(changes, in: $0) } }
            let context = try stack.makeContext()
            defer { context.rollback() }
            try World.perform(changes, in: context)
            try context.blocking.save()
        }

        /// What is read now must be what was reported.
        private mutating func check(_ step: Int) {
            do {
                guard let found = try stack?.blocking.read({ try $0.find(Progress.self, workload.writer)?.step }) ?? nil
                else {
                    if world.progress[workload.writer] != nil { report("fault step \(step): progress is not there") }
                    return
                }
                if found != world.progress[workload.writer] {
                    report(
                        "fault step \(step): \(found) is read where \(world.progress[workload.writer] ?? -1) was told")
                }
            } catch {
                refused("read", error)
            }
        }

        /// Opens the store again to see whether a step holds, as the error advises.
        private mutating func look(_ step: Int) -> Bool {
            guard reopen() else {
                failures = .max / 2
                return false
            }
            do {
                let found = try stack?.blocking.read { try $0.find(Progress.self, workload.writer)?.step } ?? nil
                let holds = found == Int64(step)
                report("\(holds ? "found" : "lost") \(step)")
                return holds
            } catch {
                refused("read", error)
                // Nothing is known of the step: what comes after it would not be either.
                failures = .max / 2
                return false
            }
        }
    }
#endif
