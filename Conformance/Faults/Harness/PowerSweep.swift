#if os(Linux)
    import FaultShim
    import Glibc

    /// Loses the power after each change of a recorded workload, in several ways.
    struct PowerSweep {
        let kind: StoreKind
        let trials: Int
        let seed: UInt64
        /// Whether syncs are left out of what was recorded: then commits are lost, and the sweep must say so.
        var forgetsSyncs = false
        /// How many disks are tried after each change.
        static let statesPerChange = 5

        func run(_ lane: Lane, _ figures: inout Figures) throws {
            var runner = try PowerRunner(lane.folder)
            runner.forgetsSyncs = forgetsSyncs
            var number = 0
            var stride = 1
            for seed in seed..<(seed + 10_000) where number < trials {
                let fault = try seed % 3 == 0 ? .none : Self.fault(runner, kind, seed)
                let recording = try runner.record(kind, seed, fault)
                // Where few are asked for, they are spread over a few workloads.
                let states = recording.changes.count * Self.statesPerChange
                if seed == self.seed {
                    stride = max(1, 4 * states / max(1, trials))
                    // A multiple would choose the same way after each change.
                    if stride.isMultiple(of: Self.statesPerChange) { stride += 1 }
                }
                try runner.walk(recording) { change, moment in
                    for way in 0..<Self.statesPerChange {
                        let place = change * Self.statesPerChange + way
                        guard place % stride == 0, number < trials else { continue }
                        number += 1
                        guard lane.takes(number) else { continue }
                        let trial = PowerLoss(kind: kind, seed: seed, change: change, way: way, fault: fault)
                        try runner.run(trial, recording, moment, &figures)
                    }
                }
            }
        }

        /// A write or a sync that fails, made or not made.
        private static func fault(_ runner: PowerRunner, _ kind: StoreKind, _ seed: UInt64) throws -> PowerLoss.Fault? {
            _ = try runner.record(kind, seed, nil)
            let counts = withUnsafeBytes(of: runner.control.pointee.counts) { Array($0.bindMemory(to: Int64.self)) }
            var numbers = SeededNumbers(seed)
            let call = [FAULTS_WRITE, FAULTS_SYNC, FAULTS_DATASYNC][numbers.below(3)].rawValue
            guard counts[Int(call)] > 0 else { return nil }
            return PowerLoss.Fault(
                call: Int32(call), number: Int64(1 + numbers.below(Int(counts[Int(call)]))),
                effect: numbers.below(2) == 0 ? .done : .error("EIO"))
        }
    }

    /// One loss of power.
    struct PowerLoss {
        let kind: StoreKind
        let seed: UInt64
        /// It comes after this change, or line, of the record.
        let change: Int
        /// Which disk of those that are possible.
        let way: Int
        /// What failed while the record was made.
        let fault: Fault?

        struct Fault {
            let call: Int32
            let number: Int64
            let effect: CallFault.Effect
        }

        var trial: String {
            let words = fault.map { "\(String(cString: faults_kind_name($0.call))),\($0.number),\($0.effect.name)" }
            return "power store=\(kind) seed=\(seed) change=\(change) way=\(way) fault=\(words ?? "none")"
        }
    }

    struct PowerRunner {
        /// What a workload changed, and the contents that the store may have after each change.
        struct Recording {
            let root: UInt64
            let changes: [RecordedChange]
            let seed: UInt64
        }

        let folder: String
        let board: Board
        let control: UnsafeMutablePointer<faults_control>
        var forgetsSyncs = false
        private let log: UnsafeMutableRawPointer
        private static let capacity = 64 << 20

        init(_ folder: String) throws {
            self.folder = folder
            board = try Board()
            control = try sharedMemory(MemoryLayout<faults_control>.size).bindMemory(
                to: faults_control.self, capacity: 1)
            log = try sharedMemory(Self.capacity)
        }

        func record(_ kind: StoreKind, _ seed: UInt64, _ fault: PowerLoss.Fault?) throws -> Recording {
            let place = "\(folder)/recorded"
            try Files.makeEmpty(place)
            board.clear()
            control.pointee = faults_control()
            control.pointee.log = log.assumingMemoryBound(to: UInt8.self)
            control.pointee.log_capacity = UInt64(Self.capacity)
            withUnsafeMutableBytes(of: &control.pointee.folder) { $0.copyBytes(from: Array("\(place)\0".utf8)) }
            if let fault {
                control.pointee.kind = fault.call
                control.pointee.at = fault.number
                fault.effect.write(to: &control.pointee)
            }
            let workload = Workload(kind: kind, path: "\(place)/Store.granary", seed: seed, marks: true)
            let end = try Child.run {
                faults_follow(control)
                workload.run(board)
            }
            guard end == .exited(0), let status = Files.status(place) else {
                throw HarnessError("the recording ended with \(end)")
            }
            var changes = try RecordedChange.all(control.pointee)
            if forgetsSyncs {
                changes = changes.filter { $0.kind != FAULTS_SYNCED.rawValue }
                for index in changes.indices { changes[index].isDurable = false }
            }
            return Recording(root: UInt64(status.st_ino), changes: changes, seed: seed)
        }

        /// What the disk may hold after each change, and what was told by then.
        struct Moment {
            let states: CrashStates
            let story: Story
        }

        func walk(_ recording: Recording, _ body: (Int, Moment) throws -> Void) throws {
            var states = CrashStates(root: recording.root, seed: recording.seed)
            var lines: [String] = []
            var story = Story([], seed: recording.seed, writer: 1)
            for (number, change) in recording.changes.enumerated() {
                states.add(change)
                if change.isMark {
                    lines.append(change.line)
                    story = Story(lines, seed: recording.seed, writer: 1)
                    // That a step begins changes nothing.
                    if change.line.hasPrefix("begin") { continue }
                }
                try body(number, Moment(states: states, story: story))
            }
        }

        func run(_ trial: PowerLoss, _ recording: Recording, _ moment: Moment, _ figures: inout Figures) throws {
            var numbers = SeededNumbers(trial.seed &* 7919 &+ UInt64(trial.change) &* 64 &+ UInt64(trial.way))
            let choice = CrashStates.Choice(rawValue: trial.way) ?? .torn
            let place = "\(folder)/disk"
            try moment.states.state(choice, &numbers).write(to: place)
            figures.count("trials")
            let guarantee = Guarantee.afterPowerLoss(trial.kind.durability)
            let story = moment.story
            let inspection = Inspection(
                kind: trial.kind, path: "\(place)/Store.granary",
                allowed: story.allowed + (guarantee == .everyCommit ? [] : story.earlier))
            let findings = try inspection.findings(board, guarantee)
            if let fault = findings.fault {
                figures.fail(fault.contains("wrong ") ? "content" : "store", trial.trial, fault)
            } else if let loss = findings.loss {
                figures.count(loss)
            } else if let index = findings.index {
                switch index {
                case 0: figures.count("without the step under way")
                case 1..<story.allowed.count: figures.count("with the step under way")
                default: figures.count("content of an earlier commit")
                }
            }
        }

        func run(_ trial: PowerLoss, _ figures: inout Figures) throws {
            let recording = try record(trial.kind, trial.seed, trial.fault)
            try walk(recording) { change, moment in
                if change == trial.change { try run(trial, recording, moment, &figures) }
            }
        }
    }

    extension PowerLoss {
        init(_ words: TrialWords) throws {
            let parts = try words.text("fault").split(separator: ",").map { String($0) }
            let call = parts.count == 3 ? CallFault.call(parts[0]) : nil
            self.init(
                kind: try words.store(), seed: try words.seed(), change: try words.number("change"),
                way: try words.number("way"),
                fault: try call.map {
                    Fault(call: $0, number: Int64(parts[1]) ?? 0, effect: try CallFault.Effect(parts[2]))
                })
        }
    }
#endif
