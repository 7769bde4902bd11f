#if os(Linux)
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
    ///     member 5 2 begin        a write is about to wait behind step 5, to be committed with it; then, as for a step,
    ///     member 5 2 committed    `committed`, `failed io`, `unknown ...`, `found` or `lost`
    ///     member 5 2 undone       it threw what it was to throw
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
            if workload.isKilledAtEnd { voice.die() }
            close()
            report("closed")
        }

        var voice: Voice { Voice(board: board, marks: workload.marks, diesOnFailure: workload.diesOnFailure) }

        func report(_ line: String) { voice.report(line) }

        /// Notes a failure that is not a commit's.
        mutating func refused(_ action: String, _ error: any Error) {
            report(Voice.text("refused \(action)", error))
            failures += 1
            voice.dieOfFailure()
        }

        mutating func close() {
            guard let stack else { return }
            self.stack = nil
            do { try stack.blocking.close() } catch { report(Voice.text("refused close", error)) }
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
                    world = try stack.blocking.read { try World($0) }.part(of: workload.writer)
                    return true
                } catch {
                    refused("read", error)
                }
            }
            return false
        }

        mutating func perform(_ step: Int) {
            let changes = world.changes(seed: workload.seed, step: step, writer: workload.writer)
            let group = World.members(of: step).isEmpty ? nil : MemberOutcomes()
            report("begin \(step)")
            var (isThere, isUnknown) = (false, false)
            do {
                guard let stack else { return }
                if workload.hasReader {
                    try stack.blocking.read { snapshot in
                        _ = try snapshot.count(Account.all)
                        try write(changes, step, stack, group)
                    }
                } else {
                    try write(changes, step, stack, group)
                }
                report("committed \(step)")
                isThere = true
            } catch let error as GranaryError where error.code == .commitOutcomeUnknown {
                report(Voice.text("unknown \(step)", error))
                isUnknown = true
            } catch {
                report(Voice.text("failed \(step)", error))
                failures += 1
                voice.dieOfFailure()
            }
            let members = group?.end() ?? [:]
            if isUnknown || members.values.contains(.unknown) {
                failures += 1
                voice.dieOfFailure()
                guard let found = look(step, isUnknown, members) else { return }
                if found.contains(0) { isThere = true }
                settle(step, isThere ? changes : [], members, found)
            } else {
                settle(step, isThere ? changes : [], members, [])
                check(step)
            }
        }

        /// Notes what the store holds now.
        private mutating func settle(
            _ step: Int, _ changes: [World.Change], _ members: [Int: MemberOutcomes.Outcome], _ found: Set<Int>
        ) {
            world.apply(changes)
            for (member, outcome) in members where outcome == .committed || found.contains(member) {
                world.apply(World.changes(ofMember: member, step: step, writer: workload.writer))
            }
            // A group that fails is one failure.
            if members.contains(where: { $0.value == .failed && $0.key != World.undoneMember(of: step) }) {
                failures += 1
            }
        }

        /// Writes a step: mostly in a transaction, at times by saving a context, or with others behind it.
        private func write(
            _ changes: [World.Change], _ step: Int, _ stack: Stack, _ group: MemberOutcomes?
        ) throws {
            if let group {
                return try GroupWrite(
                    stack: stack, voice: voice, outcomes: group, step: step, writer: workload.writer
                ).write(changes)
            }
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

        /// Opens the store again to see what of a step holds, as the error advises: the step's own write is 0. Nil if nothing can be
        /// known.
        private mutating func look(
            _ step: Int, _ isUnknown: Bool, _ members: [Int: MemberOutcomes.Outcome]
        ) -> Set<Int>? {
            guard reopen() else {
                failures = .max / 2
                return nil
            }
            do {
                var found: Set<Int> = []
                let progress = try stack?.blocking.read { try World($0) }.progress ?? [:]
                let base = workload.writer * World.keysPerWriter
                for member in members.filter({ $0.value == .unknown }).keys.sorted() {
                    let holds = progress[base + Int64(member)] == Int64(step)
                    report("member \(step) \(member) \(holds ? "found" : "lost")")
                    if holds { found.insert(member) }
                }
                if isUnknown {
                    let holds = progress[workload.writer] == Int64(step)
                    report("\(holds ? "found" : "lost") \(step)")
                    if holds { found.insert(0) }
                }
                return found
            } catch {
                refused("read", error)
                // Nothing is known of the step: what comes after it would not be either.
                failures = .max / 2
                return nil
            }
        }
    }
#endif
