import Foundation

/// A bar for each figure, from 0, with its label before it and its value after it.
struct BarPlot {
    private static let (labelWidth, barWidth, valueWidth) = (230.0, 220.0, 390.0)
    private static let (top, step, thickness) = (44.0, 28.0, 18.0)

    private let plot: Plot

    init(_ plot: Plot) { self.plot = plot }

    var drawing: SVGDrawing {
        let rows = Double(plot.figures.count)
        var drawing = SVGDrawing(
            width: Self.labelWidth + Self.barWidth + Self.valueWidth, height: Self.top + rows * Self.step + 8,
            title: plot.title, description: plot.description)
        let most = plot.figures.map(\.value).max() ?? 0
        for (place, figure) in plot.figures.enumerated() {
            let y = Self.top + Double(place) * Self.step
            // A value that is not 0 is seen.
            let length = figure.value == 0 ? 0 : max(1, figure.value / most * Self.barWidth)
            drawing.text(figure.label, Self.labelWidth - 8, y + 14, anchor: .end)
            drawing.bar(Self.labelWidth, y, length, Self.thickness, series: plot.series(figure.subject))
            drawing.text(figure.sentence, Self.labelWidth + length + 8, y + 14)
        }
        drawing.line(
            Self.labelWidth, Self.top - 4, Self.labelWidth, Self.top + rows * Self.step - 4, style: "axis")
        return drawing
    }
}
