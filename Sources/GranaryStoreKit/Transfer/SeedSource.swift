/// What a store is made from where there is none: as a ``Seed`` passed to a stack as `seed:`, and used again when the stack is
/// reset.
///
/// ```swift
/// let stack = try await Stack(schema, store: .sqlite(at: url), seed: .store(.lmdb(at: bundled, access: .readOnly)))
/// ```
///
/// A seed is used only where the store does not exist. The store is created whole with all that the seed holds, or not at all.
public protocol SeedSource: Sendable {
    /// Looks at the seed, and returns what a store of a schema is to be filled with. Called before anything is created. Blocks.
    ///
    /// - Throws: `notAStore` if there is no seed; `newerFormat`, `corrupt`; `schemaMismatch` if it cannot be brought to the
    ///   schema.
    func contents(for schema: Schema) throws -> StoreContents
}

/// A ``SeedSource`` as it is passed on: `.store(provider)`. A module that knows further kinds of seed adds a static function.
public struct Seed: SeedSource {
    private let source: any SeedSource

    public init(_ source: some SeedSource) { self.source = source }

    /// A store of any kind whose schema can be read from it.
    ///
    /// Its records and its assigned keys are copied, not its history. It is not changed: open it with `access: .readOnly`
    /// where it lies in a folder that is not to be written to. If it was made for an older schema its records are converted
    /// on the way, as far as each change of the schema is one that is made on opening a store.
    public static func store(_ provider: some StoreProvider) -> Seed { Seed(SeedStore(provider: provider)) }

    public func contents(for schema: Schema) throws -> StoreContents { try source.contents(for: schema) }
}

/// A store as a seed.
private struct SeedStore: SeedSource {
    let provider: any StoreProvider

    func contents(for schema: Schema) throws -> StoreContents {
        guard try provider.exists() != false else {
            throw GranaryError(
                .notAStore, "The seed does not exist. Check its path; the store was not created, or stays as it is.")
        }
        let mapping = try reading { try RowMapping(from: $0.schema, to: schema) }
        return StoreContents { new, old in try reading { try copy($0, mapping, new, old) } }
    }

    private func copy(
        _ source: any StoreReader, _ mapping: RowMapping, _ new: any Store, _ old: (any StoreReader)?
    ) throws {
        var transfer = try StoreTransfer(from: source, into: new)
        transfer.keepsHistory = false
        transfer.transactionNumber = (old?.transactionNumber ?? 0) + 1
        if !mapping.isIdentity {
            transfer.convert = { row, entity, output in try mapping.convert(row, entity, output) }
            // Those of the seed hold.
            transfer.checksReferences = false
        }
        transfer.lastAssignedKeys = try mapping.lastAssignedKeys(of: source)
        if let old { try transfer.raiseAssignedKeys(to: old) }
        try transfer.run()
    }

    private func reading<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        let store = try provider.openStored()
        do {
            let reader = try store.beginRead(CancellationFlag())
            defer { reader.end() }
            let result = try body(reader)
            reader.end()
            try store.close()
            return result
        } catch {
            try? store.close()
            throw error
        }
    }
}
