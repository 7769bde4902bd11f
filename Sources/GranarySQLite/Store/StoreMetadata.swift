import CSQLite
import GranaryStoreKit
import GranaryPlatform

/// The contents of the table `granary:meta`.
struct StoreMetadata {
    var schema: Schema
    var rowChecksums: Bool
    /// The indexes of the schema that are missing in the database.
    var missingIndexes: [SchemaSQL.Object] = []
    /// The indexes that migrations have dropped and that the database still has.
    var droppedIndexes: [SchemaSQL.Object] = []

    init(schema: Schema, rowChecksums: Bool) {
        self.schema = schema
        self.rowChecksums = rowChecksums
    }

    /// The fingerprint of the stored schema; nil if no schema is stored.
    static func fingerprint(_ connection: Connection) throws -> String? {
        let row = try connection.values("SELECT \"value\" FROM \"granary:meta\" WHERE \"name\" = 'fingerprint'").first
        guard case .text(let utf8)? = row?.first else { return nil }
        guard let text = String(validating: utf8, as: UTF8.self) else { throw damaged(connection) }
        return text
    }

    /// Writes the metadata, replacing the existing ones.
    func write(_ connection: Connection) throws {
        let json = try schema.json()
        let rows: [(String, StoredValue)] = [
            ("format", .integer(Int64(SQLiteStore.format))), ("schema", .text(json)),
            ("fingerprint", .string(schema.fingerprint)), ("rowChecksums", .integer(rowChecksums ? 1 : 0)),
            ("check", .integer(StoreMetadata.check(json, rowChecksums))),
        ]
        let insert = try Statement(connection, "INSERT OR REPLACE INTO \"granary:meta\" VALUES (?1, ?2)")
        defer { insert.finalize() }
        for (name, value) in rows {
            try insert.bind(copying: [.string(name), value])
            try insert.run()
        }
    }

    /// Reads the metadata, and checks that the database has what Granary would make for such a store, except for
    /// indexes, which can be made again. Tables and views of other programs are left alone, because nothing here reads
    /// them. Objects that could affect the records of the store are refused: a trigger or an index on its tables, a
    /// table that refers to them, a virtual table.
    ///
    /// - Parameter isStrict: Whether no index may be missing, and nothing else may exist, including dropped indexes.
    /// - Throws: `notAStore`, `newerFormat`, `corrupt`.
    init(_ connection: Connection, isStrict: Bool = false) throws {
        // One state, because another process may migrate the store in the meantime.
        let isAlone = connection.isInAutocommit
        if isAlone { try connection.execute("BEGIN") }
        defer { if isAlone { try? connection.execute("ROLLBACK") } }
        let application = try StoreMetadata.integer(connection, "PRAGMA application_id")
        let format = try StoreMetadata.integer(connection, "PRAGMA user_version")
        guard application == Int64(SQLiteStore.applicationID) else {
            // A file that was cut off to 0 bytes is a database without pages.
            guard try StoreMetadata.integer(connection, "PRAGMA page_count") > 0 else {
                throw GranaryError.damagedFile(connection.path)
            }
            throw GranaryError(
                .notAStore, "\(connection.path) is a database of another program. Choose another path.")
        }
        guard format <= Int64(SQLiteStore.format) else {
            throw GranaryError.newerFormat(of: "The store", format, newest: SQLiteStore.format)
        }
        var objects = try StoreMetadata.objects(connection)
        // Nothing is read from a table that differs from its expected text.
        for table in [SchemaSQL.meta, SchemaSQL.commit] where !objects.contains(table) {
            throw StoreMetadata.damaged(connection)
        }
        var values: [[UInt8]: StoredValue] = [:]
        for row in try connection.values("SELECT \"name\", \"value\" FROM \"granary:meta\"") {
            guard row.count == 2, case .text(let name) = row[0] else { throw StoreMetadata.damaged(connection) }
            values[name] = row[1]
        }
        guard values[Array("format".utf8)] == .integer(format), case .text(let json)? = values[Array("schema".utf8)],
            case .integer(let sums)? = values[Array("rowChecksums".utf8)], sums == 0 || sums == 1,
            values[Array("check".utf8)] == .integer(StoreMetadata.check(json, sums == 1))
        else { throw StoreMetadata.damaged(connection) }
        schema = try Schema(json: json)
        try schema.validate()
        // Transactions treat a different fingerprint as a different schema.
        guard values[Array("fingerprint".utf8)] == .string(schema.fingerprint) else {
            throw StoreMetadata.damaged(connection)
        }
        rowChecksums = sums == 1
        let expected = SchemaSQL(schema, hasChecksums: rowChecksums)
        if !isStrict {
            droppedIndexes = objects.filter(\.isDroppedIndex)
            objects.removeAll(where: \.isDroppedIndex)
        }
        missingIndexes = try StoreMetadata.check(objects, against: expected, isStrict: isStrict, connection)
    }

    private static func check(_ json: [UInt8], _ rowChecksums: Bool) -> Int64 {
        Int64(bitPattern: json.withUnsafeBytes { hash64($0, seed: rowChecksums ? 1 : 0) })
    }

    private static func integer(_ connection: Connection, _ sql: String) throws -> Int64 {
        guard case .integer(let value)? = try connection.values(sql).first?.first else { throw damaged(connection) }
        return value
    }

    static func damaged(_ connection: Connection) -> GranaryError {
        .damaged("The description of the store in \(connection.path)")
    }
}

extension StoreMetadata {
    /// The entries of `sqlite_schema`, without the indexes that SQLite makes by itself.
    private static func objects(_ connection: Connection) throws -> [SchemaSQL.Object] {
        var objects: [SchemaSQL.Object] = []
        for row in try connection.values("SELECT type, name, tbl_name, sql FROM sqlite_schema") {
            let texts = row.map { value in
                if case .text(let utf8) = value { String(validating: utf8, as: UTF8.self) } else { String?.none }
            }
            guard texts.count == 4, let type = texts[0], let name = texts[1], let table = texts[2] else {
                throw damaged(connection)
            }
            if row[3] == .null && type == "index" && name.hasPrefix("sqlite_autoindex_") { continue }
            guard let sql = texts[3] else { throw damaged(connection) }
            objects.append(SchemaSQL.Object(type: type, name: name, table: table, sql: sql))
        }
        return objects
    }

    /// The tables that SQLite makes by itself for assigned keys, and for `ANALYZE`.
    private static let own: Set<SchemaSQL.Object> = [
        ("sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"),
        ("sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        ("sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    ].reduce(into: []) { $0.insert(SchemaSQL.Object(type: "table", name: $1.0, table: $1.0, sql: $1.1)) }

    /// Checks the objects. Returns the missing indexes.
    private static func check(
        _ objects: [SchemaSQL.Object], against expected: SchemaSQL, isStrict: Bool, _ connection: Connection
    ) throws -> [SchemaSQL.Object] {
        // Most databases have exactly the objects that they were made with, in the same order.
        let made = objects.filter {
            $0 != SchemaSQL.history && $0 != SchemaSQL.words && !($0.name.hasPrefix("sqlite_") && own.contains($0))
        }
        if made == expected.objects { return [] }
        let objects = Set(objects)
        let wanted = Set(expected.objects)
        let known = wanted.union(own).union([SchemaSQL.history, SchemaSQL.words])
        for foreign in objects.subtracting(known).sorted(by: { $0.name < $1.name }) {
            guard isStrict || touches(foreign, known) else {
                if foreign.type == "table" { try checkReferences(of: foreign, known, connection) }
                continue
            }
            throw GranaryError(.corrupt, "\(connection.path) has \(refusal(of: foreign, known))")
        }
        let missing = wanted.subtracting(objects).sorted { $0.name < $1.name }
        if let first = missing.first(where: { isStrict || $0.type != "index" }) {
            throw GranaryError(
                .corrupt,
                "\(connection.path) lacks the \(first.type) \(first.name). Restore the store from a backup.")
        }
        return missing
    }

    /// Whether an object that Granary did not make might affect the records of a store, or takes the place of one of
    /// Granary's objects. SQL names ignore case.
    private static func touches(_ foreign: SchemaSQL.Object, _ known: Set<SchemaSQL.Object>) -> Bool {
        let (name, table) = (foreign.name.lowercased(), foreign.table.lowercased())
        if name.hasPrefix("granary:") || name.hasPrefix("sqlite_") { return true }
        if known.contains(where: { $0.name.lowercased() == name }) { return true }
        // A damaged name may be that of one of Granary's tables.
        if !foreign.sql.contains(foreign.name), !foreign.sql.contains(EntitySQL.quoted(foreign.name)) { return true }
        switch foreign.type {
        case "table": return isVirtual(foreign)
        case "view": return false
        case "index", "trigger": return known.contains { $0.table.lowercased() == table }
        default: return true
        }
    }

    private static func isVirtual(_ object: SchemaSQL.Object) -> Bool {
        object.type == "table" && object.sql.uppercased().hasPrefix("CREATE VIRTUAL")
    }

    /// A message about the object and what to do.
    private static func refusal(of foreign: SchemaSQL.Object, _ known: Set<SchemaSQL.Object>) -> String {
        let isNew = !known.contains { $0.name.lowercased() == foreign.name.lowercased() }
        let name = EntitySQL.quoted(foreign.name)
        switch foreign.type {
        case "trigger" where isNew:
            return
                "the trigger \(foreign.name) on the table \(foreign.table), which could change records without Granary. Remove it, in sqlite3 with: DROP TRIGGER \(name);"
        case "index" where isNew:
            return
                "the index \(foreign.name) on the table \(foreign.table), which is not in the schema. Add it to the schema, and remove this one, in sqlite3 with: DROP INDEX \(name);"
        case "table" where isNew && isVirtual(foreign):
            return "the virtual table \(foreign.name). Keep it in a database of its own."
        default:
            return
                "the \(foreign.type) \(foreign.name), which is not as Granary makes it. Remove it, or restore the store from a backup."
        }
    }

    /// A foreign key to a table of records would prevent deletions, or be affected by them.
    private static func checkReferences(
        of foreign: SchemaSQL.Object, _ known: Set<SchemaSQL.Object>, _ connection: Connection
    ) throws {
        for row in try connection.values("PRAGMA foreign_key_list(\(EntitySQL.quoted(foreign.name)))") {
            guard row.count > 2, case .text(let utf8) = row[2] else { continue }
            guard let target = String(validating: utf8, as: UTF8.self) else { throw damaged(connection) }
            guard known.contains(where: { $0.type == "table" && $0.name.lowercased() == target.lowercased() }) else {
                continue
            }
            throw GranaryError(
                .corrupt,
                "\(connection.path) has the table \(foreign.name), which refers to the records of \(target). Make it without that foreign key, or keep it in a database of its own."
            )
        }
    }
}
