import Foundation

/// How numbers lie along an axis, from 0 at its beginning to 1 at its end.
struct PlotAxis {
    /// Where a number lies before it is brought to 0 to 1.
    private let scale: @Sendable (Double) -> Double
    private let low: Double
    private let high: Double
    /// Numbers that are written at the axis.
    private let labelled: [(value: Double, label: String)]

    func place(_ value: Double) -> Double {
        high > low ? (scale(value) - low) / (high - low) : 0.5
    }

    var ticks: [(place: Double, label: String)] {
        labelled.map { tick in (place: place(tick.value), label: tick.label) }
    }

    /// Counts of threads, tasks or rows, each of which is written. By their logarithm if they are far apart.
    static func places(_ values: [Double]) -> PlotAxis {
        let all = Set(values).sorted()
        let (least, most) = (all.first ?? 0, all.last ?? 0)
        let isLogarithmic = least > 0 && most / least >= 8
        let scale: @Sendable (Double) -> Double = { isLogarithmic ? log10($0) : $0 }
        return PlotAxis(
            scale: scale, low: scale(least), high: scale(most), labelled: all.map { ($0, Quantity.text($0)) })
    }

    /// Percentiles: each further nine has as much room as the one before. The longest of all, 100, comes after the last.
    static func percentiles(_ values: [Double]) -> PlotAxis {
        let all = Set(values).sorted()
        let most = all.last { $0 < 100 } ?? 0
        let end = nines(most) + 1
        let scale: @Sendable (Double) -> Double = { $0 < 100 ? nines($0) : end }
        let labels = all.map { ($0, $0 < 100 ? "\($0.inWords) %" : "longest") }
        return PlotAxis(
            scale: scale, low: scale(all.first ?? 0), high: scale(all.last ?? 0), labelled: labels)
    }

    /// Measured values: from 0, or by their logarithm, a line at each power of ten, if they are far apart.
    static func values(_ values: [Double]) -> PlotAxis {
        let (least, most) = (values.min() ?? 0, values.max() ?? 0)
        if least > 0 && most / least >= 20 {
            let (first, last) = (Int(log10(least).rounded(.down)), Int(log10(most).rounded(.up)))
            let powers = (first...max(last, first + 1)).map { pow(10, Double($0)) }
            return PlotAxis(
                scale: { log10($0) }, low: Double(first), high: Double(max(last, first + 1)),
                labelled: powers.map { ($0, Quantity.text($0)) })
        }
        let step = roundStep(most / 4)
        let count = max(1, Int((most / step).rounded(.up)))
        return PlotAxis(
            scale: { $0 }, low: 0, high: step * Double(count),
            labelled: (0...count).map { (step * Double($0), Quantity.text(step * Double($0))) })
    }

    private static func nines(_ percentile: Double) -> Double { -log10(1 - percentile / 100) }

    /// The next of 1, 2, 5, 10, and so on.
    private static func roundStep(_ step: Double) -> Double {
        guard step > 0 else { return 1 }
        let power = pow(10, log10(step).rounded(.down))
        return ([1, 2, 5, 10].first { step / power <= $0 + 1e-9 } ?? 10) * power
    }
}
