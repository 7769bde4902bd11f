import ArgumentParser

@main struct GranaryFaults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "granary-faults",
        abstract: "Tries the stores on disk under faults: failing calls, losses of power, kills and damage.",
        discussion: """
            Exit codes: 0 all trials were right; 1 one was not; 2 nothing could be tried; 64 the arguments make no sense. \
            What was skipped is named at the end: it is not a pass.
            """,
        subcommands: [SweepCommand.self, TrialCommand.self, SoakCommand.self], defaultSubcommand: SweepCommand.self)
}

/// The sweeps.
enum Sweep: String, CaseIterable, ExpressibleByArgument {
    case calls, power, kills, disk, damage, hostile
}

struct SweepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep", abstract: "Runs sweeps. This is what runs without a command.")

    @Option(help: "Only this sweep; can be given several times.")
    var sweep: [Sweep] = []
    @Option(help: "Only this store; can be given several times.")
    var store: [StoreKind] = []
    @Flag(help: "As many trials as a release needs.")
    var full = false
    @Option(help: "How many trials of each sweep and store, instead.")
    var trials: Int?
    @Option(help: "What chance begins with.")
    var seed: UInt64 = 1
    @Flag(help: "Losses of power as if nothing were ever synced: to see that the sweep notices.")
    var forgetSyncs = false
    @Flag(help: "Kills as if the killed processes had written nothing: to see that the sweep notices.")
    var forgetCommits = false
    @Option(help: "How many processes run trials at once.")
    var lanes = 2
    @Option(help: "After how many seconds a store hangs; more where other work takes the processors.")
    var patience: UInt32 = 10
    @Option(help: "Where the stores are made, in a folder that is deleted afterwards: in memory, not on a disk.")
    var folder = "/dev/shm"

    func validate() throws {
        guard (1...3600).contains(patience) else { throw ValidationError("The patience is from 1 to 3600 seconds.") }
    }

    func run() throws {
        #if os(Linux)
            let plan = SweepPlan(
                sweeps: Sweep.allCases.filter { sweep.isEmpty || sweep.contains($0) },
                stores: store,
                isFull: full, trials: trials, seed: seed, lanes: lanes,
                forgetsSyncs: forgetSyncs, forgetsCommits: forgetCommits)
            Child.patience = patience
            switch try plan.run(in: folder) {
            case .right: break
            case .wrong: throw ExitCode(1)
            case .nothingTried:
                complain("Nothing was tried.\n")
                throw ExitCode(2)
            }
        #else
            throw ValidationError("Only Linux is supported.")
        #endif
    }
}

struct TrialCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trial", abstract: "Runs one trial again, by the line that a failure prints.")

    @Argument(help: "The line.") var line: String
    @Option(help: "Where the store is made.") var folder = "/dev/shm"

    func run() throws {
        #if os(Linux)
            guard try SweepPlan.repeatTrial(line, in: folder) else { throw ExitCode(1) }
            print("right")
        #else
            throw ValidationError("Only Linux is supported.")
        #endif
    }
}

struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Uses a store for a long time: writers, readers, kills; memory and files must not grow.")

    @Option(help: "Only this store; can be given several times. Each takes all the time.")
    var store: [StoreKind] = []
    @Option(help: "How long, in seconds.") var seconds = 600
    @Option(help: "Where the store is made.") var folder = "/dev/shm"

    func run() throws {
        #if os(Linux)
            guard try SweepPlan.soak(store.isEmpty ? [.sqlite, .lmdb] : store, seconds: seconds, in: folder) else {
                throw ExitCode(1)
            }
        #else
            throw ValidationError("Only Linux is supported.")
        #endif
    }
}
