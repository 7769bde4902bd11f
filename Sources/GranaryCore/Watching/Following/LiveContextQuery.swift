/// One running observation of a context. It belongs to the context's actor.
final class LiveContextQuery<Value: Sendable> {
    private let context: EditContext
    private let query: ObservedQuery<Value>
    private var prepared: ObservedQuery<Value>.Prepared?
    private var watch: ContextWatch?
    private var last: RowDigest.Fingerprint?

    init(_ context: EditContext, _ query: ObservedQuery<Value>) {
        self.context = context
        self.query = query
    }

    /// The observer that is marked when the value may have changed; made when first requested.
    func observer() throws -> Observer {
        if let watch { return watch.observer }
        let stack = try context.stack
        let prepared = try query.prepare(stack.schema, stack.types)
        let new = ContextWatch(context, stack, prepared.readSet)
        self.prepared = prepared
        watch = new
        if new.observer.isEnded { throw ObservationEnd.closed }
        return new.observer
    }

    /// Waits for the next value: the first one at once, then one that differs from the previous one. Returns nil at the
    /// end.
    func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
        do {
            let observer = try observer()
            while await observer.wait() {
                if let value = try read() { return value }
            }
        } catch  where ObservationEnd.isEnd(error) {
            return nil
        }
        return nil
    }

    /// The value as the context shows it now; nil if it equals the last one.
    func read() throws -> Value? {
        let observer = try observer()
        guard let prepared else { return nil }
        observer.look()
        let answer: ObservedQuery<Value>.Answer
        do {
            answer = try prepared.read(context)
        } catch {
            observer.end()
            throw error
        }
        defer { last = answer.fingerprint }
        return last == answer.fingerprint ? nil : answer.value
    }

    /// The value as the context shows it now, even if it equals the last one.
    func current() throws -> Value {
        last = nil
        guard let value = try read() else { throw ObservationEnd.closed }
        return value
    }
}

/// An observer that is marked by commits, and by changes of a context and of its parents.
final class ContextWatch: Sendable {
    let observer: Observer
    private let hub: ObservationHub
    private let number: UInt64
    private let hooks: [(ChangeHooks, UInt64)]

    init(_ context: EditContext, _ stack: Stack, _ readSet: ReadSet) {
        let observer = Observer(readSet, nil)
        self.observer = observer
        hub = stack.companion(ObservationHub.self)
        number = hub.add(observer)
        var hooks: [(ChangeHooks, UInt64)] = []
        var level: EditContext? = context
        while let shown = level {
            hooks.append((shown.overlay.observers.hooks, shown.overlay.observers.hooks.add { observer.mark() }))
            level = shown.parent
        }
        self.hooks = hooks
    }

    deinit {
        observer.end()
        hub.remove(number)
        for (list, number) in hooks { list.remove(number) }
    }
}
