import CSQLite
import GranaryStoreKit

typealias SQLCallback =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

/// The arguments of one call, valid during it.
struct SQLArguments {
    private let values: UnsafeMutablePointer<OpaquePointer?>?
    private let first: Int
    let count: Int

    init(_ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?) {
        self.init(values, from: 0, count: max(0, Int(count)))
    }

    private init(_ values: UnsafeMutablePointer<OpaquePointer?>?, from first: Int, count: Int) {
        self.values = values
        self.first = first
        self.count = count
    }

    /// The argument at a position; null beyond the end.
    subscript(position: Int) -> Cell {
        guard position >= 0, position < count, let value = values?[first + position] else { return .null }
        return Cell(value)
    }

    var dropFirst: SQLArguments { SQLArguments(values, from: first + 1, count: max(0, count - 1)) }

    /// - Throws: `typeMismatch` if it is not an integer.
    func integer(_ position: Int) throws -> Int64 {
        let cell = self[position]
        guard cell.kind == .integer else { throw SQLFunctions.misuse }
        return cell.integerValue
    }
}

// The functions that SQLite calls. They capture nothing, because they are C functions. Everything they need is at the
// address that was registered with them: that of the connection's `SQLFunctions`, which lives as long as the
// connection.
extension SQLFunctions {
    static let fold: SQLCallback = { context, count, values in
        run(context, count, values) { functions, arguments, context in
            try functions.fold(arguments[0], arguments.integer(1), into: context)
        }
    }

    static let matches: SQLCallback = { context, count, values in
        run(context, count, values) { functions, arguments, context in
            try functions.matches(arguments[0], arguments.integer(1), into: context)
        }
    }

    static let compute: SQLCallback = { context, count, values in
        run(context, count, values) { functions, arguments, context in
            try functions.compute(arguments.integer(0), arguments.dropFirst, into: context)
        }
    }

    static let isKept: SQLCallback = { context, count, values in
        run(context, count, values) { functions, arguments, context in
            try functions.isKept(arguments.integer(0), arguments[1], into: context)
        }
    }

    static let kept: SQLCallback = { context, count, values in
        run(context, count, values) { functions, _, context in functions.giveKept(into: context) }
    }

    static let keep: SQLCallback = { context, count, values in
        run(context, count, values) { functions, arguments, context in
            try functions.keep(arguments[2], for: arguments[1], arguments.integer(0), into: context)
        }
    }

    static let ask: SQLCallback = { context, count, values in
        run(context, count, values) { functions, arguments, context in
            try functions.ask(arguments.integer(0), arguments[1], into: context)
        }
    }

    static let sumOfHalves: SQLCallback = { context, count, values in
        run(context, count, values) { _, arguments, context in
            try combine(.sum, arguments).withCell { answer($0, context) }
        }
    }

    static let averageOfHalves: SQLCallback = { context, count, values in
        run(context, count, values) { _, arguments, context in
            try combine(.average, arguments).withCell { answer($0, context) }
        }
    }

    static let places: SQLCallback = { context, count, values in
        run(context, count, values) { _, arguments, context in
            let cell = arguments[0]
            guard cell.kind != .null else { return sqlite3_result_null(context) }
            let places = try arguments.integer(1)
            guard cell.kind == .bytes, (0...18).contains(places) else { throw misuse }
            let number = try DecimalNumber(encoded: cell.rawBytes)
            let scaled = try DecimalNumber(
                magnitude: number.magnitude, exponent: number.exponent - Int(places), isNegative: number.isNegative)
            StoredValue.bytes(scaled.bytes).withCell { answer($0, context) }
        }
    }

    static let decimalText: SQLCallback = { context, count, values in
        run(context, count, values) { _, arguments, context in
            let cell = arguments[0]
            guard cell.kind != .null else { return sqlite3_result_null(context) }
            guard cell.kind == .bytes else { throw misuse }
            StoredValue.string(try DecimalNumber(encoded: cell.rawBytes).text).withCell { answer($0, context) }
        }
    }

    static let decimal: SQLCallback = { context, count, values in
        run(context, count, values) { _, arguments, context in
            let cell = arguments[0]
            guard cell.kind != .null else { return sqlite3_result_null(context) }
            let number: DecimalNumber?
            switch cell.kind {
            case .integer: number = DecimalNumber(cell.integerValue)
            case .text: number = DecimalNumber(text: cell.rawBytes)
            default: number = nil
            }
            guard let number else { throw misuse }
            StoredValue.bytes(number.bytes).withCell { answer($0, context) }
        }
    }

    /// The sums of the halves are NULL if there were no values.
    private static func combine(_ function: AggregateFunction, _ arguments: SQLArguments) throws -> StoredValue {
        try Accumulator.result(
            function, high: arguments[0].isNull ? 0 : arguments.integer(0),
            low: arguments[1].isNull ? 0 : arguments.integer(1), count: arguments.integer(2),
            scale: arguments.count > 3 ? Int(truncatingIfNeeded: arguments.integer(3)) : nil)
    }

    private static func run(
        _ context: OpaquePointer?, _ count: Int32, _ values: UnsafeMutablePointer<OpaquePointer?>?,
        _ body: (SQLFunctions, SQLArguments, OpaquePointer) throws -> Void
    ) {
        guard let context, let address = sqlite3_user_data(context) else { return }
        let functions = Unmanaged<SQLFunctions>.fromOpaque(address).takeUnretainedValue()
        do {
            try body(functions, SQLArguments(count, values), context)
        } catch {
            functions.failure.report(error, context)
        }
    }
}

extension SQLFunctions.Failure {
    /// Ends the calling statement; ``Connection/failure(_:)`` then throws this error.
    func report(_ failure: any Error, _ context: OpaquePointer) {
        error = error ?? failure as? GranaryError ?? GranaryError(.io, "A function of Granary failed: \(failure)")
        sqlite3_result_error(context, "A function of Granary failed.", -1)
    }
}
