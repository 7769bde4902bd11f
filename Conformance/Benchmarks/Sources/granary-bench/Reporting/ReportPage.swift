import Foundation

/// The page of a report. Its plots are files beside it.
struct ReportPage {
    private let runs: [ReportedRun]

    init(_ runs: [ReportedRun]) { self.runs = runs }

    /// Names and contents of all files.
    var files: [(name: String, content: String)] {
        let sections = runs.enumerated().map { ReportSection($0.element, number: $0.offset + 1) }
        let body = sections.map { $0.html(isSameMachine: $0.run.machine == runs[0].run.machine) }
        return [("index.html", html(sections, body))] + sections.flatMap(\.plotFiles)
    }

    private func html(_ sections: [ReportSection], _ body: [String]) -> String {
        let links = sections.map { ##"<li><a href="#\##($0.id)">\##(escaped($0.title))</a></li>"## }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>Granary's benchmarks</title>
            <style>
            \(ReportPage.style)
            </style>
            </head>
            <body>
            <main>
            <h1>Granary's benchmarks</h1>
            <p>Every result was checked before it was counted. To repeat a measurement, type its command in the folder
            <code>Conformance/Benchmarks</code>. What the figures mean is in <code>README.md</code> there.</p>
            <h2 id="machine">Measured on</h2>
            \(runs.first.map { ReportSection.table($0.run.machine) } ?? "")
            <nav aria-label="Measurements">
            <ul>
            \(links.joined(separator: "\n"))
            </ul>
            </nav>
            \(body.joined(separator: "\n"))
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root { color-scheme: light dark; --ground: #ffffff; --text: #1b1b1b; --faint: #4a4a4a; --edge: #cccccc;
            --box: #f3f3f3; --link: #0b4f8a }
        @media (prefers-color-scheme: dark) {
            :root { --ground: #16181b; --text: #f0f0f0; --faint: #b9bec4; --edge: #3a3f45; --box: #23272b; --link: #8cc8ff }
        }
        body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
        main { max-width: 60rem; margin: 0 auto; padding: 1rem }
        a { color: var(--link) }
        img { display: block; max-width: 100%; height: auto; margin: 0.75rem 0; border: 1px solid var(--edge) }
        pre { background: var(--box); padding: 0.5rem 0.75rem; overflow-x: auto }
        table { border-collapse: collapse; margin: 0.5rem 0 }
        th, td { text-align: left; padding: 0.15rem 0.75rem 0.15rem 0; border-bottom: 1px solid var(--edge) }
        td.number { text-align: right; font-variant-numeric: tabular-nums }
        .faint { color: var(--faint) }
        """
}
