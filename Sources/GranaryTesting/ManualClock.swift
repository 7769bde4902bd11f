public import Foundation
import GranaryPlatform

/// A clock that stands still until a test moves it, for `@CreatedAt`, `@UpdatedAt` and the history.
///
/// ```swift
/// let clock = ManualClock()
/// let stack = try await Stack(schema, store: .inMemory, clock: { clock.now })
/// clock.advance(by: .seconds(60))
/// ```
///
/// It may be used from any thread.
public final class ManualClock: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var time: Date
    private let step: TimeInterval

    /// - Parameters:
    ///   - start: The first time; by default 2001-01-01 00:00:00 UTC.
    ///   - step: How far each reading of ``now`` moves the clock, after it: with a step no two writes have equal times.
    public init(_ start: Date = Date(timeIntervalSinceReferenceDate: 0), step: Duration = .zero) {
        time = start
        self.step = step.seconds
    }

    /// The time of the clock.
    public var now: Date {
        lock.withLock {
            defer { time += step }
            return time
        }
    }

    /// Moves the clock; a negative duration moves it back.
    public func advance(by duration: Duration) { lock.withLock { time += duration.seconds } }

    /// Sets the clock.
    public func set(to time: Date) { lock.withLock { self.time = time } }
}

extension Duration {
    fileprivate var seconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
