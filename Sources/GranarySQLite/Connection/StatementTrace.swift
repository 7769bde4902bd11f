import CSQLite
import GranaryStoreKit

/// Reports the statements of a connection while somebody follows them. For the thread that uses the connection.
final class StatementTrace {
    private let handler: @Sendable (StoreStatement) -> Void
    /// The rows that running statements have returned so far.
    private var rows: [OpaquePointer: Int] = [:]

    fileprivate init(_ handler: @escaping @Sendable (StoreStatement) -> Void) { self.handler = handler }

    fileprivate func noteRow(of statement: OpaquePointer) { rows[statement, default: 0] += 1 }

    fileprivate func noteEnd(of statement: OpaquePointer, nanoseconds: Int64) {
        let count = rows.removeValue(forKey: statement) ?? 0
        // The text as it was prepared: with placeholders, and without the values.
        guard let text = sqlite3_sql(statement) else { return }
        handler(StoreStatement(text: String(cString: text), rows: count, duration: .nanoseconds(nanoseconds)))
    }
}

extension Connection {
    /// Reports statements until ``stopFollowing()``.
    func follow(_ handler: @escaping @Sendable (StoreStatement) -> Void) {
        let trace = StatementTrace(handler)
        self.trace = trace
        // The connection holds the trace for as long as SQLite knows it.
        sqlite3_trace_v2(
            handle, UInt32(SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW),
            { event, context, statement, time in
                guard let context, let statement else { return 0 }
                let trace = Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
                let pointer = OpaquePointer(statement)
                if event == UInt32(SQLITE_TRACE_ROW) {
                    trace.noteRow(of: pointer)
                } else if let time {
                    trace.noteEnd(of: pointer, nanoseconds: time.load(as: Int64.self))
                }
                return 0
            }, Unmanaged.passUnretained(trace).toOpaque())
    }

    func stopFollowing() {
        guard trace != nil else { return }
        sqlite3_trace_v2(handle, 0, nil, nil)
        trace = nil
    }
}

extension SQLiteReader: StatementFollowing {
    func follow(_ handler: @escaping @Sendable (StoreStatement) -> Void) { session?.connection.follow(handler) }
}
