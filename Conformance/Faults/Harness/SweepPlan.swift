#if os(Linux)
    import Glibc
    import GranaryCore

    /// Which sweeps run on which stores, and how long they are.
    struct SweepPlan {
        var sweeps: [Sweep]
        /// Empty: those that each sweep is for.
        var stores: [StoreKind]
        var isFull: Bool
        var trials: Int?
        var seed: UInt64
        var lanes: Int
        var forgetsSyncs = false
        var forgetsCommits = false

        enum Outcome { case right, wrong, nothingTried }

        /// Prints a table, and a summary that names what was skipped.
        func run(in folder: String) throws -> Outcome {
            var total = Figures()
            var skips: [String] = []
            for sweep in sweeps {
                for kind in stores.isEmpty ? sweep.stores(isFull: isFull) : stores {
                    let start = now()
                    let figures = try Self.withScratch(in: folder) { scratch in
                        try Lane.run(lanes, in: scratch) { try run(sweep, kind, $0, &$1) }
                    }
                    total.add(figures)
                    skips += figures.skips.map { "\(sweep) \(kind) \($0)" }
                    Self.show(sweep, kind, figures, now() - start)
                }
            }
            print("all: \(total["trials"]) trials, \(total.failures) failed, \(skips.count) parts skipped")
            for skip in skips { print("    SKIPPED \(skip)") }
            guard total.failures == 0 else { return .wrong }
            return total["trials"] == 0 ? .nothingTried : .right
        }

        private func run(_ sweep: Sweep, _ kind: StoreKind, _ lane: Lane, _ figures: inout Figures) throws {
            let count = trials ?? sweep.trials(isFull: isFull, kind.durability)
            switch sweep {
            case .calls: try CallFaultSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
            case .power:
                try PowerSweep(kind: kind, trials: count, seed: seed, forgetsSyncs: forgetsSyncs).run(lane, &figures)
            case .kills:
                try KillSweep(kind: kind, trials: count, seed: seed, forgetsCommits: forgetsCommits).run(lane, &figures)
            case .disk: try DiskSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
            case .damage: try DamageSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
            case .hostile: try HostileSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
            }
        }

        static func repeatTrial(_ line: String, in folder: String) throws -> Bool {
            let words = TrialWords(line)
            var figures = Figures()
            try withScratch(in: folder) { scratch in
                switch words.sweep {
                case "call": try CallFaultRunner(scratch).run(CallFault(words), &figures)
                case "power": try PowerRunner(scratch).run(PowerLoss(words), &figures)
                case "kill": try KillRunner(scratch).run(KillSeries(words), &figures)
                case "disk": try FullDisk(words).run(in: scratch, &figures)
                case "damage": try DamageRunner(scratch).run(DamagedStore(words), &figures)
                case "hostile":
                    let trial = try HostileStore(words)
                    try HostileRunner(scratch, trial.kind, trial.seed).run(trial, &figures)
                default: throw HarnessError("no sweep has trials that begin with \(words.sweep)")
                }
            }
            return figures.failures == 0
        }

        static func soak(_ stores: [StoreKind], seconds: Int, in folder: String) throws -> Bool {
            var isRight = true
            for kind in stores {
                isRight =
                    try withScratch(in: folder) { try Soak(kind: kind, seconds: seconds, folder: $0).run() } && isRight
            }
            return isRight
        }

        private static func withScratch<T>(in folder: String, _ body: (String) throws -> T) throws -> T {
            let scratch = "\(folder)/granary-faults-\(getpid())"
            try Files.makeEmpty(scratch)
            defer { Files.remove(scratch) }
            return try body(scratch)
        }

        private static func show(_ sweep: Sweep, _ kind: StoreKind, _ figures: Figures, _ seconds: Double) {
            let result =
                figures["trials"] == 0
                ? "NOTHING TRIED" : "\(figures["trials"]) trials, \(figures.failures) failed, \(Int(seconds)) s"
            print("\(sweep) \(kind): \(result)")
            for (name, number) in figures.others { print("    \(number) \(name)") }
            for skip in figures.skips { print("    SKIPPED \(skip)") }
            fflush(nil)
        }

        private func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }

    extension Sweep {
        /// Checksums of rows matter where files are damaged; durability, where the power is lost or a process is killed.
        func stores(isFull: Bool) -> [StoreKind] {
            let stores = isFull || self == .damage ? StoreKind.full : [.sqlite, .lmdb]
            return self == .power || self == .kills ? stores + StoreKind.others : stores
        }

        /// Fewer for stores whose commits do not wait for the disk: there are as many of them again.
        func trials(isFull: Bool, _ durability: Durability) -> Int {
            let all = isFull ? fullTrials : smallTrials
            return durability == .full ? all : all * 2 / 5
        }

        /// A few seconds for each store, built for release.
        private var smallTrials: Int {
            switch self {
            case .calls, .power: 1200
            case .damage: 900
            case .kills: 40
            case .disk: 60
            case .hostile: 1000
            }
        }
        private var fullTrials: Int {
            switch self {
            case .calls, .damage: 20_000
            case .power: 50_000
            case .kills: 2000
            case .disk, .hostile: 1000
            }
        }
    }
#endif
