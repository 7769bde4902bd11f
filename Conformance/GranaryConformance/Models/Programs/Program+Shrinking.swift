import ConformanceKit
import GranaryCore

extension Program {
    /// The failure of a run, or nil.
    package func failure(_ run: (Program) throws -> Void) -> ProgramFailure? {
        do {
            try run(self)
            return nil
        } catch let failure as ProgramFailure {
            return failure
        } catch {
            return ProgramFailure(steps: steps.count, message: "threw \(error)")
        }
    }

    /// A shorter program that fails too: halves, quarters and at last single steps are left out as long as it does.
    ///
    /// - Parameter runs: How often the program may be run at most.
    package func shrunk(from failure: ProgramFailure, runs: Int = 400, _ run: (Program) throws -> Void) -> (
        Program, ProgramFailure
    ) {
        var best = (program: Program(steps: Array(steps.prefix(failure.steps))), failure: failure)
        if let again = best.program.failure(run) { best.failure = again } else { best = (self, failure) }
        var left = runs
        var size = max(1, best.program.steps.count / 2)
        while left > 0 {
            var hasShrunk = false
            var start = 0
            while start < best.program.steps.count && left > 0 {
                var steps = best.program.steps
                steps.removeSubrange(start..<min(start + size, steps.count))
                left -= 1
                if let failure = Program(steps: steps).failure(run) {
                    best = (Program(steps: Array(steps.prefix(failure.steps))), failure)
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1 && !hasShrunk { break }
            if !hasShrunk { size = max(1, size / 2) }
        }
        return best
    }
}
