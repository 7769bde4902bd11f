import GranaryStoreKit

extension KeyValueStore {
    /// Reads what the engine holds about the store, or writes it for a new one, and prepares every keyspace.
    static func load(_ engine: any OrderedKeyValueEngine, _ schema: Schema) throws -> (Schema, Catalog) {
        try engine.prepare(keyspaces: [Meta.keyspace])
        if let found = try read(engine, schema) { return found }
        let catalog = Catalog(schema)
        try engine.prepare(keyspaces: catalog.keyspaces)
        let writer = try engine.beginWrite()
        defer { writer.end() }
        guard try writer.count(in: Meta.keyspace) == 0 else {
            // Another thread made it meanwhile.
            writer.end()
            guard let found = try read(engine, schema) else { throw Meta.damaged(Meta.format) }
            return found
        }
        try Meta.write(
            Meta.magic + withUnsafeBytes(of: Meta.formatVersion.littleEndian) { Array($0) }, Meta.format, writer)
        try Meta.write(schema.json(), Meta.schema, writer)
        try Meta.write(Array(schema.fingerprint.utf8), Meta.fingerprint, writer)
        try Meta.write(catalog.json(), Meta.catalog, writer)
        try Meta.write(0, Meta.transactionNumber, writer)
        try writer.commit()
        return (schema, catalog)
    }

    /// What the engine holds; nil if it is empty.
    private static func read(_ engine: any OrderedKeyValueEngine, _ schema: Schema) throws -> (Schema, Catalog)? {
        let reader = try engine.beginRead()
        defer { reader.end() }
        guard let format = try Meta.read(Meta.format, reader) else {
            guard try reader.count(in: Meta.keyspace) == 0 else {
                throw GranaryError(
                    .notAStore, "The \(engine.kind) file holds data that is not Granary's. Use another path.")
            }
            return nil
        }
        guard format.starts(with: Meta.magic), format.count == Meta.magic.count + 8 else {
            throw GranaryError(
                .notAStore, "The \(engine.kind) file holds data that is not Granary's. Use another path.")
        }
        let version = format.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard version <= Meta.formatVersion else {
            throw GranaryError(
                .newerFormat,
                "The store has format \(version); this version of Granary reads up to \(Meta.formatVersion). Use a newer one."
            )
        }
        guard let json = try Meta.read(Meta.schema, reader), let catalogJSON = try Meta.read(Meta.catalog, reader)
        else {
            throw Meta.damaged(Meta.schema)
        }
        let stored = try Schema(json: json)
        guard stored.fingerprint == schema.fingerprint else { throw schema.mismatch(with: stored) }
        let catalog = try Catalog(json: catalogJSON)
        reader.end()
        try engine.prepare(keyspaces: catalog.keyspaces)
        return (schema.adoptingIDs(from: stored), catalog)
    }
}
