import CSQLite
import GranaryStoreKit

/// The functions that Granary adds to SQL, so that a query has the same meaning in every store.
///
/// | function | result |
/// |---|---|
/// | `granary_fold(text, n)` | the text folded, for queries and for indexes over it |
/// | `granary_matches(text, pattern)` | whether the text matches a pattern kept here, by its number |
/// | `granary_compute(program, ...)` | the value of an expression kept here, from its arguments |
/// | `granary_is_kept(n, key)` | whether an answer is kept for the key, which `granary_kept(n)` then returns |
/// | `granary_keep(n, key, answer)` | the answer, which is kept for the key until the statement ends |
/// | `granary_ask(query, key)` | the value that a query kept here selects for the key; null if it selects no row |
/// | `granary_integer_sum(x)` ... | sums and averages that do not depend on the order of the rows |
/// | `granary_sum_of_halves(h, l, n)` ... | sums and averages of integers from the sums of their halves |
/// | `granary_places(x, n)` | a decimal divided by ten to the power of n |
/// | `granary_text(x)`, `granary_decimal(text)` | the digits of a stored decimal, and back: for SQL of users |
///
/// A function that fails stores its error here, and the statement that called it throws that error.
///
/// For the thread that uses the connection. The connection owns this object and passes its address to SQLite without
/// retaining it: a function is called only by a statement of the connection, and every statement ends before the
/// connection does.
final class SQLFunctions {
    enum Compiled {
        case matcher(TextMatcher)
        case program(SQLProgram)
        case answers(KeptAnswers)
        case query(SQLQuestion)
    }

    /// The last error of any function of the connection.
    final class Failure {
        var error: GranaryError?
    }

    let failure = Failure()
    private var kept: [Int64: Compiled] = [:]
    private var lastNumber: Int64 = 0
    /// The answer that `granary_is_kept` found last.
    private var foundAnswer = Cell.null
    private var folders = (0...3).map { TextFolder(TextFolding(rawValue: $0)) }
    private var folded: [UInt8] = []
    private var aggregates: [SQLAggregate] = []

    /// Keeps a pattern or program for a statement, and returns its number.
    func keep(_ compiled: Compiled) -> Int64 {
        lastNumber += 1
        kept[lastNumber] = compiled
        return lastNumber
    }

    func forget(_ numbers: [Int64]) {
        for number in numbers { kept[number] = nil }
    }

    func takeFailure() -> GranaryError? {
        defer { failure.error = nil }
        return failure.error
    }

    func register(on connection: Connection) throws {
        let plain = SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
        // SQLite calls a deterministic function of constants once, before the first row: `granary_kept` must not be
        // one.
        let changing = SQLITE_DIRECTONLY
        let scalars: [(String, Int32, Int32, SQLCallback)] = [
            ("granary_fold", 2, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, SQLFunctions.fold),
            ("granary_matches", 2, plain, SQLFunctions.matches),
            ("granary_compute", -1, plain, SQLFunctions.compute),
            ("granary_sum_of_halves", 3, plain, SQLFunctions.sumOfHalves),
            ("granary_average_of_halves", 3, plain, SQLFunctions.averageOfHalves),
            ("granary_scaled_average_of_halves", 4, plain, SQLFunctions.averageOfHalves),
            ("granary_places", 2, plain, SQLFunctions.places),
            ("granary_text", 1, plain, SQLFunctions.decimalText),
            ("granary_decimal", 1, plain, SQLFunctions.decimal),
            ("granary_is_kept", 2, changing, SQLFunctions.isKept),
            ("granary_kept", 1, changing, SQLFunctions.kept),
            ("granary_keep", 3, changing, SQLFunctions.keep),
            ("granary_ask", 2, changing, SQLFunctions.ask),
        ]
        let address = Unmanaged.passUnretained(self).toOpaque()
        for (name, count, flags, callback) in scalars {
            let code = sqlite3_create_function_v2(
                connection.handle, name, count, SQLITE_UTF8 | flags, address, callback, nil, nil,
                nil)
            guard code == SQLITE_OK else { throw connection.failure(code) }
        }
        aggregates = SQLAggregate.all(failure)
        for aggregate in aggregates { try aggregate.register(on: connection) }
    }
}

extension SQLFunctions {
    /// - Throws: `corrupt` for text that is not UTF-8.
    func fold(_ text: Cell, _ folding: Int64, into context: OpaquePointer) throws {
        guard text.kind != .null else { return sqlite3_result_null(context) }
        guard text.kind == .text, folders.indices.contains(Int(folding)) else { throw SQLFunctions.misuse }
        try folders[Int(folding)].fold(text.rawBytes, into: &folded)
        folded.withUnsafeBytes { SQLFunctions.answer(.text($0), context) }
    }

    func matches(_ text: Cell, _ number: Int64, into context: OpaquePointer) throws {
        guard text.kind != .null else { return sqlite3_result_null(context) }
        guard text.kind == .text, case .matcher(let matcher)? = kept[number] else { throw SQLFunctions.misuse }
        sqlite3_result_int(context, try matcher.matches(text.rawBytes) ? 1 : 0)
    }

    func compute(_ number: Int64, _ arguments: SQLArguments, into context: OpaquePointer) throws {
        guard case .program(let program)? = kept[number] else { throw SQLFunctions.misuse }
        SQLFunctions.answer(try program.value(arguments), context)
    }

    func isKept(_ number: Int64, _ key: Cell, into context: OpaquePointer) throws {
        guard case .answers(let answers)? = kept[number] else { throw SQLFunctions.misuse }
        let known = answers.answer(for: key)
        foundAnswer = known ?? .null
        sqlite3_result_int(context, known == nil ? 0 : 1)
    }

    /// Returns the answer that ``isKept(_:_:into:)`` has found: the statement calls nothing between the two.
    func giveKept(into context: OpaquePointer) { SQLFunctions.answer(foundAnswer, context) }

    func keep(_ answer: Cell, for key: Cell, _ number: Int64, into context: OpaquePointer) throws {
        guard case .answers(let answers)? = kept[number] else { throw SQLFunctions.misuse }
        SQLFunctions.answer(answers.keep(answer, for: key), context)
    }

    func ask(_ number: Int64, _ key: Cell, into context: OpaquePointer) throws {
        guard case .query(let question)? = kept[number] else { throw SQLFunctions.misuse }
        try question.answer(for: key) { SQLFunctions.answer($0, context) }
    }

    static let misuse = GranaryError(
        .typeMismatch, "A function of Granary was called with other arguments than it takes.")

    /// Passes a copy of a value to SQLite.
    static func answer(_ cell: Cell, _ context: OpaquePointer) {
        let bytes = cell.rawBytes
        switch cell.kind {
        case .null: sqlite3_result_null(context)
        case .integer: sqlite3_result_int64(context, cell.integerValue)
        case .real: sqlite3_result_double(context, cell.realValue)
        case .text:
            guard let start = bytes.baseAddress else { return sqlite3_result_text(context, "", 0, nil) }
            granary_sqlite3_result_text_copy(context, start, sqlite3_uint64(bytes.count))
        case .bytes:
            guard let start = bytes.baseAddress else { return sqlite3_result_zeroblob(context, 0) }
            granary_sqlite3_result_blob_copy(context, start, sqlite3_uint64(bytes.count))
        }
    }
}
