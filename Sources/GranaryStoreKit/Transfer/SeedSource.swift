/// The source of a new store: a ``Seed`` is passed to a stack as `seed:`, and used again when the stack is reset.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url), seed: .store(.lmdb(at: bundled, options: .readOnly)))
/// ```
///
/// A seed is used only if the store does not exist. The store is created with all contents of the seed, or not at all.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `contents` | changes neither the seed nor the store; throws errors that would prevent the use of the seed, as far as they can be detected |
/// | its result | fills an empty store of the schema with all records of the seed, each time it is used |
public protocol SeedSource: Sendable {
    /// Examines the seed, and returns the contents for a store of a schema. Called before anything is created. Blocks.
    ///
    /// - Parameters:
    ///   - schema: The schema of the store that is filled.
    ///   - migration: The policy for a seed that was made for another schema.
    /// - Throws: `notAStore` if the seed does not exist; `newerFormat`, `corrupt`; `schemaMismatch` if it cannot be
    ///   migrated to the schema.
    func contents(for schema: Schema, migration: MigrationPolicy) throws -> StoreContents
}

/// A ``SeedSource`` for the parameter `seed:`, such as `.store(provider)`. Modules with further kinds of seed add
/// static functions.
public struct Seed: SeedSource {
    private let source: any SeedSource

    public init(_ source: some SeedSource) { self.source = source }

    /// A store of any kind that keeps its schema.
    ///
    /// Its records and its assigned keys are copied, not its history. It is not changed: open it with
    /// `access: .readOnly` if its folder must not be written to. If it was made for an older schema, its records are
    /// converted like those of a migrated store: as far as the stack's migration policy allows, and with the steps of
    /// its plan that the seed has not applied. If a plan reaches a third schema in between, migrate the seed itself:
    /// open it once.
    ///
    /// A seed of the new store's kind and schema is copied in the engine's own form, which is the fastest way: SQLite
    /// copies pages, LMDB copies the entries of tables and indexes. Every record is read once, with its checksum if it
    /// has one; SQLite also checks the structure of every page, LMDB compares the indexes with the records. Indexes of
    /// an SQLite seed are not compared with its records.
    ///
    /// All other seeds are copied record by record, and the indexes are made anew. These are seeds of another kind or
    /// schema, with external attributes, or with damage that the checks find. For SQLite, they are also seeds with a
    /// history, other `rowChecksums`, tables of other programs, or more than a quarter of free space.
    public static func store(_ provider: some StoreProvider) -> Seed { Seed(SeedStore(provider: provider)) }

    public func contents(for schema: Schema, migration: MigrationPolicy) throws -> StoreContents {
        try source.contents(for: schema, migration: migration)
    }
}

/// A reader of a store that may take the contents of another seed while it is open: then the schema stays the same and
/// does not show which seed the store was made from.
package protocol SeedReading: StoreReader {
    func seed() throws -> SeedIdentity?
}

/// A store as a seed.
private struct SeedStore: SeedSource {
    let provider: any StoreProvider

    func contents(for schema: Schema, migration policy: MigrationPolicy) throws -> StoreContents {
        guard try provider.exists() != false else {
            throw GranaryError(
                .notAStore, "The seed does not exist. Check its path; the store was not created, or stays as it is.")
        }
        let identity = try opened { seed in
            _ = try SeedStore.migration(seed, to: schema, policy)
            return try SeedStore.identity(of: seed)
        }
        var contents = StoreContents { new, old in
            try opened { seed in
                // Another seed may be in its place by now.
                let migration = try SeedStore.migration(seed, to: schema, policy)
                try migration.requireSteps(for: new)
                if try migration.take(seed, into: new, replacing: old) { return }
                try migration.fill(new, from: seed) { transfer in
                    transfer.keepsHistory = false
                    transfer.transactionNumber = try StoredCount.next(after: old?.transactionNumber ?? 0)
                    transfer.lastAssignedKeys = try migration.lastAssignedKeys(of: transfer.source)
                    if let old { try transfer.raiseAssignedKeys(to: old) }
                }
            }
        }
        contents.seed = identity
        return contents
    }

    /// The number of first and last records of each entity that are examined.
    private static let sample = 100

    /// Identifies a store by its schema, the number of its last commit, its number of records, and some of these. A
    /// commit changes the identity, so not all records need to be read.
    private static func identity(of seed: any Store) throws -> SeedIdentity {
        let reader = try seed.beginRead(LongWork.current?.cancellation ?? CancellationFlag())
        defer { reader.end() }
        var parts = ["\(reader.transactionNumber)"]
        var sum = StoreTransfer.Sum()
        for (number, entity) in reader.schema.entities.enumerated() {
            parts.append("\(try reader.count(FetchRequest(entity: number)))")
            for isDescending in [false, true] {
                let order = FetchRequest.OrderTerm(position: entity.keyPosition, isDescending: isDescending)
                let request = FetchRequest(entity: number, order: isDescending ? [order] : [], limit: sample)
                let rows = try reader.rows(request)
                defer { withExtendedLifetime(rows) {} }
                while let row = try rows.next() { sum.add(row) }
            }
        }
        parts.append(String(sum.checksum, radix: 16))
        return SeedIdentity(kind: "store", schema: seed.schema.fingerprint, content: parts.joined(separator: " "))
    }

    private static func migration(
        _ seed: any Store, to schema: Schema, _ policy: MigrationPolicy
    ) throws -> SchemaMigration {
        do {
            return try SchemaMigration(copying: seed.schema, to: schema, policy)
        } catch var error as GranaryError where error.code == .schemaMismatch {
            error.message = "The seed cannot be used. \(error.message)"
            throw error
        }
    }

    private func opened<T>(_ body: (any Store) throws -> T) throws -> T {
        let store = try provider.openStored()
        do {
            let result = try body(store)
            try store.close()
            return result
        } catch {
            try? store.close()
            throw error
        }
    }
}
