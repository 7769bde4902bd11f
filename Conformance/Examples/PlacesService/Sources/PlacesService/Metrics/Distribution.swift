import CoreMetrics
import Synchronization

/// How often values were how large: a histogram of Prometheus. Times are in seconds.
final class Distribution: TimerHandler, RecorderHandler {
    static let seconds = [0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
    static let sizes = [1.0, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 10_000, 100_000, 1_000_000]

    struct State {
        /// The number of values up to each bound and above the one before it, and last of those above all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    /// The upper bounds, in ascending order.
    let bounds: [Double]
    private let kept: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        kept = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var state: State { kept.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let place = bounds.firstIndex { value <= $0 } ?? bounds.count
        kept.withLock { state in
            state.counts[place] += 1
            state.sum += value
        }
    }
}
