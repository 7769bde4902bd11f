import ConformanceKit
import GranaryCore
import GranaryMemory
import Testing

@Suite struct ErrorLedgerTests {
    /// Runs a case on two stores that throw errors with texts of their own, and returns how each ended.
    ///
    /// - Parameter throughContexts: Whether the second one is the first one, written to by contexts.
    private func results(
        _ code: GranaryError.Code = .invalidQuery, throughContexts: Bool = false,
        _ text: @escaping @Sendable (_ store: String, _ path: String) -> String
    ) async -> [ConformanceSuite.Outcome.Result] {
        let conformance = ConformanceCase("ledger.text", in: .messages, "an error has one text", modes: [.fresh]) {
            trial in
            try expectError(code) { throw GranaryError(code, text(trial.subject.name, trial.storePath)) }
        }
        let ledger = ErrorLedger()
        var results: [ConformanceSuite.Outcome.Result] = []
        let subjects = ["first", "second"].map { name in
            ConformanceSubject(name, capabilities: []) { path, _ in .inMemory(named: path) }
        }
        for var subject in [subjects[0], throughContexts ? subjects[0].throughContexts() : subjects[1]] {
            subject.ledger = ledger
            results += await ConformanceSuite.run(conformance, on: subject).map(\.result)
        }
        return results
    }

    @Test func `a store whose error has another text fails`() async {
        let results = await results { store, _ in store == "first" ? "It is so." : "It is otherwise." }
        #expect(results.first == .passed)
        guard case .failed(let message)? = results.last else {
            Issue.record("the second store passed")
            return
        }
        #expect(message.contains("It is so.") && message.contains("It is otherwise."))
    }

    @Test func `names of stores and paths make no difference`() async {
        #expect(await results { store, path in "The store \(store) at \(path) is so." } == [.passed, .passed])
    }

    @Test func `what an engine says is not compared`() async {
        #expect(
            await results(.io) { store, _ in store == "first" ? "It is so." : "It is otherwise." } == [
                .passed, .passed,
            ])
    }

    @Test func `contexts over a store are compared with it, by the store's name`() async {
        let named = await results(throughContexts: true) { _, _ in "The store first is so." }
        #expect(named == [.passed, .passed])
        let differing = await results(throughContexts: true) { name, _ in name == "first" ? "It is so." : "It is not." }
        #expect(differing.first == .passed && differing.last != .passed)
    }
}
