#if os(Linux)
    import Glibc

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

        /// Prints a table, and says whether every trial was right.
        func run(in folder: String) throws -> Bool {
            var isRight = true
            for sweep in sweeps {
                for kind in stores.isEmpty ? sweep.stores(isFull: isFull) : stores {
                    let start = now()
                    let figures = try Self.withScratch(in: folder) { scratch in
                        try Lane.run(lanes, in: scratch) { try run(sweep, kind, $0, &$1) }
                    }
                    isRight = isRight && figures.failures == 0
                    Self.show(sweep, kind, figures, now() - start)
                }
            }
            return isRight
        }

        private func run(_ sweep: Sweep, _ kind: StoreKind, _ lane: Lane, _ figures: inout Figures) throws {
            let count = trials ?? (isFull ? sweep.fullTrials : sweep.smallTrials)
            switch sweep {
            case .calls: try CallFaultSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
            case .power:
                try PowerSweep(kind: kind, trials: count, seed: seed, forgetsSyncs: forgetsSyncs).run(lane, &figures)
            case .kills: try KillSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
            case .disk: try DiskSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
            case .damage: try DamageSweep(kind: kind, trials: count, seed: seed).run(lane, &figures)
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
            print("\(sweep) \(kind): \(figures["trials"]) trials, \(figures.failures) failed, \(Int(seconds)) s")
            for (name, number) in figures.counts.sorted(by: { $0.key < $1.key }) where name != "trials" {
                print("    \(number) \(name)")
            }
            fflush(nil)
        }

        private func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    }

    extension Sweep {
        /// Checksums of rows matter where files are damaged.
        func stores(isFull: Bool) -> [StoreKind] { isFull || self == .damage ? StoreKind.allCases : [.sqlite, .lmdb] }

        /// A few seconds for each store, built for release.
        var smallTrials: Int {
            switch self {
            case .calls, .power: 1200
            case .damage: 900
            case .kills: 40
            case .disk: 60
            }
        }
        var fullTrials: Int {
            switch self {
            case .calls, .damage: 20_000
            case .power: 50_000
            case .kills: 2000
            case .disk: 1000
            }
        }
    }
#endif
