#if os(Linux)
    import Glibc

    /// Kills processes that write, at moments of chance. What one run leaves, the next goes on with.
    struct KillSweep {
        let kind: StoreKind
        let trials: Int
        let seed: UInt64
        /// Whether the files are put back after each kill as they were before its writers: then commits are lost, and the sweep
        /// must say so.
        var forgetsCommits = false
        /// The number of kills for which one store is used.
        static let killsPerStore = 8

        func run(_ lane: Lane, _ figures: inout Figures) throws {
            var runner = try KillRunner(lane.folder)
            runner.forgetsCommits = forgetsCommits
            for store in 0..<(trials + Self.killsPerStore - 1) / Self.killsPerStore where lane.takes(store) {
                try runner.run(
                    KillSeries(kind: kind, seed: seed &* 100_000 &+ UInt64(store), writers: 1 + store % 2), &figures)
            }
        }
    }

    /// The kills of one store.
    struct KillSeries {
        let kind: StoreKind
        let seed: UInt64
        let writers: Int

        var trial: String { "kill store=\(kind) seed=\(seed) writers=\(writers)" }
    }

    struct KillRunner {
        let path: String
        let board: Board
        let boards: [Board]
        var forgetsCommits = false

        init(_ folder: String) throws {
            path = "\(folder)/Store.granary"
            board = try Board()
            boards = [try Board(), try Board()]
        }

        /// The moments are not the seed's alone, so that a failing series may have to be run several times.
        func run(_ series: KillSeries, _ figures: inout Figures) throws {
            Files.remove(path)
            var numbers = SeededNumbers(series.seed)
            var worlds = Array(repeating: World(), count: series.writers)
            for _ in 0..<KillSweep.killsPerStore {
                figures.count("trials")
                let before = forgetsCommits && Files.status(path) != nil ? try Files.copy(path) : Files.Copy()
                let children = try (0..<series.writers).map { index in
                    boards[index].clear()
                    let workload = Workload(
                        kind: series.kind, path: path, seed: series.seed, writer: Int64(index + 1), steps: .max / 2)
                    return try Child(deadline: 2 * Child.patience) { workload.run(boards[index]) }
                }
                // After some steps, of which there may be none, and a moment.
                let target = numbers.below(3) == 0 ? 0 : numbers.below(40)
                for _ in 0..<10_000 where boards[0].lineCount < target { usleep(200) }
                usleep(UInt32(numbers.below(numbers.below(2) == 0 ? 20_000 : 1000)))
                // One writer of two goes on for a moment.
                for child in children {
                    child.kill()
                    if series.writers > 1 { usleep(UInt32(numbers.below(3000))) }
                }
                for child in children {
                    let end = child.wait()
                    if end != .signal(SIGKILL) { figures.fail("crash", series.trial, "a writer ended with \(end)") }
                }
                if forgetsCommits { try Files.restore(before, to: path) }
                let stories = (0..<series.writers).map {
                    Story(
                        boards[$0].lines, seed: series.seed, writer: Int64($0 + 1), from: worlds[$0],
                        groupsAreWhole: true)
                }
                for story in stories {
                    figures.count("writes acknowledged", story.committed)
                    figures.count("writes acknowledged, behind another one", story.committedMembers)
                    for code in story.codes { figures.fail("error", series.trial, "a writer threw \(code)") }
                    for fault in story.faults.prefix(1) { figures.fail("told wrong", series.trial, fault) }
                }
                // Each writer's last step may hold or not.
                var allowed = [World()]
                for story in stories {
                    allowed = story.allowed.flatMap { mine in
                        allowed.map { world in
                            var world = world
                            world.add(mine)
                            return world
                        }
                    }
                }
                // The inspection writes as well: the next round must not find that.
                let copy = try Files.copy(path)
                let guarantee = Guarantee.afterKill(series.kind.durability)
                let findings = try Inspection(kind: series.kind, path: path, allowed: allowed).findings(
                    board, guarantee)
                if let fault = findings.fault {
                    figures.fail(fault.contains("wrong ") ? "content" : "store", series.trial, fault)
                    return
                }
                try Files.restore(copy, to: path)
                if let loss = findings.loss { figures.count(loss) }
                guard let index = findings.index else { return }
                figures.count("every commit is there")
                for number in worlds.indices { worlds[number] = allowed[index].part(of: Int64(number + 1)) }
            }
        }
    }

    extension KillSeries {
        init(_ words: TrialWords) throws {
            self.init(kind: try words.store(), seed: try words.seed(), writers: try words.number("writers"))
        }
    }
#endif
