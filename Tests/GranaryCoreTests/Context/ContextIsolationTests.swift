import Testing

/// A context stays on its actor, or in its closure: the compiler refuses whatever would take it away.
@Suite(.enabled(if: Snippet.compiler != nil && Snippet.modules != nil, "needs the compiler and the built modules"))
struct ContextIsolationTests {
    private static let actor = """

        actor Desk {
            var context: EditContext?
            func take(_ context: sending EditContext) { self.context = context }
            func show(_ context: EditContext) -> Int { context.changes.count }
        }
        """

    @Test(.timeLimit(.minutes(5))) func `a context is not captured, kept or returned by what runs elsewhere`() throws {
        let code = """
            import GranaryCore
            func captured(_ context: EditContext) -> @Sendable () -> Void { { context.rollback() } }
            func written(_ stack: Stack, _ context: EditContext) async throws {
                try await stack.write { _ in context.rollback() }
            }
            func returned(_ stack: Stack) async throws { _ = try await stack.perform { context in context } }
            struct Kept: Sendable { let context: EditContext }
            final class Shared { static let context: EditContext? = nil }
            """
        let errors = try #require(try Snippet(code: code).errors()).sorted()
        #expect(errors.map { String($0.prefix { $0 != ":" }) } == ["2", "4", "6", "7", "8"])
        for error in errors { #expect(error.contains("EditContext")) }
        let captured = "capture of 'context' with non-Sendable type 'EditContext' in a '@Sendable' closure"
        for error in errors.prefix(2) { #expect(error.contains(captured)) }
    }

    @Test(.timeLimit(.minutes(5))) func `a context is not handed to another actor while this one has it`() throws {
        let code = """
            import GranaryCore
            @MainActor func shown(_ stack: Stack, by desk: Desk) async throws {
                _ = await desk.show(try stack.mainContext)
            }
            @MainActor func detached(_ stack: Stack) throws {
                let context = try stack.mainContext
                Task.detached { context.rollback() }
            }
            func usedAgain(_ stack: Stack, _ desk: Desk) async throws {
                let context = try stack.makeContext()
                await desk.take(context)
                context.rollback()
            }
            """
        let errors = try #require(try Snippet(code: code + Self.actor).errors(checkingIsolation: true))
        #expect(errors.map { String($0.prefix { $0 != ":" }) } == ["3", "7", "11"])
        for error in errors { #expect(error.contains("risks causing data races")) }
    }

    @Test(.timeLimit(.minutes(5))) func `a context is used where it is, handed over once, and its values go anywhere`()
        throws
    {
        let code = """
            import GranaryCore
            @MainActor func onMain(_ stack: Stack) async throws -> Int {
                let context = try stack.mainContext
                let count = context.changes.count
                try await stack.write { _ in print(count) }
                context.save { result in print(result) }
                return try await context.save().inserted
            }
            func handedOver(_ stack: Stack, _ desk: Desk) async throws {
                let context = try stack.makeContext()
                context.rollback()
                await desk.take(context)
            }
            func inTask(_ stack: Stack) throws {
                let context = try stack.makeContext()
                Task { try await context.save() }
            }
            func returned(_ stack: Stack) async throws -> Int {
                try await stack.perform { context in context.changes.count }
            }
            """
        #expect(try Snippet(code: code + Self.actor).errors(checkingIsolation: true) == [])
    }
}
