import Logging

extension Stack {
    /// Looks again and again whether another process has committed, so that observers learn of it although this process
    /// neither reads nor writes.
    ///
    /// A look opens a read and compares a number: some microseconds. It goes on until it is cancelled, or the stack is
    /// closed or let go, and need not be kept.
    @discardableResult public func watchForChanges(every interval: Duration) -> ChangeWatch {
        ChangeWatch(self, every: interval)
    }
}

/// A look for changes that goes on by itself; see ``Stack/watchForChanges(every:)``. It does not keep the stack.
public struct ChangeWatch: Sendable {
    private let task: Task<Void, Never>

    init(_ stack: Stack, every interval: Duration) {
        let logger = stack.logger
        task = Task { [weak stack] in
            while !Task.isCancelled {
                do {
                    // Every read tells the store's coordinator what it has seen.
                    guard let number = try await stack?.read({ $0.transactionNumber }) else { return }
                    _ = number
                } catch let error as GranaryError where error.code == .closed || error.code == .cancelled {
                    return
                } catch {
                    logger.error("looking for changes failed", metadata: ["error": "\(error)"])
                }
                do { try await Task.sleep(for: interval) } catch { return }
            }
        }
    }

    /// Stops looking.
    public func cancel() { task.cancel() }

    /// Waits until it has ended: it was cancelled, or the stack is closed or gone.
    public func finished() async { await task.value }
}
