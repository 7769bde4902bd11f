import Logging

extension Stack {
    /// Checks again and again whether another process has committed, so that observers are notified even if this
    /// process neither reads nor writes.
    ///
    /// ```swift
    /// stack.watchForChanges(every: .seconds(1))
    /// ```
    ///
    /// A check opens a read and compares a number: some microseconds. The watch ends when it is cancelled, or when the
    /// stack is closed or released, and need not be kept.
    @discardableResult public func watchForChanges(every interval: Duration) -> ChangeWatch {
        ChangeWatch(self, every: interval)
    }
}

/// A repeated check for changes; see ``Stack/watchForChanges(every:)``. It does not keep the stack alive.
public struct ChangeWatch: Sendable {
    private let task: Task<Void, Never>

    init(_ stack: Stack, every interval: Duration) {
        let report = ErrorReport(stack: stack)
        task = Task { [weak stack] in
            while !Task.isCancelled {
                do {
                    // Every read reports the commit that it sees to the store's coordinator.
                    guard let number = try await stack?.read({ $0.transactionNumber }) else { return }
                    _ = number
                } catch let error as GranaryError where error.code == .closed || error.code == .cancelled {
                    return
                } catch {
                    report.send(error, of: .watching, "looking for changes failed")
                }
                do { try await Task.sleep(for: interval) } catch { return }
            }
        }
    }

    /// Stops the checks.
    public func cancel() { task.cancel() }

    /// Waits until the checks have ended: they were cancelled, or the stack is closed or released.
    public func finished() async { await task.value }
}
