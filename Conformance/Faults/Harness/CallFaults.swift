#if os(Linux)
    import FaultShim
    import Glibc
    import GranaryCore

    /// One call that fails, in one workload.
    struct CallFault {
        var kind: StoreKind
        var seed: UInt64
        /// 1: the process is killed after the first failure that it is told of; 2: a read is open meanwhile; 4: another
        /// process reads meanwhile; or the sum of some of them.
        var style: Int
        static let styles = 8
        var call: Int32
        var number: Int64
        var isForEver: Bool
        var effect: Effect

        enum Effect: Equatable {
            case error(String), short, done, doneThenError, kill

            init(_ name: String) throws {
                switch name {
                case "short": self = .short
                case "done": self = .done
                case "doneThenError": self = .doneThenError
                case "kill": self = .kill
                default:
                    guard CallFault.errors[name] != nil else { throw TrialError("no effect is named \(name)") }
                    self = .error(name)
                }
            }

            var name: String {
                switch self {
                case .error(let name): name
                case .short: "short"
                case .done: "done"
                case .doneThenError: "doneThenError"
                case .kill: "kill"
                }
            }

            func write(to control: inout faults_control) {
                control.error_number = EIO
                switch self {
                case .error(let name):
                    control.effect = Int32(FAULTS_ERROR.rawValue)
                    control.error_number = CallFault.errors[name] ?? EIO
                case .short: control.effect = Int32(FAULTS_SHORT.rawValue)
                case .done: control.effect = Int32(FAULTS_DONE.rawValue)
                case .doneThenError: control.effect = Int32(FAULTS_DONE_THEN_ERROR.rawValue)
                case .kill: control.effect = Int32(FAULTS_KILL.rawValue)
                }
            }
        }

        static let errors: [String: Int32] = [
            "EIO": EIO, "ENOSPC": ENOSPC, "EMFILE": EMFILE, "EACCES": EACCES, "ENOMEM": ENOMEM, "ENOLCK": ENOLCK,
        ]

        /// What each kind of call is made to do.
        static let effects: [(call: faults_kind, effects: [Effect])] = [
            (FAULTS_OPEN, [.error("EIO"), .error("EMFILE"), .error("EACCES"), .error("ENOSPC"), .kill]),
            (FAULTS_READ, [.error("EIO")]),
            (FAULTS_WRITE, [.error("EIO"), .error("ENOSPC"), .short, .done, .doneThenError, .kill]),
            (FAULTS_SYNC, [.error("EIO"), .error("ENOSPC"), .done, .kill]),
            (FAULTS_DATASYNC, [.error("EIO"), .error("ENOSPC"), .done, .kill]),
            (FAULTS_TRUNCATE, [.error("EIO"), .error("ENOSPC"), .kill]),
            (FAULTS_ALLOCATE, [.error("EIO"), .error("ENOSPC")]),
            (FAULTS_RENAME, [.error("EIO"), .error("ENOSPC"), .error("EACCES"), .done, .kill]),
            (FAULTS_UNLINK, [.error("EIO"), .error("EACCES"), .kill]),
            (FAULTS_MKDIR, [.error("EIO"), .error("ENOSPC"), .error("EACCES"), .kill]),
            (FAULTS_MAP, [.error("ENOMEM"), .error("EIO")]),
            (FAULTS_LOCK, [.error("EIO"), .error("ENOLCK")]),
            (FAULTS_FLOCK, [.error("EIO"), .error("ENOLCK")]),
        ]

        static func call(_ name: String) -> Int32? {
            (0..<Int32(FAULTS_KINDS.rawValue)).first { String(cString: faults_kind_name($0)) == name }
        }

        var callName: String { String(cString: faults_kind_name(call)) }
        var trial: String {
            "call store=\(kind) seed=\(seed) style=\(style) call=\(callName) number=\(number) "
                + "mode=\(isForEver ? "ever" : "once") effect=\(effect.name)"
        }

        init(
            kind: StoreKind, seed: UInt64, style: Int, call: Int32, number: Int64, isForEver: Bool, effect: Effect
        ) {
            (self.kind, self.seed, self.style, self.call) = (kind, seed, style, call)
            (self.number, self.isForEver, self.effect) = (number, isForEver, effect)
        }

        init(_ words: TrialWords) throws {
            let name = try words.text("call")
            guard let call = Self.call(name) else { throw TrialError("no kind of call is named \(name)") }
            let effect = try words.text("effect")
            self.init(
                kind: try words.store(), seed: try words.seed(), style: try words.number("style"), call: call,
                number: Int64(try words.number("number")), isForEver: try words.text("mode") == "ever",
                effect: try Effect(effect))
        }
    }

    /// Runs workloads whose calls fail.
    struct CallFaultRunner {
        let path: String
        let board: Board
        private let companion: Board
        let control: UnsafeMutablePointer<faults_control>
        let folder: String

        init(_ folder: String) throws {
            self.folder = folder
            path = "\(folder)/Store.granary"
            board = try Board()
            companion = try Board()
            control = try sharedMemory(MemoryLayout<faults_control>.size).bindMemory(
                to: faults_control.self, capacity: 1)
        }

        /// How often each call is made when none fails.
        func counts(_ kind: StoreKind, _ seed: UInt64, style: Int) throws -> [Int64] {
            let end = try run(kind, seed, style) { _ in }
            guard end == .exited(0), Story(board.lines, seed: seed, writer: 1).isClosed else {
                throw HarnessError("\(kind) seed \(seed) ended without a fault: \(end), \(board.lines.suffix(2))")
            }
            return withUnsafeBytes(of: control.pointee.counts) { Array($0.bindMemory(to: Int64.self)) }
        }

        private func run(
            _ kind: StoreKind, _ seed: UInt64, _ style: Int, _ plan: (UnsafeMutablePointer<faults_control>) -> Void
        ) throws -> Child.End {
            Files.remove(path)
            board.clear()
            control.pointee = faults_control()
            withUnsafeMutableBytes(of: &control.pointee.folder) { $0.copyBytes(from: Array("\(folder)\0".utf8)) }
            control.pointee.clock_jumps = 1
            plan(control)
            var workload = Workload(
                kind: kind, path: path, seed: seed, diesOnFailure: style & 1 != 0, hasReader: style & 2 != 0)
            guard style & 4 != 0 else {
                return try Child.run {
                    faults_follow(control)
                    workload.run(board)
                }
            }
            workload.waitsFor = companion
            companion.clear()
            let worker = try Child(deadline: Child.patience) {
                faults_follow(control)
                workload.run(board)
            }
            let other = try Child(deadline: 2 * Child.patience) {
                Companion(kind: kind, path: path).run(after: board, companion)
            }
            let end = worker.wait()
            other.kill()
            _ = other.wait()
            return end
        }

        func run(_ trial: CallFault, _ figures: inout Figures) throws {
            let end = try run(trial.kind, trial.seed, trial.style) { control in
                control.pointee.kind = trial.call
                control.pointee.at = trial.number
                control.pointee.for_ever = trial.isForEver ? 1 : 0
                trial.effect.write(to: &control.pointee)
            }
            let story = Story(board.lines, seed: trial.seed, writer: 1, isShared: trial.style & 4 != 0)
            let lines = board.lines
            figures.count("trials")
            figures.count("calls failed", Int(control.pointee.fired))
            figures.count("times read from a clock that jumps", Int(control.pointee.clock_readings))
            figures.count("writes acknowledged", story.committed)
            figures.count("writes acknowledged, behind another one", story.committedMembers)
            for code in story.codes { figures.count("threw \(code)") }
            let isOneFailure = !trial.isForEver && trial.effect != .doneThenError
            if isOneFailure, story.codes.contains("commitOutcomeUnknown") {
                figures.count("outcome not known after one failure")
            }
            if end.isHang { figures.fail("hang", trial.trial, "after \(lines.last ?? "nothing")") }
            if end.isCrash { figures.fail("crash", trial.trial, "\(end) after \(lines.last ?? "nothing")") }
            for fault in story.faults.prefix(1) { figures.fail("told wrong", trial.trial, fault) }
            if let code = wrongCode(trial, story) { figures.fail("wrong code", trial.trial, code) }
            // One call that failed once may let one thing fail; what comes after it works again.
            if isOneFailure, story.codes.count > 1 {
                figures.fail("still failing", trial.trial, story.codes.joined(separator: " "))
            }
            let findings = try Inspection(kind: trial.kind, path: path, allowed: story.allowed).findings(board)
            if let fault = findings.fault {
                let told = lines.last { !$0.hasPrefix("opened") } ?? "nothing"
                figures.fail(fault.contains("wrong ") ? "outcome" : "store", trial.trial, "told \(told), \(fault)")
            }
        }

        /// A message if an error's code names another cause than the call that failed; nil if the code is right.
        private func wrongCode(_ trial: CallFault, _ story: Story) -> String? {
            let name: String
            switch trial.effect {
            case .error(let error): name = error
            case .done, .doneThenError: name = "EIO"
            case .short, .kill: return nil
            }
            var allowed: Set<String> =
                switch name {
                case "ENOSPC": ["full", "commitOutcomeUnknown"]
                case "EACCES": ["permissionDenied", "io", "commitOutcomeUnknown"]
                case "ENOLCK": ["io", "busy", "unsupported", "commitOutcomeUnknown"]
                case "ENOMEM": ["io", "limit"]
                case "EMFILE": ["io", "limit", "commitOutcomeUnknown"]
                default:
                    [
                        "io", "commitOutcomeUnknown",
                        trial.callName == "lock" || trial.callName == "flock" ? "busy" : "io",
                    ]
                }
            // SQLite itself takes a read that fails with EIO for a damaged file.
            if name == "EIO", trial.callName == "read", trial.kind.engine != .lmdb { allowed.insert("corrupt") }
            return story.codes.firstIndex { !allowed.contains($0) }.map {
                "\(name) of \(trial.callName) is reported as \(story.codes[$0]): \(story.messages[$0])"
            }
        }
    }

    /// Another process that has the store open and reads one state of it all the while.
    private struct Companion {
        let kind: StoreKind
        let path: String

        /// Begins when the board of the first process says that the store is there, and says on its own when it reads.
        func run(after board: Board, _ own: Board) {
            while board.lineCount == 0 { usleep(100) }
            guard let stack = try? kind.open(path) else { return own.write("not opened") }
            try? stack.blocking.read { snapshot in
                _ = try snapshot.count(Account.all)
                own.write("reading")
                while true { pause() }
            }
        }
    }

    /// Fails each call of each kind, in every way.
    struct CallFaultSweep {
        let kind: StoreKind
        let trials: Int
        let seed: UInt64

        func run(_ lane: Lane, _ figures: inout Figures) throws {
            let runner = try CallFaultRunner(lane.folder)
            let all = try points(runner)
            // Spread over all of them where not all are asked for.
            let stride = max(1, Double(all.count) / Double(trials))
            var hangs: [String: Int] = [:]
            for number in 0..<min(trials, all.count) where lane.takes(number) {
                let trial = all[Int(Double(number) * stride)]
                // Each hang costs all the patience: a few of a sort are enough.
                let sort = "\(trial.callName) \(trial.isForEver)"
                guard hangs[sort, default: 0] < 3 else { figures.count("left out after hangs"); continue }
                let before = figures["! hang"]
                try runner.run(trial, &figures)
                hangs[sort, default: 0] += figures["! hang"] - before
            }
        }

        /// Every fault of as many workloads as are needed, in one order for every lane.
        private func points(_ runner: CallFaultRunner) throws -> [CallFault] {
            var all: [CallFault] = []
            var numbers = SeededNumbers(seed)
            for seed in seed..<(seed + 1000) where all.count < trials || seed == self.seed {
                let counts = try (0..<CallFault.styles).map { try runner.counts(kind, seed, style: $0) }
                for (call, effects) in CallFault.effects {
                    for effect in effects {
                        for isForEver in effect == .kill ? [false] : [false, true] {
                            // Each workload has each call fail; the style is by chance.
                            let most = counts.map { $0[Int(call.rawValue)] }.max() ?? 0
                            guard most > 0 else { continue }
                            for number in 1...most {
                                let style = numbers.below(CallFault.styles)
                                guard number <= counts[style][Int(call.rawValue)] else { continue }
                                all.append(
                                    CallFault(
                                        kind: kind, seed: seed, style: style, call: Int32(call.rawValue),
                                        number: number, isForEver: isForEver, effect: effect))
                            }
                        }
                    }
                }
            }
            return all
        }
    }
#endif
