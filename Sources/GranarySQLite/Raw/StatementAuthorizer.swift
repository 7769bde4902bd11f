import CSQLite
import GranaryStoreKit

/// SQLite calls it while it prepares a statement, and asks for each effect of the statement whether it is allowed.
///
/// Statements of this library are always allowed. Other statements must not end or begin transactions, change the
/// schema, the connection or other files, or write anything but the entities' rows. It also records what they change,
/// including foreign-key actions.
///
/// It is installed once on a connection, because installing it makes SQLite prepare every statement again. For the
/// connection's thread.
final class StatementAuthorizer {
    enum Mode {
        case trusted, reading, writing
    }

    /// The possible changes of a statement, by entity.
    struct Touched {
        var inserted: Set<Int> = []
        /// The positions of the updated attributes, by entity.
        var updated: [Int: Set<Int>] = [:]
        var deleted: Set<Int> = []
    }

    private let catalog: Catalog
    private let entities: [String: Int]
    private var mode = Mode.trusted
    private var touched = Touched()
    private var refusal: GranaryError?

    init(_ catalog: Catalog, _ connection: Connection) {
        self.catalog = catalog
        entities = Dictionary(
            catalog.layouts.map { ($0.name, $0.index) }, uniquingKeysWith: { first, _ in first })
        // The session keeps this object as long as the connection.
        sqlite3_set_authorizer(
            connection.handle,
            { box, action, first, second, database, _ in
                guard let box else { return SQLITE_DENY }
                let authorizer = Unmanaged<StatementAuthorizer>.fromOpaque(box).takeUnretainedValue()
                if authorizer.mode == .trusted { return SQLITE_OK }
                return authorizer.allows(action, first, second, database) ? SQLITE_OK : SQLITE_DENY
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Prepares with these rules.
    ///
    /// - Throws: `invalidQuery` with an alternative, or the error of `body`.
    func asked<T>(_ mode: Mode, _ body: () throws -> T) throws -> (T, Touched) {
        self.mode = mode
        touched = Touched()
        refusal = nil
        defer { self.mode = .trusted }
        do {
            return (try body(), touched)
        } catch {
            throw refusal ?? error
        }
    }

    private func allows(
        _ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?,
        _ database: UnsafePointer<CChar>?
    ) -> Bool {
        // Names from SQLite's schema and its keywords.
        let (first, second) = (first.map { String(cString: $0) } ?? "", second.map { String(cString: $0) })
        let isMain = database.map { String(cString: $0) } == "main"
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE: return true
        case SQLITE_PRAGMA: return allowsPragma(first, second)
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
            return allowsWriting(action, isMain ? entities[first] : nil, first, column: second)
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
            return refuse("Transactions are not begun or ended in SQL. Use write and savepoint.")
        case SQLITE_ATTACH, SQLITE_DETACH:
            return refuse("Other databases cannot be attached. Open a stack on each.")
        default:
            return refuse("A statement does not change what the database consists of. Change the schema's records.")
        }
    }

    private func allowsWriting(_ action: Int32, _ entity: Int?, _ table: String, column: String?) -> Bool {
        guard mode == .writing else { return refuse("The statement writes. Use execute, in a transaction.") }
        guard let entity else {
            return refuse(
                table.hasPrefix("sqlite_")
                    ? "A statement does not change what the database consists of. Change the schema's records."
                    : "\(table) is not a table of records. Write to the entities' tables only.")
        }
        let layout = catalog.layouts[entity]
        switch action {
        case SQLITE_INSERT: touched.inserted.insert(entity)
        case SQLITE_DELETE: touched.deleted.insert(entity)
        default:
            guard let position = layout.entity.attributes.firstIndex(where: { $0.name == column }),
                position != layout.keyPosition
            else {
                return refuse(
                    "A key or a checksum of \(layout.name) cannot be set. Delete the record and insert another.")
            }
            touched.updated[entity, default: []].insert(position)
        }
        return true
    }

    /// Pragmas that only read.
    private static let pragmas: Set<String> = [
        "collation_list", "compile_options", "database_list", "foreign_key_check", "foreign_key_list", "function_list",
        "index_info", "index_list", "index_xinfo", "integrity_check", "module_list", "pragma_list", "quick_check",
        "table_info", "table_list", "table_xinfo",
    ]
    /// Pragmas that only read when they have no argument.
    private static let settings: Set<String> = [
        "application_id", "encoding", "freelist_count", "journal_mode", "page_count", "page_size", "schema_version",
        "synchronous", "user_version",
    ]

    private func allowsPragma(_ name: String, _ argument: String?) -> Bool {
        let name = name.lowercased()
        if StatementAuthorizer.pragmas.contains(name) { return true }
        if StatementAuthorizer.settings.contains(name), argument == nil { return true }
        return refuse("PRAGMA \(name) would set something. Choose settings where the store is opened.")
    }

    private func refuse(_ message: String) -> Bool {
        refusal = refusal ?? GranaryError(.invalidQuery, message)
        return false
    }
}
