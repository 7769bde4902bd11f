import ArgumentParser
import Foundation
import GranaryPlatform
import Synchronization

// A verb that SIGINT or SIGTERM interrupts is cancelled, so that it can remove its unfinished work. Then the process
// ends with 128 plus the number of the signal, as shells expect it. A second signal ends the process at once. So does a
// signal while the tool waits for an answer, because then no work is running. Stores survive this as they survive a
// killed process.
//
// The handler of a signal may do hardly anything. It writes the number of the signal to a pipe, which a thread reads.

/// Handles signals for the running verb.
final class Interruption: Sendable {
    /// A process receives signals as a whole, so there is one instance.
    static let shared = Interruption()

    private struct State {
        var cancel: (@Sendable () -> Void)?
        var number: Int32?
        var isWatching = false
        var isAsking = false
    }

    private let state = Mutex(State())
    // The end of the pipe that handlers write to. It is set before any handler is installed.
    nonisolated(unsafe) private static var inlet: Int32 = -1

    private init() {}

    /// The exit code of the process; nil if no signal has come.
    var exitCode: ExitCode? { state.withLock { $0.number }.map { ExitCode(128 + $0) } }

    /// Sets the closure that cancels the running verb.
    func cancels(with cancel: @escaping @Sendable () -> Void) { state.withLock { $0.cancel = cancel } }

    /// Runs a body; meanwhile a signal ends the process at once.
    func endingAtOnce<T>(_ body: () -> T) -> T {
        state.withLock { $0.isAsking = true }
        defer { state.withLock { $0.isAsking = false } }
        return body()
    }

    /// Begins to watch for signals. If this is not possible, signals end the process.
    func watch() {
        let isFirst = state.withLock { state in
            defer { state.isWatching = true }
            return !state.isWatching
        }
        var ends: [Int32] = [-1, -1]
        guard isFirst, pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let outlet = ends[0]
        Interruption.inlet = ends[1]
        Thread.detachNewThread { [self] in
            var byte: UInt8 = 0
            while true {
                let count = read(outlet, &byte, 1)
                if count == 1 {
                    arrived(Int32(byte))
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }
        for number in [SIGINT, SIGTERM] {
            _ = signal(number) { number in
                let kept = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = write(Interruption.inlet, &byte, 1)
                errno = kept
            }
        }
    }

    private func arrived(_ number: Int32) {
        let cancel = state.withLock { state -> (@Sendable () -> Void)? in
            let isFirst = state.number == nil
            state.number = number
            return isFirst && !state.isAsking ? state.cancel : nil
        }
        guard let cancel else { _exit(128 + number) }
        if Notes.isTerminal { Notes.line("Interrupted: undoing what is unfinished. Interrupt again to end at once.") }
        cancel()
    }
}
