import Foundation

/// A line for each subject over an axis of numbers: threads, tasks, rows or percentiles.
struct LinePlot {
    private static let (left, top, width, height) = (90.0, 48.0, 460.0, 260.0)
    private static let legend = 270.0

    private let plot: Plot
    private let subjects: [String]
    private let xAxis: PlotAxis
    private let yAxis: PlotAxis

    init(_ plot: Plot) {
        self.plot = plot
        subjects = plot.subjects.filter { subject in plot.figures.contains { $0.subject == subject } }
        let xs = plot.figures.compactMap(\.x)
        xAxis = plot.figures.first?.xName == "percentile" ? .percentiles(xs) : .places(xs)
        yAxis = .values(plot.figures.map(\.value))
    }

    var drawing: SVGDrawing {
        let listHeight = Self.top + Double(subjects.count) * 22 + 10
        var drawing = SVGDrawing(
            width: Self.left + Self.width + Self.legend, height: max(Self.top + Self.height + 54, listHeight),
            title: plot.title, description: plot.description)
        let (right, bottom) = (Self.left + Self.width, Self.top + Self.height)
        for tick in yAxis.ticks {
            let y = y(tick.place)
            drawing.line(Self.left, y, right, y, style: "grid")
            drawing.text(tick.label, Self.left - 8, y + 4, anchor: .end, style: "faint")
        }
        for tick in xAxis.ticks {
            let x = x(tick.place)
            drawing.line(x, bottom, x, bottom + 5, style: "axis")
            drawing.text(tick.label, x, bottom + 20, anchor: .middle, style: "faint")
        }
        drawing.line(Self.left, bottom, right, bottom, style: "axis")
        drawing.text(plot.figures.first?.xName ?? "", (Self.left + right) / 2, bottom + 42, anchor: .middle)
        for (place, subject) in subjects.enumerated() {
            let figures = plot.figures.filter { $0.subject == subject }.sorted { ($0.x ?? 0) < ($1.x ?? 0) }
            let points = figures.map { (x: x(xAxis.place($0.x ?? 0)), y: y(yAxis.place($0.value))) }
            drawing.curve(points, series: plot.series(subject))
            let lineY = Self.top + 8 + Double(place) * 22
            drawing.curve([(right + 24, lineY), (right + 60, lineY)], series: plot.series(subject))
            drawing.text(subject, right + 70, lineY + 4)
        }
        return drawing
    }

    private func x(_ place: Double) -> Double { Self.left + 20 + place * (Self.width - 40) }
    private func y(_ place: Double) -> Double { Self.top + Self.height - place * Self.height }
}
