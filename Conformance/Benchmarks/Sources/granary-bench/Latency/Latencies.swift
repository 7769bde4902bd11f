import Histogram

/// The latency of each request, in nanoseconds.
///
// @unchecked: each request writes the place with its own number, once, and no place is read before all requests are done.
final class Latencies: @unchecked Sendable {
    private let places: UnsafeMutableBufferPointer<UInt64>

    init(_ count: Int) {
        places = .allocate(capacity: count)
        // Touched now, so that no request waits for a page of memory.
        places.initialize(repeating: 0)
    }

    deinit { places.deallocate() }

    var count: Int { places.count }

    func set(_ number: Int, _ nanoseconds: UInt64) { places[number] = nanoseconds }

    func add(to histogram: inout Histogram<UInt64>) {
        for latency in places { histogram.record(latency) }
    }
}

/// What a reader of figures wants to know of many latencies.
struct Percentiles {
    /// 100 is the longest of all.
    static let all: [Double] = [50, 90, 99, 99.9, 100]

    private let histogram: Histogram<UInt64>

    init(_ runs: [Latencies]) {
        var histogram = Histogram<UInt64>(numberOfSignificantValueDigits: .three)
        for latencies in runs { latencies.add(to: &histogram) }
        self.histogram = histogram
    }

    /// The latency that this part of the requests had at most.
    func microseconds(_ percentile: Double) -> Double {
        Double(percentile == 100 ? histogram.max : histogram.valueAtPercentile(percentile)) / 1000
    }
}
