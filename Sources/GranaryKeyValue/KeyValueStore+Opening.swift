package import GranaryStoreKit

extension KeyValueStore {
    /// Reads the engine's data about the store, or writes it for a new store, and prepares every keyspace.
    static func load(_ engine: any OrderedKeyValueEngine, _ schema: Schema) throws -> (Schema, StoredCatalog, UInt64) {
        try engine.prepare(keyspaces: [Meta.keyspace])
        if let found = try read(engine, schema) { return found }
        let catalog = StoredCatalog(schema)
        try engine.prepare(keyspaces: catalog.keyspaces)
        let writer = try engine.beginWrite()
        defer { writer.end() }
        guard try writer.count(in: Meta.keyspace) == 0 else {
            // Another thread has made the store in the meantime.
            writer.end()
            guard let found = try read(engine, schema) else { throw Meta.damaged(Meta.format) }
            return found
        }
        try Meta.write(
            Meta.magic + withUnsafeBytes(of: Meta.formatVersion.littleEndian) { Array($0) }, Meta.format, writer)
        try Meta.write(schema.json(), Meta.schema, writer)
        try Meta.write(Array(schema.fingerprint.utf8), Meta.fingerprint, writer)
        try Meta.write(catalog.json(), Meta.catalog, writer)
        try Meta.write(Meta.State(transactionNumber: 0), writer)
        try writer.commit()
        return (schema, catalog, 0)
    }

    /// The engine's data about the store; nil if the engine is empty.
    private static func read(
        _ engine: any OrderedKeyValueEngine, _ schema: Schema
    ) throws -> (Schema, StoredCatalog, UInt64)? {
        guard let found = try description(engine) else { return nil }
        guard found.schema.fingerprint == schema.fingerprint else { throw schema.mismatch(with: found.schema) }
        try engine.prepare(keyspaces: found.catalog.keyspaces)
        if found.catalog.dropped != nil { LongWork.current?.noteDroppedIndexes() }
        return (schema.adoptingIDs(from: found.schema), found.catalog, found.state.schemaNumber)
    }

    /// The schema of the store in an engine.
    ///
    /// - Throws: `notAStore` if the engine is empty, `newerFormat`, `corrupt`.
    package static func storedSchema(_ engine: any OrderedKeyValueEngine) throws -> Schema {
        try engine.prepare(keyspaces: [Meta.keyspace])
        guard let found = try description(engine) else {
            throw GranaryError(
                .notAStore, "The \(engine.kind) engine is empty. Open it with a schema first.")
        }
        return found.schema
    }

    /// A store's data about itself.
    struct Description {
        var schema: Schema
        var catalog: StoredCatalog
        var state: Meta.State
    }

    /// The description of the store in an engine; nil if the engine is empty.
    static func description(_ engine: any OrderedKeyValueEngine) throws -> Description? {
        let reader = try engine.beginRead()
        defer { reader.end() }
        return try description(reader, engine.kind)
    }

    static func description(_ reader: any KeyValueReader, _ kind: String) throws -> Description? {
        guard let format = try Meta.read(Meta.format, reader) else {
            guard try reader.count(in: Meta.keyspace) == 0 else {
                throw GranaryError(
                    .notAStore, "The \(kind) file holds data that is not Granary's. Use another path.")
            }
            return nil
        }
        guard format.starts(with: Meta.magic), format.count == Meta.magic.count + 8 else {
            throw GranaryError(.notAStore, "The \(kind) file holds data that is not Granary's. Use another path.")
        }
        let version = format.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard version <= Meta.formatVersion else {
            throw GranaryError.newerFormat(of: "The store", version, newest: Meta.formatVersion)
        }
        guard let json = try Meta.read(Meta.schema, reader), let catalogJSON = try Meta.read(Meta.catalog, reader)
        else {
            throw Meta.damaged(Meta.schema)
        }
        let schema = try Schema(json: json)
        try schema.validate()
        return Description(
            schema: schema, catalog: try StoredCatalog(json: catalogJSON), state: try Meta.readState(reader))
    }
}
