import ConformanceKit
import ConformanceModels
import GranaryCore

var contextProgramsCases: [ConformanceCase] {
    (1...3).map { number in
        ConformanceCase(
            "contexts.random-\(number)", in: .contexts,
            "random programs over several contexts give what a model gives, step by step", modes: [.fresh]
        ) { trial in
            try await runContextPrograms(trial, count: 25, steps: 40, stream: UInt64(number))
        }
    } + [
        ConformanceCase(
            "contexts.random-reopened", in: .contexts,
            "what random programs have saved is there when it is opened again",
            requires: [.reopening], modes: [.fresh]
        ) { trial in
            try await runContextPrograms(trial, count: 5, steps: 40, stream: 50, reopens: true)
        } otherwise: { trial in
            try await runContextPrograms(trial, count: 5, steps: 40, stream: 50)
        },
        ConformanceCase(
            "contexts.random-long", in: .contexts, "a random program of 600 steps gives what a model gives",
            modes: [.fresh]
        ) { trial in
            try await runContextPrograms(trial, count: 1, steps: 600, stream: 100)
        },
        ConformanceCase(
            "contexts.random-hundreds", in: .contexts, "300 random programs over several contexts",
            isHeavy: true, modes: [.fresh]
        ) { trial in
            try await runContextPrograms(trial, count: 300, steps: 60, stream: 200)
        },
    ]
}

/// Runs programs, one after the other on one store that is emptied in between. One that fails is shrunk and printed.
private func runContextPrograms(
    _ trial: Trial, count: Int, steps: Int, stream: UInt64, reopens: Bool = false
) async throws {
    try trial.open(ContextProgram.schema)
    func run(_ program: ContextProgram) async throws {
        try empty(try trial.stack)
        let runner = try ContextProgramRunner(program, try trial.stack)
        try await runner.run()
        if reopens {
            try trial.reopen()
            let rows = try contents(try trial.stack)
            let expected = await runner.expectedContents
            if rows != expected {
                throw ContextProgramFailure(steps: program.steps.count, message: "opened again it holds \(rows)")
            }
        }
    }
    for number in 0..<count {
        let seed = trial.seed &* 1_000_003 &+ stream &* 10_007 &+ UInt64(number)
        let program = ContextProgram.random(seed: seed, steps: steps)
        guard let failure = await program.failure(run) else { continue }
        let (shortest, cause) = await program.shrunk(from: failure, run)
        throw ConformanceFailure(
            message: """
                program \(number) (seed \(seed), \(shortest.steps.count) of \(steps) steps): \(cause.message)
                \(shortest.text)
                """, file: #fileID, line: #line)
    }
}

private func empty(_ stack: Stack) throws {
    try stack.blocking.write { tx in
        try Request("Shelf").updateAll(setting: ["keeper": .null], in: tx)
        for entity in ["Item", "Owner", "Shelf"] { try Request(entity).deleteAll(in: tx) }
    }
}

private func contents(_ stack: Stack) throws -> [[ModelBoard.Row]] { try stack.blocking.read { try $0.allRows() } }
