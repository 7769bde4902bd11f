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
        await outcomes(throughContexts) { store, path in [GranaryError(code, text(store, path))] }
    }

    /// Runs a case that expects a list of errors at one place, and those of `later` at another place.
    private func outcomes(
        _ throughContexts: Bool = false, later: @escaping @Sendable (_ store: String) -> [GranaryError] = { _ in [] },
        _ errors: @escaping @Sendable (_ store: String, _ path: String) -> [GranaryError]
    ) async -> [ConformanceSuite.Outcome.Result] {
        let conformance = ConformanceCase("ledger.text", in: .messages, "an error has one text", modes: [.fresh]) {
            trial in
            for error in errors(trial.subject.name, trial.storePath) { try expectError(error.code) { throw error } }
            for error in later(trial.subject.name) { try expectError(error.code) { throw error } }
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

    @Test func `a store that throws a further error fails, whichever store is first`() async {
        for longer in ["first", "second"] {
            let results = await outcomes { store, _ in
                [GranaryError(.limit, "It is long.")] + (store == longer ? [GranaryError(.limit, "It is deep.")] : [])
            }
            #expect(results.first == .passed)
            expectFailure(results.last, "It is deep.")
        }
    }

    @Test func `a store that throws where the other does not fails`() async {
        let results = await outcomes(later: { $0 == "second" ? [GranaryError(.limit, "It is deep.")] : [] }) { _, _ in
            [GranaryError(.limit, "It is long.")]
        }
        #expect(results.first == .passed)
        expectFailure(results.last, "It is deep.")
    }

    @Test func `an engine's error about another entity or attribute fails`() async {
        for (entity, attribute) in [("Song", "size"), ("Genre", "name")] {
            let results = await outcomes { store, _ in
                let isFirst = store == "first"
                return [
                    GranaryError(
                        .corrupt, "It is so.", entity: isFirst ? "Genre" : entity,
                        attributes: [isFirst ? "size" : attribute])
                ]
            }
            #expect(results.first == .passed)
            expectFailure(results.last, attribute)
        }
    }

    private func expectFailure(_ result: ConformanceSuite.Outcome.Result?, _ text: String) {
        guard case .failed(let message)? = result else {
            Issue.record("the second store passed")
            return
        }
        #expect(message.contains(text))
    }

    @Test func `contexts over a store are compared with it, by the store's name`() async {
        let named = await results(throughContexts: true) { _, _ in "The store first is so." }
        #expect(named == [.passed, .passed])
        let differing = await results(throughContexts: true) { name, _ in name == "first" ? "It is so." : "It is not." }
        #expect(differing.first == .passed && differing.last != .passed)
    }
}
