package import GranaryImport

extension ImportReport {
    /// Inserted, updated, unchanged, skipped, failed.
    package var counts: [Int] { [inserted, updated, unchanged, skipped, failed] }
}

extension ExportOutput {
    package static var lines: ExportOutput { .json(.bytes, .lines) }
    package static var table: ExportOutput { .csv(.bytes) }
}
