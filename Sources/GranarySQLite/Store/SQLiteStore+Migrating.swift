import CSQLite
import GranaryStoreKit

// A migration is one transaction. Rows stay as they are: SQLite keeps values by the position of their column, and for a
// row that ends before a column it reads the default in the column's text. So a table only needs another text. It is
// written into `sqlite_schema`, as SQLite's documentation of ALTER TABLE describes it for changes that ALTER TABLE
// cannot make. Then the texts are, byte for byte, those that Granary makes for the new schema, and opening can go on
// comparing them.
//
// SQLite reads some texts of doubles slightly wrong (3.40: 4 of 1 000 with any exponent). A default that it does not
// read exactly is written into the rows.
//
// Indexes are created by SQL. An index that is no longer unique gets another text, like a table. So does a dropped
// index: it is marked, and removed after the store has been opened (SQLiteStore+Indexes).
//
// The number of the schema in the file's header is always raised, so that statements of other processes are compiled
// again: that is when these processes check the schema.

extension SQLiteStore {
    /// Changes the schema of the database as far as a policy allows.
    ///
    /// - Throws: `schemaMismatch`, `uniqueness`, `busy`, `full`, `io`, `cancelled`. The database is as it was then.
    static func migrate(
        _ path: String, to schema: Schema, _ options: SQLiteOptions, _ policy: MigrationPolicy
    ) throws {
        let connection = try Connection(path: path, purpose: .writing, options: options)
        defer { connection.close() }
        let migration = try connection.changing(busyAfter: options.busySeconds) { () -> SchemaMigration? in
            // Another process may have migrated it while this one waited.
            var metadata = try StoreMetadata(connection)
            guard let migration = try SchemaMigration(from: metadata.schema, to: schema, policy) else { return nil }
            try migration.requireInstant()
            let tables = TableMigration(migration, hasChecksums: metadata.rowChecksums, connection)
            try connection.endingWhenCancelled {
                // Their texts contain names of tables and columns that may be renamed.
                try connection.remove(metadata.droppedIndexes)
                try tables.run()
            }
            metadata.schema = migration.target
            try metadata.write(connection)
            return migration
        }
        if let migration { LongWork.current?.note(migration) }
    }

    /// Writes the to-many relationships of a program into the stored schema, if they differ. Other processes that have
    /// the store open are not affected, because nothing that they read or write depends on the relationships. For the
    /// same reason a busy or full store is opened without this: the next opening tries again.
    static func writeRelationships(of schema: Schema, _ path: String, _ options: SQLiteOptions) throws {
        let connection = try Connection(path: path, purpose: .writing, options: options)
        defer { connection.close() }
        do {
            let changes = try connection.changing { () -> [SchemaChange] in
                // Another process may have changed the schema in the meantime.
                var metadata = try StoreMetadata(connection)
                guard let changed = metadata.schema.declaringRelationships(of: schema) else { return [] }
                let changes = SchemaDifference(from: metadata.schema, to: changed).changes
                metadata.schema = changed
                try metadata.write(connection)
                return changes
            }
            LongWork.current?.note(changes)
        } catch let error as GranaryError where error.code == .busy || error.code == .full {}
    }
}

/// The changes of a database's tables and indexes for another schema.
private struct TableMigration {
    let migration: SchemaMigration
    let connection: Connection
    let stored: [Int: Entity]
    let storedObjects: [String: SchemaSQL.Object]
    let objects: [String: SchemaSQL.Object]

    init(_ migration: SchemaMigration, hasChecksums: Bool, _ connection: Connection) {
        self.migration = migration
        self.connection = connection
        stored = Dictionary(migration.stored.entities.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        func named(_ schema: Schema) -> [String: SchemaSQL.Object] {
            let objects = SchemaSQL(schema, hasChecksums: hasChecksums).objects
            return Dictionary(objects.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        storedObjects = named(migration.stored)
        objects = named(migration.target)
    }

    func run() throws {
        var rewritten: [(old: SchemaSQL.Object, new: SchemaSQL.Object)] = []
        var created: [SchemaSQL.Object] = []
        var indexes: [MissingIndex] = []
        var (dropped, removed): (Int, [SchemaSQL.Object]) = (0, [])
        for entity in migration.target.entities {
            guard let table = objects[entity.name] else { continue }
            let old = stored[entity.id]
            if let old, let oldTable = storedObjects[old.name] {
                if oldTable != table { rewritten.append((oldTable, table)) }
            } else {
                created.append(table)
            }
            var gone = old?.indexes ?? []
            for index in entity.indexes {
                guard let object = objects[SchemaSQL.name(of: index, in: entity)] else { continue }
                if let old, let kept = TableMigration.kept(index, of: entity, among: gone, of: old),
                    let oldObject = storedObjects[SchemaSQL.name(of: gone[kept], in: old)]
                {
                    gone.remove(at: kept)
                    if oldObject != object { rewritten.append((oldObject, object)) }
                } else {
                    indexes.append(MissingIndex(entity: entity, index: index, object: object))
                }
            }
            for index in gone {
                guard let old, let object = storedObjects[SchemaSQL.name(of: index, in: old)] else { continue }
                if let index = entity.index(as: index, of: old) {
                    dropped += 1
                    rewritten.append((object, SchemaSQL.dropped(index, of: entity, number: dropped)))
                } else {
                    removed.append(object)
                }
            }
        }
        try connection.remove(removed)
        try rewrite(rewritten)
        try writeInexactDefaults()
        for table in created {
            try requireFreeName(table)
            try connection.execute(table.sql)
        }
        try connection.make(indexes)
    }

    /// The position of the stored index that is reused for an index; nil if the index must be made.
    private static func kept(_ index: Index, of entity: Entity, among stored: [Index], of old: Entity) -> Int? {
        func position(of index: Index) -> Int? {
            stored.firstIndex { old.meaning(of: $0) == entity.meaning(of: index) }
        }
        if let same = position(of: index) { return same }
        // An index that is no longer unique keeps its entries: it gets another text, like a table.
        let unique = Index(attributes: index.attributes, isUnique: true, folding: index.folding)
        return index.isUnique || entity.indexes.contains(unique) ? nil : position(of: unique)
    }

    /// Another program may have a table or a view of that name.
    private func requireFreeName(_ table: SchemaSQL.Object) throws {
        guard !storedObjects.keys.contains(where: { $0.lowercased() == table.name.lowercased() }) else { return }
        let rows = try connection.values(
            "SELECT type FROM sqlite_schema WHERE lower(name) = '\(table.name.lowercased())'")
        guard !rows.isEmpty else { return }
        throw GranaryError(
            .migrationFailed,
            "\(connection.path) has a table or view of another program that has the name of the entity \(table.name). Rename one of them.",
            entity: table.name)
    }

    private func writeInexactDefaults() throws {
        for entity in migration.target.entities {
            guard let known = stored[entity.id].map({ Set($0.attributes.map(\.id)) }) else { continue }
            for attribute in entity.attributes where !known.contains(attribute.id) {
                guard let value = attribute.addition?.value, case .real(let real) = value, real.isFinite,
                    try connection.values("SELECT \(SchemaSQL.literal(value))").first?.first != value
                else { continue }
                let update = try Statement(
                    connection, "UPDATE \(EntitySQL.quoted(entity.name)) SET \(EntitySQL.quoted(attribute.name)) = ?1")
                defer { update.finalize() }
                try update.bind(copying: [value])
                try update.run()
            }
        }
    }

    /// Gives tables and indexes other texts and names.
    private func rewrite(_ objects: [(old: SchemaSQL.Object, new: SchemaSQL.Object)]) throws {
        // SQLite's defence against hostile SQL. This statement is Granary's own.
        try connection.set(SQLITE_DBCONFIG_DEFENSIVE, false)
        defer { try? connection.set(SQLITE_DBCONFIG_DEFENSIVE, true) }
        try connection.execute("PRAGMA writable_schema = ON")
        let update = try Statement(
            connection,
            "UPDATE sqlite_schema SET name = ?1, tbl_name = ?2, sql = ?3 WHERE type = ?4 AND name = ?5")
        defer { update.finalize() }
        for (old, new) in objects {
            if old.type == "table", old.name != new.name { try requireFreeName(new) }
            try update.bind(
                copying: [
                    .string(new.name), .string(new.table), .string(new.sql), .string(new.type), .string(old.name),
                ])
            try update.run()
            guard connection.changes == 1 else { throw StoreMetadata.damaged(connection) }
            if old.type == "table", old.name != new.name { try moveCounter(old.name, new.name) }
        }
        let number = try connection.values("PRAGMA schema_version").first?.first
        guard case .integer(let version)? = number else { throw StoreMetadata.damaged(connection) }
        try connection.execute("PRAGMA schema_version = \((version + 1) & 0x7FFF_FFFF)")
        try connection.execute("PRAGMA writable_schema = RESET")
    }

    /// SQLite keeps the greatest key that was assigned under the table's name.
    private func moveCounter(_ old: String, _ new: String) throws {
        guard try !connection.values("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").isEmpty else {
            return
        }
        let move = try Statement(connection, "UPDATE sqlite_sequence SET name = ?1 WHERE name = ?2")
        defer { move.finalize() }
        try move.bind(copying: [.string(new), .string(old)])
        try move.run()
    }
}

extension Entity {
    /// An index of the old entity with its attributes' names in this one; nil if this one lacks an attribute.
    fileprivate func index(as index: Index, of old: Entity) -> Index? {
        var names: [String] = []
        for name in index.attributes {
            let number = old.attributes.first { $0.name == name }?.id
            guard let attribute = attributes.first(where: { $0.id == number }) else { return nil }
            names.append(attribute.name)
        }
        return Index(attributes: names, isUnique: index.isUnique, folding: index.folding)
    }

    /// Identifies an index independently of names.
    fileprivate func meaning(of index: Index) -> [Int] {
        index.attributes.map { name in attributes.first { $0.name == name }?.id ?? 0 }
            + [index.isUnique ? 1 : 0, index.folding.rawValue].map { Int($0) }
    }
}
