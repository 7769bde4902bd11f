import GranaryStoreKit

extension KeyValueStore {
    /// The places in the engine of one entity's data: for tests that damage it.
    package struct Places {
        package var rows: Keyspace
        /// The keyspaces of the indexes, in the order of the entity's list.
        package var entries: [Keyspace]
        /// The key of the counter of assigned keys, in ``ownKeyspace``.
        package var counter: [UInt8]
    }

    /// The keyspace in which a store describes itself.
    package static var ownKeyspace: Keyspace { Meta.keyspace }

    /// - Throws: `unknownEntity`.
    package func places(of entity: String) throws -> Places {
        let table = try base.table(schema.position(ofEntity: entity))
        return Places(
            rows: table.keyspace, entries: table.indexes.map(\.keyspace),
            counter: Array(Meta.counter(table.entity.id).utf8))
    }
}
