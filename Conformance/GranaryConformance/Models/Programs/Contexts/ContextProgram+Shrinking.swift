import ConformanceKit
import GranaryCore

extension ContextProgram {
    /// The failure of a run, or nil.
    package func failure(_ run: (ContextProgram) async throws -> Void) async -> ContextProgramFailure? {
        do {
            try await run(self)
            return nil
        } catch let failure as ContextProgramFailure {
            return failure
        } catch {
            return ContextProgramFailure(steps: steps.count, message: "threw \(error)")
        }
    }

    /// A shorter program that fails too: halves, quarters and at last single steps and calls are left out as long as it
    /// does.
    ///
    /// - Parameter runs: How often the program may be run at most.
    package func shrunk(
        from failure: ContextProgramFailure, runs: Int = 600, _ run: (ContextProgram) async throws -> Void
    ) async -> (ContextProgram, ContextProgramFailure) {
        var best = (program: ContextProgram(steps: Array(steps.prefix(failure.steps))), failure: failure)
        var left = runs
        func fails(_ candidate: ContextProgram) async -> Bool {
            left -= 1
            guard left > 0, let failure = await candidate.failure(run) else { return false }
            best = (ContextProgram(steps: Array(candidate.steps.prefix(failure.steps))), failure)
            return true
        }
        var size = max(1, best.program.steps.count / 2)
        while left > 0 {
            var hasShrunk = false
            var start = 0
            while start < best.program.steps.count && left > 0 {
                var steps = best.program.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                if await fails(ContextProgram(steps: steps)) { hasShrunk = true } else { start += size }
            }
            if size == 1 && !hasShrunk { break }
            if !hasShrunk { size = max(1, size / 2) }
        }
        var number = 0
        while number < best.program.steps.count {
            var hasShrunk = false
            for lesser in best.program.steps[number].lesser where left > 0 && !hasShrunk {
                var steps = best.program.steps
                steps[number] = lesser
                hasShrunk = await fails(ContextProgram(steps: steps))
            }
            if !hasShrunk { number += 1 }
        }
        return best
    }
}

extension ContextProgram.Step {
    /// The same step with one call fewer.
    fileprivate var lesser: [ContextProgram.Step] {
        func without(_ writes: [ContextProgram.Write]) -> [[ContextProgram.Write]] {
            writes.indices.map { index in
                var rest = writes
                rest.remove(at: index)
                return rest
            }
        }
        switch self {
        case .direct(let writes): return without(writes).map { .direct($0) }
        case .calls(let number, let writes): return without(writes).map { .calls(number, $0) }
        case .savepoint(let number, let writes, let isKept):
            return without(writes).map { .savepoint(number, $0, isKept: isKept) }
        case .group(let number, let writes): return without(writes).map { .group(number, $0) }
        case .worker(let number, let policy, let writes): return without(writes).map { .worker(number, policy, $0) }
        case .saveDuring(let number, let policy, let transaction, let calls):
            return without(transaction).map { .saveDuring(number, policy, transaction: $0, calls: calls) }
                + without(calls).map { .saveDuring(number, policy, transaction: transaction, calls: $0) }
        default: return []
        }
    }
}
