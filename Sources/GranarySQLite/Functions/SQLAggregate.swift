import CSQLite
import GranaryStoreKit

/// A sum or an average as an aggregate function of SQL: an ``Accumulator``, as in every other store.
final class SQLAggregate {
    private let name: String
    private let start: Accumulator
    private let failure: SQLFunctions.Failure

    /// The state of one group so far.
    private final class State {
        var accumulator: Accumulator
        init(_ accumulator: Accumulator) { self.accumulator = accumulator }
    }

    private init(_ name: String, _ start: Accumulator, _ failure: SQLFunctions.Failure) {
        self.name = name
        self.start = start
        self.failure = failure
    }

    static func all(_ failure: SQLFunctions.Failure) -> [SQLAggregate] {
        var all: [SQLAggregate] = []
        for kind in NumberKind.allCases {
            for function in [AggregateFunction.sum, .average] {
                all.append(
                    SQLAggregate(
                        "granary_\(kind.rawValue)_\(function.rawValue)", Accumulator(function, of: kind), failure))
            }
        }
        // As a decimal; another function applies the places afterwards.
        all.append(SQLAggregate("granary_scaled_average", Accumulator(.average, of: .integer, scale: 0), failure))
        return all
    }

    /// The connection keeps this object as long as it is open.
    func register(on connection: Connection) throws {
        let code = sqlite3_create_function_v2(
            connection.handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
            Unmanaged.passUnretained(self).toOpaque(), nil, SQLAggregate.step, SQLAggregate.final, nil)
        guard code == SQLITE_OK else { throw connection.failure(code) }
    }

    // Both closures capture nothing; the registered address is that of this object. SQLite gives each group zeroed
    // memory of its own, which keeps the address of the group's state. The state is retained when it is made, and
    // released in `final`, which SQLite calls for each group with memory, even if the statement is abandoned.

    private static let step: SQLCallback = { context, count, values in
        guard let context, let address = sqlite3_user_data(context) else { return }
        let aggregate = Unmanaged<SQLAggregate>.fromOpaque(address).takeUnretainedValue()
        let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
        guard let memory = sqlite3_aggregate_context(context, size) else {
            return sqlite3_result_error_nomem(context)
        }
        let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        let state: State
        if let known = slot.pointee {
            state = Unmanaged<State>.fromOpaque(known).takeUnretainedValue()
        } else {
            state = State(aggregate.start)
            slot.pointee = Unmanaged.passRetained(state).toOpaque()
        }
        state.accumulator.add(SQLArguments(count, values)[0])
    }

    private static let final: @convention(c) (OpaquePointer?) -> Void = { context in
        guard let context, let address = sqlite3_user_data(context) else { return }
        let aggregate = Unmanaged<SQLAggregate>.fromOpaque(address).takeUnretainedValue()
        var accumulator = aggregate.start
        if let memory = sqlite3_aggregate_context(context, 0) {
            let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
            if let known = slot.pointee {
                accumulator = Unmanaged<State>.fromOpaque(known).takeRetainedValue().accumulator
                slot.pointee = nil
            }
        }
        do {
            try accumulator.result().withCell { SQLFunctions.answer($0, context) }
        } catch {
            aggregate.failure.report(error, context)
        }
    }
}
