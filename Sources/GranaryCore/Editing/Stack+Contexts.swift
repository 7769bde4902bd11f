import GranaryPlatform
extension Stack {
    /// The context for the user interface: made when it is first requested, kept as long as the stack is open, bound to
    /// the main actor. Its reads and blocking saves block the main thread for as long as the store takes.
    ///
    /// ```swift
    /// let artists = try stack.mainContext.fetch(Artist.sorted(by: \.name))
    /// ```
    ///
    /// After a reset of the store, by any stack of the process, its next call drops its changes and works on the new
    /// contents. If that call is a save of changes from before the reset, it throws `generationGone`.
    ///
    /// The stack holds its main context, and the context does not hold the stack: keep the stack.
    @MainActor public var mainContext: EditContext {
        get throws {
            if let context = main.context { return context }
            let context = try EditContext(
                StackReference(knowing: self), parent: nil, named: "main", outlivesResets: true)
            main.context = context
            return context
        }
    }

    /// A new context over the store. It may be passed to another actor, once.
    ///
    /// ```swift
    /// let edit = try stack.makeContext(named: "editor")
    /// ```
    public func makeContext(named name: String? = nil) throws -> sending EditContext {
        try EditContext(StackReference(holding: self), parent: nil, named: name)
    }

    /// Works in a new context on a thread of its own, and saves it: all or nothing.
    ///
    /// ```swift
    /// try await stack.perform(named: "play") { context in
    ///     try context.update(Song.self, 1) { $0.plays += 1 }
    /// }
    /// ```
    ///
    /// Such work of one stack runs one piece after the other, in the order of the calls: two imports that each look for
    /// a record before they make it cannot both make it. Writes and other contexts go on meanwhile; the store is
    /// written to only while the context is saved.
    ///
    /// Cancelling the task stops the work: the next call on the context throws `cancelled`, and nothing is saved.
    ///
    /// - Parameters:
    ///   - name: The name of the context, for observers and the history.
    ///   - mergePolicy: What happens to a conflict when the context is saved. By default it is thrown.
    ///   - onConflicts: Called with the conflicts that the merge policy has settled, if there are any, on the thread of
    ///     the work after the save. They are also logged as notices.
    ///   - body: The work. It gets the context.
    /// - Throws: What the closure throws, and then nothing is saved; what ``EditContext/save(isolation:)`` throws.
    @discardableResult public func perform<T: Sendable>(
        named name: String? = nil, mergePolicy: MergePolicy = .error,
        onConflicts: (@Sendable ([MergeConflict]) -> Void)? = nil,
        _ body: @escaping @Sendable (EditContext) throws -> T
    ) async throws -> T {
        // The work runs outside of the caller's task, and its logger.
        let logger = logs[.merge]
        return try await cancellableWork { cancellation in
            let context = try EditContext(
                StackReference(holding: self), parent: nil, named: name, outlivesResets: false, cancellation)
            context.mergePolicy = mergePolicy
            do {
                let result = try body(context)
                try cancellation.check()
                let saved = try context.blocking.save()
                saved.conflicts.report(to: logger, name, onConflicts)
                saved.notes.report(to: logger, name)
                return result
            } catch {
                context.reset()
                throw error
            }
        }
    }

    /// Runs work in a context after earlier requested work. The flag is set when the task is cancelled.
    func cancellableWork<T: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ work: @escaping @Sendable (CancellationFlag) throws -> T
    ) async throws -> T {
        let cancellation = CancellationFlag()
        let retrier = Retrier.current
        retrier?.note(self, usesWorkers: true)
        return try await withTaskCancellationHandler {
            try await workers.value(for: retrier) {
                try cancellation.check()
                guard let retrier else { return try work(cancellation) }
                // The save of the work belongs to the retrier, too.
                return try Retrier.$current.withValue(retrier) { try work(cancellation) }
            }
        } onCancel: {
            cancellation.set()
        }
    }

    /// A read for one call of a context, counted like any other.
    func beginContextRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        let work = try activity.enter(on: currentThread())
        do {
            try cancellation.check()
            let reader = try store.beginRead(cancellation)
            coordinator.see(reader.transactionNumber)
            return CountedReader(reader, work)
        } catch {
            work.leave()
            throw error
        }
    }
}

/// A store's reader that counts as activity: a stack waits for its end when it closes.
private final class CountedReader: ForwardingReader {
    private let work: ActiveWork
    private var isEnded = false

    init(_ reader: any StoreReader, _ work: ActiveWork) {
        self.work = work
        super.init(reader)
    }

    deinit { end() }

    override func end() {
        guard !isEnded else { return }
        isEnded = true
        super.end()
        work.leave()
    }
}
