import CSQLite
import GranaryStoreKit

// SQLite reports a row before it changes it, for any statement, including foreign-key actions and replaced rows, with
// the values before and after. It does not report what it does to a table as a whole: a deletion without a condition
// that was prepared before changes were recorded.
//
// For a row that was written before an attribute was added, it reports nil although the row reads the default: the
// default is put in its place. If nil may be the real value, the attribute is noted as changed.

/// Records which rows of entities a connection changes. For the connection's thread.
///
/// Installed only while a transaction is recorded: SQLite is slower with it.
final class ChangeHook {
    /// Whether the linked SQLite, as it was built, can report changes.
    static let isAvailable = functions() != nil

    private let connection: Connection
    private let functions: granary_sqlite3_row_hook
    private let oldValue: Value
    private let newValue: Value
    private let tables: [Table]
    private let numbers: [String: Int]
    private var recorder: ChangeRecorder?
    /// The last table name from SQLite, with the number of the table: rows of one table come together.
    private var lastName: [CChar] = []
    private var lastNumber: Int?
    private var failure: GranaryError?

    private typealias Value = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

    private struct Table {
        /// Whether the key is SQLite's own row number.
        var isRowNumber: Bool
        var keyColumn: Int32
        /// The columns in the order of the attributes, without the key.
        var columns: [Column]
        /// Holds the bytes that the cells of `columns` point at.
        var defaults: HeldCells
    }

    private struct Column {
        /// The position of the attribute.
        var position: Int
        var column: Int32
        /// The value in rows that were written before the attribute was added, unless that is nil.
        var added: Cell?
        var isOptional: Bool
    }

    /// Nil if the linked SQLite cannot report changes.
    init?(_ catalog: Catalog, _ connection: Connection) {
        guard let functions = ChangeHook.functions(), let oldValue = functions.old_value,
            let newValue = functions.new_value
        else { return nil }
        self.functions = functions
        self.oldValue = oldValue
        self.newValue = newValue
        self.connection = connection
        tables = catalog.layouts.map { layout in
            let columns = catalog.columns(of: layout).map { Int32(truncatingIfNeeded: $0) }
            let defaults = HeldCells()
            return Table(
                isRowNumber: layout.keyKind == .integer, keyColumn: columns[layout.keyPosition],
                columns: columns.indices.filter { $0 != layout.keyPosition }.map { position in
                    let attribute = layout.entity.attributes[position]
                    let added = attribute.addition.map(\.value).flatMap { $0 == .null ? nil : defaults.append($0) }
                    return Column(
                        position: position, column: columns[position], added: added, isOptional: attribute.isOptional)
                }, defaults: defaults)
        }
        numbers = Dictionary(catalog.layouts.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
    }

    private static func functions() -> granary_sqlite3_row_hook? {
        let found = granary_sqlite3_find_row_hook()
        guard sqlite3_compileoption_used("ENABLE_PREUPDATE_HOOK") != 0, found.install != nil, found.old_value != nil,
            found.new_value != nil
        else { return nil }
        return found
    }

    func start(_ recorder: ChangeRecorder) {
        self.recorder = recorder
        // The session keeps this object as long as the connection.
        _ = functions.install?(
            connection.handle,
            { context, _, operation, schema, table, oldNumber, newNumber in
                guard let context, let schema, let table else { return }
                let hook = Unmanaged<ChangeHook>.fromOpaque(context).takeUnretainedValue()
                hook.note(operation, schema, table, oldNumber, newNumber)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    func stop() {
        guard recorder != nil else { return }
        recorder = nil
        failure = nil
        _ = functions.install?(connection.handle, nil, nil)
    }

    /// The error for rows that could not be recorded since the last call.
    func takeFailure() -> GranaryError? {
        defer { failure = nil }
        return failure
    }
}

extension ChangeHook {
    private func note(
        _ operation: Int32, _ schema: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ oldNumber: Int64,
        _ newNumber: Int64
    ) {
        // `main`, or `temp`: no other database can be attached.
        guard schema.pointee == 0x6D, let number = number(of: name), let recorder else { return }
        do {
            switch operation {
            case SQLITE_INSERT: recorder.insert(try key(number, newValue, newNumber), into: number)
            case SQLITE_DELETE: recorder.delete(try key(number, oldValue, oldNumber), from: number)
            default:
                let attributes = try difference(number)
                guard !attributes.isEmpty else { return }
                recorder.update(try key(number, newValue, newNumber), in: number, attributes)
            }
        } catch {
            failure = failure ?? error as? GranaryError
        }
    }

    private func difference(_ number: Int) throws -> AttributeSet {
        var attributes = AttributeSet()
        for column in tables[number].columns {
            let (position, new) = (column.position, try cell(newValue, column.column))
            var old = try cell(oldValue, column.column)
            if old.isNull, let added = column.added {
                if column.isOptional {
                    attributes.insert(position)
                    continue
                }
                old = added
            }
            // A real that is a whole number may still be an integer here.
            if areSame(old, new) || old.kind != new.kind && compare(old, new) == 0 { continue }
            attributes.insert(position)
        }
        return attributes
    }

    private func key(_ number: Int, _ value: Value, _ rowNumber: Int64) throws -> Cell {
        tables[number].isRowNumber ? .integer(rowNumber) : try cell(value, tables[number].keyColumn)
    }

    /// A value of the row, valid until SQLite continues.
    @inline(__always) private func cell(_ value: Value, _ column: Int32) throws -> Cell {
        var found: OpaquePointer?
        let code = value(connection.handle, column, &found)
        guard code == SQLITE_OK else { throw connection.failure(code) }
        return found.map { Cell($0) } ?? .null
    }

    private func number(of name: UnsafePointer<CChar>) -> Int? {
        if isLast(name) { return lastNumber }
        let text = String(cString: name)
        lastName = Array(text.utf8CString)
        lastNumber = numbers[text]
        return lastNumber
    }

    /// Compares the name itself and not its address: SQLite may have put another name there.
    private func isLast(_ name: UnsafePointer<CChar>) -> Bool {
        var index = 0
        while index < lastName.count, lastName[index] == name[index] {
            if lastName[index] == 0 { return true }
            index += 1
        }
        return false
    }
}
