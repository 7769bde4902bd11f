import ArgumentParser
import GranaryCore
import GranaryStoreKit

struct QueryVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "query", abstract: "Print the records, or the chosen values, that a query in text form names.",
            discussion: """
                ENTITY [WHERE condition] [ORDER BY values] [LIMIT n] [OFFSET n] gives whole records. SELECT values FROM in front \
                chooses values, and GROUP BY values [HAVING condition] groups them. Conditions are those of NSPredicate.

                \(example(
                    "query Music.granary 'Artist WHERE rating >= 4.5 ORDER BY name LIMIT 20'",
                    "query Music.granary 'SELECT name, songs.@count AS songs FROM Artist' --csv",
                    "query Music.granary 'SELECT artist.name, @sum.plays FROM Song GROUP BY artist.name' --json"))
                """)
    }

    @Argument(help: "The store.")
    var store: StoreArgument

    @Argument(help: "The query.")
    var text: String

    @Flag(help: "Print CSV, with a line of names.")
    var csv = false

    @Flag(help: "Print how the store would answer instead of the answer.")
    var explain = false

    @Flag(help: "Print long values, too, in place of their sizes. CSV and JSON have them in any case.")
    var full = false

    @OptionGroup var options: FormatOptions

    func validate() throws {
        if csv && options.json { throw ValidationError("--csv and --json exclude each other.") }
    }

    /// A comparison of values of different types is a mistake in the query: no record is refused.
    func exitCode(for error: GranaryError) -> ExitCode {
        error.code == .typeMismatch ? ToolExit.usage : ToolExit.code(for: error)
    }

    func hints(for error: GranaryError) -> [String] { error.code == .invalidQuery ? QueryHints.hints(text) : [] }

    func state(after interruption: GranaryError?) -> String { "Nothing was changed, and the output is not whole." }

    func perform(_ output: Output) async throws {
        let question = try TextQuery(parsing: text)
        let format: ResultRows.Format = csv ? .csv : isJSON ? .json : .table
        for remark in QueryHints.remarks(text) { Notes.remark(remark) }
        try await store.withStack { [explain, isJSON, full] stack in
            try await stack.read { snapshot in
                guard explain else { return try QueryVerb.answer(question, snapshot, format, output, full) }
                let plan = try Request(question.request).explain(in: snapshot)
                if isJSON {
                    try output.json(.array(plan.lines.map { .string($0) }))
                } else {
                    output.line(plan.description)
                }
            }
        }
    }

    private static func answer(
        _ question: TextQuery, _ snapshot: Snapshot, _ format: ResultRows.Format, _ output: Output,
        _ isFull: Bool
    ) throws {
        let fetch = try FetchRequest(question.request, in: snapshot.schema)
        let rows: ResultRows
        switch question.request.output {
        case .records:
            rows = try ResultRows(snapshot.schema.entities[fetch.entity], format, output, isFull: isFull)
        case .columns:
            rows = try ResultRows(columns(question, fetch.columns ?? []), format, output, isFull: isFull)
        case .groups(let grouping):
            let columns = try ResolvedGrouping(
                grouping, of: fetch, in: snapshot.schema, ranking: question.request.condition
            ).columns
            rows = try ResultRows(self.columns(question, columns), format, output, isFull: isFull)
        }
        let cursor = try Request(question.request).cursor(in: snapshot)
        while let values = try cursor.next() {
            guard try rows.add(values) else { break }
        }
        try rows.finish()
    }

    private static func columns(_ question: TextQuery, _ values: [TypedExpression]) -> [ResultRows.Column] {
        zip(question.columns, values).map { ResultRows.Column(name: $0.name, type: $1.type) }
    }
}
