import Foundation

/// Figures of one run that are drawn together: of the same thing and the same unit, by different subjects.
struct Plot {
    let title: String
    let figures: [FigureLine]
    /// The subjects of the whole run. A subject has the same colour in all plots of it.
    let subjects: [String]

    /// - Returns: The plots of a run, in the order in which their first figures come.
    static func all(of figures: [FigureLine]) -> [Plot] {
        var order: [Kind] = []
        var groups: [Kind: [FigureLine]] = [:]
        var subjects: [String] = []
        for figure in figures {
            let kind = Kind(figure)
            if groups[kind] == nil { order.append(kind) }
            groups[kind, default: []].append(figure)
            if !subjects.contains(figure.subject) { subjects.append(figure.subject) }
        }
        return order.map { kind in
            // "Finds a second" and "times as fast" say their unit.
            let unit = ["1/s", "times"].contains(kind.unit) ? "" : ", " + Quantity.name(of: kind.unit)
            return Plot(
                title: "\(kind.what): \(kind.measure)\(unit)", figures: groups[kind] ?? [], subjects: subjects)
        }
    }

    private struct Kind: Hashable {
        var what: String
        var measure: String
        var unit: String
        var xName: String?

        init(_ figure: FigureLine) {
            (what, measure, unit, xName) = (figure.what, figure.measure, figure.unit, figure.xName)
        }
    }

    /// Lines where there is an axis of two numbers or more, and bars otherwise.
    var drawing: SVGDrawing {
        let places = Set(figures.map(\.x))
        return places.count > 1 && !places.contains(nil) ? LinePlot(self).drawing : BarPlot(self).drawing
    }

    func series(_ subject: String) -> Int { subjects.firstIndex(of: subject) ?? 0 }

    /// All figures in words.
    var description: String { figures.map { "\($0.label): \($0.sentence)" }.joined(separator: "; ") + "." }
}

extension FigureLine {
    /// The subject, and the place on the axis if there is one.
    var label: String {
        guard let x, let xName else { return subject }
        return "\(subject), \(Quantity.text(x)) \(xName)"
    }

    /// The value, the ratio and whether the target was met.
    var sentence: String {
        var parts = ["\(Quantity.text(value)) \(Quantity.name(of: unit))"]
        if let ratio, let ratioTo { parts.append("\(String(format: "%.2f", ratio)) × \(ratioTo)") }
        if let target { parts.append("target \(target)" + (isMet.map { $0 ? ": met" : ": missed" } ?? "")) }
        return parts.joined(separator: ", ")
    }
}

/// Numbers and units as people read them.
enum Quantity {
    /// Three digits or more, thousands apart: `0.0123`, `4.57`, `12 300`.
    static func text(_ value: Double) -> String {
        if value == 0 { return "0" }
        guard abs(value) >= 100 else { return String(format: "%.3g", value) }
        // Larger than any count that is measured; as a whole number it would not fit.
        guard abs(value) < 1e15 else { return String(format: "%.3g", value) }
        var digits = String(Int(value.rounded()))
        var end = digits.count - 3
        while end > 0 {
            digits.insert("\u{2009}", at: digits.index(digits.startIndex, offsetBy: end))
            end -= 3
        }
        return digits
    }

    static func name(of unit: String) -> String {
        switch unit {
        case "us": "µs"
        case "1/s": "a second"
        default: unit
        }
    }
}
