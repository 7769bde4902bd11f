import Granary
import Hummingbird

/// `POST /import`: the body is JSON lines, a place a line. It is read as it arrives, and is never in memory as a whole.
struct ImportRoute {
    let stack: Stack
    /// The greatest length of a body, in bytes.
    private static let longest = 256 << 20

    func add(to router: Router<PlacesContext>) { router.post("import", use: importLines) }

    private func importLines(_ request: Request, _ context: PlacesContext) async throws -> ImportAnswer {
        let (lines, arrived) = RequestBody.makeStream()
        async let report = stack.import(
            .json(.chunks(of: lines.map(\.readableBytesView)), options), as: Place.self, with: importer)
        // This task takes the body from the connection, whatever becomes of the import. What an import that has failed
        // does not take any more is dropped.
        do {
            var length = 0
            for try await chunk in request.body {
                length += chunk.readableBytes
                if length > Self.longest { throw HTTPError(.contentTooLarge, message: "The file is too long.") }
                await arrived.yield(chunk)
            }
            arrived.finish()
        } catch {
            arrived.finish(error)
            throw error
        }
        return ImportAnswer(try await report)
    }

    private var options: JSONOptions { JSONOptions(layout: .lines, maximumTextLength: 64 << 10) }

    /// A line that cannot be imported is reported, and the others are imported. The import commits in parts: one commit
    /// at the end would keep the turn to write, and a client that sends slowly would let all others wait.
    private var importer: Importer {
        var importer = Importer()
        importer.failures = .report
        importer.missingKey = .create
        importer.commits = .every(1_000)
        return importer
    }
}

struct ImportAnswer: ResponseEncodable {
    struct Problem: Encodable {
        var line: Int?
        var code: String
        var message: String
    }

    var inserted: Int
    var updated: Int
    var unchanged: Int
    var failed: Int
    /// The first problems.
    var problems: [Problem]

    init(_ report: ImportReport) {
        (inserted, updated, unchanged, failed) = (report.inserted, report.updated, report.unchanged, report.failed)
        problems = report.issues.prefix(20).map { issue in
            Problem(line: issue.line, code: issue.error.code.rawValue, message: issue.error.message)
        }
    }
}
