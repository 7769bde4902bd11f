import ConformanceKit
import ConformanceModels
import GranaryCore

var programsCases: [ConformanceCase] {
    (1...6).map { number in
        ConformanceCase(
            "programs.random-\(number)", in: .programs,
            "random programs of 60 steps give what the reference gives, step by step"
        ) { trial in
            // Opening again after each write costs more than all else.
            try runPrograms(trial, count: trial.mode == .reopened ? 8 : 30, steps: 60, stream: UInt64(number))
        }
    } + [
        ConformanceCase(
            "programs.long", in: .programs, "a random program of 2 000 steps gives what the reference gives",
            modes: [.fresh]
        ) { trial in
            try runPrograms(trial, count: 1, steps: 2000, stream: 100)
        },
        ConformanceCase(
            "programs.thousands", in: .programs, "3 000 random programs of 80 steps give what the reference gives",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            try runPrograms(trial, count: 3000, steps: 80, stream: 200)
        },
    ]
}

/// Runs programs, each on a new store. One that fails is shrunk and printed.
private func runPrograms(_ trial: Trial, count: Int, steps: Int, stream: UInt64) throws {
    var stores = 0
    func run(_ program: Program) throws {
        stores += 1
        let path = trial.folder + "/Program-\(stores).granary"
        var stack = try trial.subject.open(Program.schema, at: path)
        defer {
            try? stack.blocking.close()
            if kindOfFile(path) != nil { try? removeFile(path) }
        }
        let isReopened = trial.mode == .reopened
        try program.run(on: stack) { current in
            guard isReopened else { return current }
            try current.blocking.close()
            stack = try trial.subject.open(Program.schema, at: path)
            return stack
        }
    }
    for number in 0..<count {
        let seed = trial.seed &* 1_000_003 &+ stream &* 10_007 &+ UInt64(number)
        let program = Program.random(seed: seed, steps: steps)
        guard let failure = program.failure(run) else { continue }
        let (shortest, cause) = program.shrunk(from: failure, run)
        throw ConformanceFailure(
            message: """
                program \(number) (seed \(seed), \(shortest.steps.count) of \(steps) steps): \(cause.message)
                \(shortest.swift)
                """, file: #fileID, line: #line)
    }
}
