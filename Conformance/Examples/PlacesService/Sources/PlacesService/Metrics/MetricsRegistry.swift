import CoreMetrics
import Synchronization

/// Keeps the metrics of the process in memory. A service that has a package for Prometheus uses that instead.
///
/// A counter or timer is made anew for each event, so the registry gives out the same cell for the same name and the same
/// dimensions. A series is kept as long as the process runs.
final class MetricsRegistry: MetricsFactory {
    /// A name with dimensions.
    struct Series: Hashable {
        var label: String
        var names: [String]
        var values: [String]

        init(_ label: String, _ dimensions: [(String, String)]) {
            (self.label, names, values) = (label, dimensions.map(\.0), dimensions.map(\.1))
        }
    }

    struct Cells {
        var counters: [Series: NumberCell] = [:]
        var gauges: [Series: NumberCell] = [:]
        var times: [Series: Distribution] = [:]
        var sizes: [Series: Distribution] = [:]
    }

    private let cells = Mutex(Cells())

    /// All cells at this moment.
    var all: Cells { cells.withLock { $0 } }

    private func cell<Cell>(
        _ kind: WritableKeyPath<Cells, [Series: Cell]>, _ label: String, _ dimensions: [(String, String)],
        _ make: () -> Cell
    ) -> Cell where Cell: Sendable {
        let series = Series(label, dimensions)
        return cells.withLock { cells in
            if let known = cells[keyPath: kind][series] { return known }
            let new = make()
            cells[keyPath: kind][series] = new
            return new
        }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(\.counters, label, dimensions) { NumberCell() }
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        cell(\.counters, label, dimensions) { NumberCell() }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(\.gauges, label, dimensions) { NumberCell() }
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return cell(\.gauges, label, dimensions) { NumberCell() } }
        return cell(\.sizes, label, dimensions) { Distribution(bounds: Distribution.sizes) }
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(\.times, label, dimensions) { Distribution(bounds: Distribution.seconds) }
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
}
