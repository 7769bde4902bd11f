/// A moment on the monotonic clock, after which waiting ends.
package struct Deadline: Sendable {
    private let begin: Double
    private let end: Double

    /// A moment this many seconds from now. A negative number or NaN means now; infinity means three years.
    package init(seconds: Double) {
        begin = Deadline.now()
        end = begin + (seconds > 0 ? min(seconds, 1e8) : 0)
    }

    /// The remaining time in seconds; 0 when the deadline has passed.
    package var remaining: Double { max(0, end - Deadline.now()) }
    package var isOver: Bool { Deadline.now() >= end }

    /// The monotonic clock, in seconds.
    package static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Lets the thread sleep.
    package static func pause(seconds: Double) {
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1e9))
        nanosleep(&time, nil)
    }

    /// Seconds since it was made.
    package var elapsed: Double { Deadline.now() - begin }

    /// The time since it was made, as text for a message.
    package var waitedText: String {
        let tenths = Int((elapsed * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

/// Measures the time since it was made, with the clock of ``Deadline``.
package struct Stopwatch: Sendable {
    private let begin = Deadline.now()

    package init() {}

    package var elapsed: Duration { .seconds(seconds) }
    package var seconds: Double { Deadline.now() - begin }
}
