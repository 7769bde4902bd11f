import Granary

/// Imports a large file. Each run that ends early saves where the next one begins.
func importInParts(_ source: some ImportSource, _ stack: Stack, from start: Int, save: (Int) -> Void) async throws {
    var importer = Importer()
    importer.commits = .every(10_000)
    importer.start = start
    do {
        save(try await stack.import(source, as: Venue.self, with: importer).committed)
    } catch let error as GranaryError {
        if let report = error.importReport { save(report.committed) }
        throw error
    }
}
