import GranaryStoreKit

/// Everything that a schema's database has in its `sqlite_schema`, with the text that SQLite keeps.
///
/// ```sql
/// CREATE TABLE "Song" (
///     "id" INTEGER PRIMARY KEY AUTOINCREMENT,
///     "title" TEXT NOT NULL,
///     "artist" INTEGER REFERENCES "Artist" ("id") ON DELETE CASCADE
/// ) STRICT
/// CREATE INDEX "Song.artist" ON "Song" ("artist")
/// ```
///
/// Entities' names have no dots, colons or spaces, so the names here never collide with a table.
///
/// An index over folded text is one over an expression, `granary_fold("name", 1)`: other programs can read such a
/// table, and change it if they have that function.
struct SchemaSQL {
    struct Object: Hashable {
        var type: String
        var name: String
        var table: String
        var sql: String

        /// Whether it has the form of ``SchemaSQL/dropped(_:of:number:)``.
        var isDroppedIndex: Bool {
            // Called for every object whenever a store is opened: for most objects the name decides.
            guard type == "index", name.hasPrefix(droppedName) else { return false }
            let start = "CREATE INDEX \(EntitySQL.quoted(name)) ON \(EntitySQL.quoted(table)) ("
            return sql.hasPrefix(start) && sql.hasSuffix(")\(droppedCondition)")
        }
    }

    let objects: [Object]

    init(_ schema: Schema, hasChecksums: Bool) {
        var objects = [SchemaSQL.meta, SchemaSQL.commit]
        for entity in schema.entities {
            objects.append(
                Object(
                    type: "table", name: entity.name, table: entity.name,
                    sql: SchemaSQL.table(entity, in: schema, hasChecksum: hasChecksums)))
        }
        for entity in schema.entities {
            for index in entity.indexes {
                objects.append(SchemaSQL.index(index, of: entity, named: SchemaSQL.name(of: index, in: entity)))
            }
        }
        self.objects = objects
    }

    private static func index(_ index: Index, of entity: Entity, named name: String) -> Object {
        let columns = index.attributes.map { name in
            let isText = entity.attributes.first { $0.name == name }?.type.storage == .text
            return isText ? EntitySQL.folded(EntitySQL.quoted(name), index.folding) : EntitySQL.quoted(name)
        }
        let sql =
            "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(EntitySQL.quoted(name)) "
            + "ON \(EntitySQL.quoted(entity.name)) (\(columns.joined(separator: ", ")))"
        return Object(type: "index", name: name, table: entity.name, sql: sql)
    }

    /// The description of the store: `format`, `schema`, `fingerprint`, `rowChecksums`, `checksum`.
    static let meta = Object(
        type: "table", name: "granary:meta", table: "granary:meta",
        sql: "CREATE TABLE \"granary:meta\" (\"name\" TEXT PRIMARY KEY, \"value\" ANY) STRICT, WITHOUT ROWID")

    /// One row: the number of the last commit, its committer, and a check value over both.
    static let commit = Object(
        type: "table", name: "granary:commit", table: "granary:commit",
        sql: """
            CREATE TABLE "granary:commit" ("id" INTEGER PRIMARY KEY, "number" INTEGER NOT NULL, \
            "committer" INTEGER NOT NULL, "check" INTEGER NOT NULL) STRICT
            """)

    /// The history of commits; the table exists only once an entry is kept. The time is in seconds since 2001-01-01
    /// 00:00:00 UTC.
    static let history = Object(
        type: "table", name: "granary:history", table: "granary:history",
        sql: "CREATE TABLE \(historyTable)")
    /// The blocks of the indexes of words; the table exists only once there is one.
    static let words = Object(
        type: "table", name: "granary:words", table: "granary:words",
        sql: "CREATE TABLE \"granary:words\" (\"key\" BLOB PRIMARY KEY, \"block\" BLOB NOT NULL) STRICT, WITHOUT ROWID")
    /// Makes the table if it does not exist.
    static let historyCreation = "CREATE TABLE IF NOT EXISTS \(historyTable)"
    private static let historyTable = """
        "granary:history" ("number" INTEGER PRIMARY KEY, "time" REAL NOT NULL, "author" TEXT, "changes" BLOB NOT NULL) \
        STRICT
        """

    static func name(of index: Index, in entity: Entity) -> String {
        "\(entity.name).\(index.attributes.joined(separator: "."))\(index.folding)\(index.isUnique ? " unique" : "")"
    }

    /// An index that is no longer in the schema and waits for its removal. It keeps its entries. Its text says that it
    /// is over some rows only, and SQLite does not notice that these are all rows, so no statement searches it.
    static func dropped(_ index: Index, of entity: Entity, number: Int) -> Object {
        let plain = Index(attributes: index.attributes, isUnique: false, folding: index.folding)
        var object = SchemaSQL.index(plain, of: entity, named: "\(droppedName)\(number)")
        object.sql += droppedCondition
        return object
    }

    private static let droppedName = "granary:dropped:"
    private static let droppedCondition = " WHERE 'dropped' = 'dropped'"

    private static func table(_ entity: Entity, in schema: Schema, hasChecksum: Bool) -> String {
        var text = "CREATE TABLE " + EntitySQL.quoted(entity.name) + " (\n    "
        // Attributes that were added later come after it, because SQLite keeps values by position.
        let checksumPosition = hasChecksum ? entity.originalAttributeCount : nil
        let checksum = EntitySQL.checksum + " INTEGER NOT NULL DEFAULT 0"
        for (position, attribute) in entity.attributes.enumerated() {
            if position > 0 { text += ",\n    " }
            if position == checksumPosition { text += checksum + ",\n    " }
            text += attribute.name == entity.key ? keyColumn(attribute, of: entity) : column(attribute, in: schema)
        }
        if checksumPosition == entity.attributes.count { text += ",\n    " + checksum }
        // A table without row numbers is ordered by a key that is not an integer. An integer key is SQLite's own row
        // number.
        let isInteger = entity.attributes[entity.keyPosition].type.storage == .integer
        return text + (isInteger ? "\n) STRICT" : "\n) STRICT, WITHOUT ROWID")
    }

    private static func keyColumn(_ attribute: Attribute, of entity: Entity) -> String {
        let name = EntitySQL.quoted(attribute.name)
        guard attribute.type.storage == .integer else { return "\(name) \(type(attribute)) PRIMARY KEY NOT NULL" }
        return "\(name) INTEGER PRIMARY KEY\(entity.keyGeneration == .assigned ? " AUTOINCREMENT" : "")"
    }

    private static func column(_ attribute: Attribute, in schema: Schema) -> String {
        let name = EntitySQL.quoted(attribute.name)
        var text = name + " " + type(attribute)
        if !attribute.isOptional { text += " NOT NULL" }
        // The value for rows that were written before the column was added. Granary itself always writes every column.
        if let value = attribute.addition?.value, value != .null { text += " DEFAULT \(literal(value))" }
        if attribute.type == .bool { text += " CHECK (\(name) IN (0, 1))" }
        return text + (reference(attribute, in: schema) ?? "")
    }

    /// The clause for a column that is a reference; nil if the database does not enforce it.
    static func reference(_ attribute: Attribute, in schema: Schema) -> String? {
        guard let reference = attribute.reference, let action = action(reference.onDelete),
            let target = schema.entities.first(where: { $0.name == reference.entity })
        else { return nil }
        return " REFERENCES \(EntitySQL.quoted(target.name)) (\(EntitySQL.quoted(target.key))) ON DELETE \(action)"
    }

    private static func type(_ attribute: Attribute) -> String {
        switch attribute.type.storage {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .bytes, .null: "BLOB"
        }
    }

    /// A value as an SQL constant.
    static func literal(_ value: StoredValue) -> String {
        func hexadecimal(_ bytes: [UInt8]) -> String {
            let digits = bytes.flatMap { [$0 >> 4, $0 & 15] }.map { String($0, radix: 16) }.joined()
            return "x'\(digits)'"
        }
        switch value {
        case .null: return "NULL"
        case .integer(.min): return "-9223372036854775808"
        case .integer(let integer): return "\(integer)"
        case .real(let real) where real.isInfinite: return real < 0 ? "-9e999" : "9e999"
        case .real(let real): return "\(real)"
        case .text(let utf8):
            // An SQL text ends at a NUL.
            if utf8.contains(0) { return "(CAST(\(hexadecimal(utf8)) AS TEXT))" }
            return "'\(String(decoding: utf8, as: UTF8.self).replacing("'", with: "''"))'"
        case .bytes(let bytes): return hexadecimal(bytes)
        }
    }

    /// Nil if the database does not enforce the reference. `NO ACTION`, not `RESTRICT`: only references that are left
    /// at the statement's end deny a deletion.
    private static func action(_ rule: DeleteRule) -> String? {
        switch rule {
        case .nullify: "SET NULL"
        case .cascade: "CASCADE"
        case .deny: "NO ACTION"
        case .noAction: nil
        }
    }
}

extension Entity {
    /// The number of attributes that the entity had when its table was made, for a stored schema.
    var originalAttributeCount: Int { attributes.compactMap(\.addition?.count).min() ?? attributes.count }
}
