import GranaryPlatform

/// Ends streams that wait for bytes, from another thread.
///
/// A stream that may wait for long takes ``current`` when it is made. A thread that is blocked in the stream cannot ask
/// whether its work is cancelled, so it is woken.
package final class StreamCancellation: Sendable {
    /// The cancellation for streams that are made now.
    @TaskLocal package static var current: StreamCancellation?

    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isSet = false
    nonisolated(unsafe) private var handlers: [@Sendable () -> Void] = []

    package init() {}

    /// Calls `handler` on cancellation; at once if this is already cancelled.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let isSet = lock.withLock {
            if !self.isSet { handlers.append(handler) }
            return self.isSet
        }
        if isSet { handler() }
    }

    package func cancel() {
        let waiting = lock.withLock {
            isSet = true
            defer { handlers = [] }
            return handlers
        }
        for handler in waiting { handler() }
    }
}
