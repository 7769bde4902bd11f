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
            var seed = seed
            // Where few are asked for, they are spread over one whole workload.
            let first = try runner.record(kind, seed)
            let states = first.changes.count { !$0.isMark } * Self.statesPerChange
            let stride = max(1, states / max(1, trials))
            var recording = first
            while number < trials {
                try runner.walk(recording) { change, disks in
                    for way in 0..<Self.statesPerChange {
                        let place = change * Self.statesPerChange + way
                        guard place % stride == 0, number < trials else { continue }
                        number += 1
                        if lane.takes(number) {
                            try runner.run(
                                PowerLoss(kind: kind, seed: seed, change: change, way: way), recording, disks, &figures)
                        }
                    }
                }
                seed += 1
                if number < trials { recording = try runner.record(kind, seed) }
            }
        }
    }

    /// One loss of power.
    struct PowerLoss {
        let kind: StoreKind
        let seed: UInt64
        /// It comes after this change.
        let change: Int
        /// Which disk of those that are possible.
        let way: Int

        var trial: String { "power store=\(kind) seed=\(seed) change=\(change) way=\(way)" }
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

        func record(_ kind: StoreKind, _ seed: UInt64) throws -> Recording {
            let place = "\(folder)/recorded"
            try Files.makeEmpty(place)
            board.clear()
            control.pointee = faults_control()
            control.pointee.log = log.assumingMemoryBound(to: UInt8.self)
            control.pointee.log_capacity = UInt64(Self.capacity)
            withUnsafeMutableBytes(of: &control.pointee.folder) { $0.copyBytes(from: Array("\(place)\0".utf8)) }
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
            let allowed: [World]
        }

        func walk(_ recording: Recording, _ body: (Int, Moment) throws -> Void) throws {
            var states = CrashStates(root: recording.root)
            var lines: [String] = []
            var allowed = [World()]
            var number = 0
            for change in recording.changes {
                states.add(change)
                if change.isMark {
                    lines.append(change.line)
                    allowed = Story(lines, seed: recording.seed, writer: 1).allowed
                } else {
                    try body(number, Moment(states: states, allowed: allowed))
                    number += 1
                }
            }
        }

        func run(_ trial: PowerLoss, _ recording: Recording, _ moment: Moment, _ figures: inout Figures) throws {
            var numbers = SeededNumbers(trial.seed &* 7919 &+ UInt64(trial.change) &* 64 &+ UInt64(trial.way))
            let choice = CrashStates.Choice(rawValue: trial.way) ?? .torn
            let place = "\(folder)/disk"
            try moment.states.state(choice, &numbers).write(to: place)
            figures.count("trials")
            let inspection = Inspection(kind: trial.kind, path: "\(place)/Store.granary", allowed: moment.allowed)
            let (fault, index) = try inspection.findings(board)
            if let fault {
                figures.fail(fault.contains("wrong ") ? "content" : "store", trial.trial, fault)
            } else if let index {
                figures.count(index == 0 ? "without the step under way" : "with the step under way")
            }
        }

        func run(_ trial: PowerLoss, _ figures: inout Figures) throws {
            let recording = try record(trial.kind, trial.seed)
            try walk(recording) { change, moment in
                if change == trial.change { try run(trial, recording, moment, &figures) }
            }
        }
    }

    extension PowerLoss {
        init(_ words: TrialWords) throws {
            self.init(
                kind: try words.store(), seed: try words.seed(), change: try words.number("change"),
                way: try words.number("way"))
        }
    }
#endif
