import GranaryPlatform
import GranaryStoreKit

/// Writes the records of a store to a new database: tables, then rows in the order of keys, then indexes, as one
/// transaction.
struct SQLiteFileWriter {
    private let reader: any StoreReader
    private let connection: Connection

    /// - Parameter path: The path of an empty file.
    init(_ reader: any StoreReader, path: String) throws {
        self.reader = reader
        connection = try Connection(path: path, purpose: .building, options: SQLiteOptions())
    }

    func write() throws {
        defer { connection.close() }
        // Records come in the order of their entities, so a record may refer to a later one.
        try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        let entities = reader.schema.entities
        for entity in entities { try connection.execute(table(entity)) }
        var counter = try RecordCounter { try reader.recordCount() }
        if let first = entities.first { try counter.tell(first) }
        for (number, entity) in entities.enumerated() { try copyRows(of: entity, number, &counter) }
        for entity in entities {
            for index in entity.indexes {
                try LongWork.checkCancellation()
                try connection.execute(SQLiteFileWriter.index(index, of: entity))
            }
        }
        try connection.execute("COMMIT")
        if let last = entities.last { try counter.tell(last) }
    }

    private func copyRows(of entity: Entity, _ number: Int, _ counter: inout RecordCounter) throws {
        let marks = (1...entity.attributes.count).map { "?\($0)" }.joined(separator: ", ")
        let insertion = try Statement(connection, "INSERT INTO \(EntitySQL.quoted(entity.name)) VALUES (\(marks))")
        defer { insertion.finalize() }
        let types = entity.attributes.map(\.type)
        let rows = try reader.rows(FetchRequest(entity: number))
        defer { withExtendedLifetime(rows) {} }
        while let row = try rows.next() {
            for position in types.indices {
                try SQLiteFileWriter.bind(row[position], types[position], to: insertion, at: Int32(position + 1))
            }
            try insertion.run()
            try counter.count(entity)
        }
    }

    private static func bind(_ cell: Cell, _ type: AttributeType, to insertion: Statement, at parameter: Int32) throws {
        func bind(_ text: String) throws { try insertion.bind(copying: .text(Array(text.utf8)), at: parameter) }
        if cell.isNull { return try insertion.bind(cell, at: parameter) }
        switch type {
        case .decimal: try bind(DecimalNumber(encoded: cell.rawBytes).text)
        case .scaledDecimal(let places):
            guard let number = DecimalNumber(cell.integerValue, places: places) else {
                throw GranaryError(.corrupt, "A stored value has \(places) places, which no decimal has.")
            }
            try bind(number.text)
        case .uuid: try bind(UUID.decode(cell).uuidString)
        case .date: try bind(DateText.written(cell.realValue))
        default: try insertion.bind(cell, at: parameter)
        }
    }

    private func table(_ entity: Entity) -> String {
        let columns = entity.attributes.map { "    \(column($0, of: entity))" }.joined(separator: ",\n")
        return "CREATE TABLE \(EntitySQL.quoted(entity.name)) (\n\(columns)\n)"
    }

    private func column(_ attribute: Attribute, of entity: Entity) -> String {
        var text = "\(EntitySQL.quoted(attribute.name)) \(SQLiteFileWriter.type(attribute.type))"
        if attribute.name == entity.key { return text + " PRIMARY KEY NOT NULL" }
        if !attribute.isOptional { text += " NOT NULL" }
        if let reference = SchemaSQL.reference(attribute, in: reader.schema) { text += reference }
        return text
    }

    private static func type(_ type: AttributeType) -> String {
        switch type {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: "INTEGER"
        case .float, .double: "REAL"
        case .decimal, .scaledDecimal, .string, .url, .json, .date, .uuid: "TEXT"
        case .data: "BLOB"
        }
    }

    /// Values that are equal here are also equal in the store, so a unique index of the store can be unique here. This
    /// is not true if SQLite ignores the case of texts: then it treats texts with a NUL as equal if they are equal up
    /// to the NUL.
    private static func index(_ index: Index, of entity: Entity) -> String {
        let columns = index.attributes.map { name in
            let isText = entity.attributes.first { $0.name == name }?.type.storage == .text
            return EntitySQL.quoted(name)
                + (isText && !index.isUnique && index.folding.contains(.caseInsensitive) ? " COLLATE NOCASE" : "")
        }
        return
            "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(EntitySQL.quoted(SchemaSQL.name(of: index, in: entity))) "
            + "ON \(EntitySQL.quoted(entity.name)) (\(columns.joined(separator: ", ")))"
    }
}
