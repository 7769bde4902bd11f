import Foundation

/// One run in a report: what it measures, how to repeat it, its plots, and its figures as a table.
struct ReportSection {
    let run: RunLine.Run
    let id: String
    private let figures: [FigureLine]
    private let plots: [(file: String, plot: Plot)]

    /// - Parameter number: The place of the run in the report, from 1. It makes names unique.
    init(_ reported: ReportedRun, number: Int) {
        (run, figures) = (reported.run, reported.figures)
        // The name comes from a file: it becomes a part of file names only as letters and hyphens.
        let letters = reported.run.name.lowercased().filter { $0.isASCII && ($0.isLetter || $0 == "-") }
        let id = "\(number)-\(letters)"
        self.id = id
        plots = Plot.all(of: reported.figures).enumerated().map { ("\(id)-\($0.offset + 1).svg", $0.element) }
    }

    var title: String { run.name }

    var plotFiles: [(name: String, content: String)] { plots.map { ($0.file, $0.plot.drawing.file) } }

    /// - Parameter isSameMachine: Whether the run was made on the machine at the top of the page.
    func html(isSameMachine: Bool) -> String {
        let images = plots.map { file, plot in
            let text = "\(plot.title). The table of this section has the figures."
            return #"<img src="\#(file)" alt="\#(escaped(text))" loading="lazy">"#
        }
        return """
            <section aria-labelledby="\(id)">
            <h2 id="\(id)">\(escaped(title))</h2>
            <p>\(escaped(run.about)) <span class="faint">Started \(escaped(run.date)).</span></p>
            <pre><code>\(escaped(run.command))</code></pre>
            \(isSameMachine ? "" : "<p>Measured on another machine:</p>\n" + Self.table(run.machine))
            \(targets)
            \(images.joined(separator: "\n"))
            <details>
            <summary>All figures of \(escaped(title))</summary>
            \(figureTable)
            </details>
            </section>
            """
    }

    static func table(_ machine: Machine) -> String {
        let rows = machine.facts.map { name, value in
            "<tr><th scope=\"row\">\(escaped(name))</th><td>\(escaped(value))</td></tr>"
        }
        return "<table>\n\(rows.joined(separator: "\n"))\n</table>"
    }

    /// How many targets were met, and which were missed.
    private var targets: String {
        let decided = figures.filter { $0.isMet != nil }
        guard !decided.isEmpty else { return "" }
        let missed = decided.filter { $0.isMet == false }
        let items = missed.map { "<li>\(escaped("\($0.what), \($0.label): \($0.sentence)"))</li>" }
        let list = items.isEmpty ? "" : "\nMissed:</p>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>"
        return "<p>\(decided.count - missed.count) of \(decided.count) targets are met.\(list.isEmpty ? "</p>" : list)"
    }

    private var figureTable: String {
        let rows = figures.map { figure in
            let cells = [figure.what, figure.label, figure.measure].map { "<td>\(escaped($0))</td>" }.joined()
            let value = "\(Quantity.text(figure.value)) \(Quantity.name(of: figure.unit))"
            let ratio = figure.ratio.map { String(format: "%.2f", $0) + " × \(figure.ratioTo ?? "")" } ?? ""
            let target = figure.target.map { $0 + (figure.isMet.map { $0 ? ", met" : ", missed" } ?? "") } ?? ""
            return "<tr>\(cells)<td class=\"number\">\(escaped(value))</td><td>\(escaped(ratio))</td>"
                + "<td>\(escaped(target))</td></tr>"
        }
        let heads = ["What", "By", "Measure", "Value", "Ratio", "Target"].map { "<th scope=\"col\">\($0)</th>" }
        return """
            <table>
            <thead><tr>\(heads.joined())</tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            """
    }
}
