import GranaryPlatform

// A default stack is optional: it is set explicitly and can be replaced. A test sets its own within `withDefault`, so
// that tests that run at the same time do not see each other's stack.

extension Stack {
    /// The stack of ``ReadContext/main``; nil until it is set.
    ///
    /// Inside ``withDefault(_:_:)-(_,()->T)`` it is the stack given there, for the task and the tasks that it makes.
    public static var `default`: Stack? {
        get { scoped ?? shared.value }
        set { shared.value = newValue }
    }

    /// Runs a closure with a default stack of its own.
    ///
    /// ```swift
    /// let count = try Stack.withDefault(stack) { () throws in try Artist.all.count(in: .main) }  // on the main actor
    /// ```
    public static func withDefault<T>(_ stack: Stack, _ body: () throws -> T) rethrows -> T {
        try $scoped.withValue(stack) { try body() }
    }

    /// Runs a closure with a default stack of its own.
    public static func withDefault<T>(
        _ stack: Stack, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async rethrows -> T {
        try await $scoped.withValue(stack) { try await body() }
    }

    /// The default stack.
    ///
    /// ```swift
    /// let artists = try await Stack.requireDefault().read { try Artist.all.fetch(in: $0) }
    /// ```
    ///
    /// - Throws: `noDefaultStack` if none is set.
    public static func requireDefault() throws -> Stack {
        guard let stack = Stack.default else {
            throw GranaryError(
                .noDefaultStack,
                "There is no default stack. Set one with `Stack.default = stack`, or name another context than `.main`."
            )
        }
        return stack
    }

    @TaskLocal private static var scoped: Stack?
    private static let shared = SharedDefault()
}

extension ReadContext {
    /// The main context of the default stack, for arguments that take a context.
    ///
    /// ```swift
    /// let artists = try Artist.all.fetch(in: .main)
    /// try Artist(name: "Prince").insert(in: .main)
    /// try EditContext.main.save()
    /// ```
    ///
    /// - Throws: `noDefaultStack` if none is set; see ``Stack/default``.
    @MainActor public static var main: EditContext { get throws { try Stack.requireDefault().mainContext } }
}

/// The stack set as the default.
private final class SharedDefault: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var stack: Stack?

    var value: Stack? {
        get { lock.withLock { stack } }
        set {
            // The old stack is released outside the lock: closing a stack may take time.
            let old = lock.withLock { () -> Stack? in
                defer { stack = newValue }
                return stack
            }
            _ = old
        }
    }
}
