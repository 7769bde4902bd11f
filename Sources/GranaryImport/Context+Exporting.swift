public import GranaryCore
import GranaryFormats
import GranaryPlatform

extension ReadContext {
    /// Exports the records of a query, in its order, in their current state.
    ///
    /// ```swift
    /// try snapshot.export(Artist.where { $0.rating >= 4.5 }, to: .file("best.json"))
    /// let bytes = try context.export(Artist.all, to: .csv(.bytes)).bytes
    /// try snapshot.export(Request("Artist"), to: .file("artists.json"))
    /// ```
    ///
    /// An import with the same mappings into an empty store gives the same records; see ``Exporter``. The export omits
    /// an attribute that counts the changes of a record, and everything that the mapping ignores.
    ///
    /// Cost: one pass over the query, in constant memory. One more query is needed for each record that is written as
    /// an object within another, for each to-many relationship of a record, and for each reference that is named by an
    /// attribute other than the key.
    ///
    /// - Throws: `unknownAttribute` and `unsupported` if the mapping, the format or the name of the file does not allow
    ///   the export, before anything is opened; `range` for a text that CSV cannot represent; `cancelled`; the errors
    ///   of the query and the target. After an error a file is unchanged.
    @discardableResult public func export<Root>(
        _ query: Query<Root>, to output: ExportOutput, with exporter: Exporter = Exporter()
    ) throws -> ExportReport {
        let schema = schema
        let request = try checked(query)
        let format = try output.knownFormat()
        for name in exporter.mappings.keys { _ = try schema.position(ofEntity: name) }
        switch format {
        case .json(let layout, let isPretty):
            let plan = try ExportPlan(request.entity, schema, exporter, top: request.entity, isTable: false)
            let key = try plan.keyOfRecords(exporter, format)
            let sink = try output.open()
            let export = try JSONExport(exporter, plan, key: key, sink, layout, isPretty: isPretty, in: self)
            try export.begin()
            var report = try eachRow(request, exporter) { row, report in
                try export.write(row, plan)
                report.nested = export.nested
            }
            try export.finish()
            if let memory = sink as? MemorySink { report.bytes = memory.bytes }
            return report
        case .csv(let options):
            guard exporter.relationships == .keys, exporter.root == nil else {
                throw GranaryError(
                    .unsupported,
                    "CSV has references as keys and nothing around its rows. Export JSON, or leave relationships and root out."
                )
            }
            let plan = try ExportPlan(request.entity, schema, exporter, top: request.entity, isTable: true)
            _ = try plan.keyOfRecords(exporter, format)
            let sink = try output.open()
            let export = CSVExport(exporter, plan, sink, options, in: self)
            try export.begin()
            var report = try eachRow(request, exporter) { row, _ in try export.write(row) }
            try export.finish()
            if let memory = sink as? MemorySink { report.bytes = memory.bytes }
            return report
        }
    }

    private func eachRow(
        _ request: FetchRequest, _ exporter: Exporter, _ body: (borrowing Row, inout ExportReport) throws -> Void
    ) throws -> ExportReport {
        var report = ExportReport()
        let cursor = try rows(request)
        while let row = try cursor.next() {
            try body(row, &report)
            report.exported += 1
            guard report.exported.isMultiple(of: 100) else { continue }
            guard !Task.isCancelled else { throw GranaryError(.cancelled, "The export was cancelled.") }
            if report.exported.isMultiple(of: 500) { exporter.progress?(report) }
        }
        if !report.exported.isMultiple(of: 500) { exporter.progress?(report) }
        return report
    }
}

extension Stack {
    /// Exports the records of a query, in its order, from one consistent state; see
    /// ``ReadContext/export(_:to:with:)``.
    ///
    /// ```swift
    /// let report = try await stack.export(Artist.all, to: .file("artists.jsonl.gz"))
    /// ```
    ///
    /// It neither waits for writers nor disturbs them. Cancelling the task stops it.
    @discardableResult public func export<Root>(
        _ query: Query<Root>, to output: ExportOutput, with exporter: Exporter = Exporter()
    ) async throws -> ExportReport {
        try await read { try $0.export(query, to: output, with: exporter) }
    }
}

extension Blocking where Base == Stack {
    /// Exports the records of a query: as ``Stack/export(_:to:with:)``.
    @discardableResult public func export<Root>(
        _ query: Query<Root>, to output: ExportOutput, with exporter: Exporter = Exporter()
    ) throws -> ExportReport {
        try read { try $0.export(query, to: output, with: exporter) }
    }
}
