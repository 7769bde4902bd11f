import Foundation

/// A drawing in SVG with a title and a description, that follows the light or dark setting of its reader.
struct SVGDrawing {
    private let width: Double
    private let height: Double
    private let title: String
    private let description: String
    private var elements: [String] = []

    init(width: Double, height: Double, title: String, description: String) {
        (self.width, self.height) = (width, height)
        (self.title, self.description) = (title, description)
        text(title, 16, 26, style: "title")
    }

    enum Anchor: String {
        case start, middle, end
    }

    mutating func text(
        _ text: String, _ x: Double, _ y: Double, anchor: Anchor = .start, style: String = "text"
    ) {
        let place = anchor == .start ? "" : #" text-anchor="\#(anchor)""#
        elements.append(
            #"<text class="\#(style)" x="\#(number(x))" y="\#(number(y))"\#(place)>\#(escaped(text))</text>"#)
    }

    mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, style: String) {
        elements.append(
            #"<line class="\#(style)" x1="\#(number(x1))" y1="\#(number(y1))" x2="\#(number(x2))" y2="\#(number(y2))"/>"#
        )
    }

    mutating func bar(_ x: Double, _ y: Double, _ width: Double, _ height: Double, series: Int) {
        elements.append(
            #"<rect class="fill\#(series % SVGDrawing.colours.count)" x="\#(number(x))" y="\#(number(y))" "#
                + #"width="\#(number(width))" height="\#(number(height))"/>"#)
    }

    /// A line through points, with a mark at each. The form of the line and the mark tell series apart without colours.
    mutating func curve(_ points: [(x: Double, y: Double)], series: Int) {
        let colour = series % SVGDrawing.colours.count
        let path = points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
        // Where colours come again, the form is another one.
        let dashes = ["", "7 3", "2 3", "9 3 2 3"][(series + series / SVGDrawing.colours.count) % 4]
        let form = dashes.isEmpty ? "" : #" stroke-dasharray="\#(dashes)""#
        elements.append(#"<polyline class="curve\#(colour)" points="\#(path)"\#(form)/>"#)
        for point in points { elements.append(mark(point.x, point.y, series)) }
    }

    private func mark(_ x: Double, _ y: Double, _ series: Int) -> String {
        let style = #"class="fill\#(series % SVGDrawing.colours.count)""#
        switch series % 3 {
        case 0: return #"<circle \#(style) cx="\#(number(x))" cy="\#(number(y))" r="4"/>"#
        case 1:
            return #"<rect \#(style) x="\#(number(x - 3.5))" y="\#(number(y - 3.5))" width="7" height="7"/>"#
        default:
            let corners = [(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)]
            let path = corners.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ")
            return #"<polygon \#(style) points="\#(path)"/>"#
        }
    }

    /// The whole file.
    var file: String {
        let size = "\(number(width)) \(number(height))"
        let head = [
            #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(size)" width="\#(number(width))" "#
                + #"height="\#(number(height))" role="img" aria-labelledby="title description">"#,
            #"<title id="title">\#(escaped(title))</title>"#,
            #"<desc id="description">\#(escaped(description))</desc>"#,
            "<style>\n\(SVGDrawing.style)\n</style>",
            #"<rect class="ground" width="100%" height="100%"/>"#,
        ]
        return (head + elements + ["</svg>"]).joined(separator: "\n") + "\n"
    }

    private func number(_ value: Double) -> String {
        let text = String(format: "%.1f", value)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Of a series on a light ground, and on a dark one. Each has a contrast of more than 3 to its ground.
    private static let colours = [
        ("#0b62a8", "#6cb6f5"), ("#b3470d", "#f39b5c"), ("#0a7a55", "#4fd0a3"), ("#a1357f", "#ec8fca"),
        ("#6a6a00", "#d6d24a"), ("#5a46b5", "#b3a5ff"), ("#7a4a2b", "#d9a77f"), ("#4a5560", "#aab6c1"),
    ]

    private static let style: String = {
        func rules(_ ground: String, _ text: String, _ faint: String, _ grid: String, _ colours: [String]) -> [String] {
            [
                ".ground { fill: \(ground) }", ".text, .title { fill: \(text) }", ".faint { fill: \(faint) }",
                ".grid { stroke: \(grid) }", ".axis { stroke: \(faint) }",
            ]
                + colours.enumerated().map { place, colour in
                    ".fill\(place) { fill: \(colour) } .curve\(place) { stroke: \(colour) }"
                }
        }
        let light = rules("#ffffff", "#1b1b1b", "#4a4a4a", "#dddddd", colours.map(\.0))
        let dark = rules("#16181b", "#f0f0f0", "#b9bec4", "#3a3f45", colours.map(\.1))
        return
            (["text { font: 13px system-ui, sans-serif }", ".title { font-size: 15px; font-weight: 600 }"]
            + light
            + ["polyline { fill: none; stroke-width: 2 }", "@media (prefers-color-scheme: dark) {"] + dark + ["}"])
            .joined(separator: "\n")
    }()
}

/// A text as it stands in HTML and SVG.
func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
}
