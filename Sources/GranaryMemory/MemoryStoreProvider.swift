public import GranaryStoreKit
import GranaryKeyValue

/// Opens stores in memory: `.inMemory`, `.inMemory(named:)`.
public struct MemoryStoreProvider: StoreProvider {
    /// Nil for stores without a name.
    let store: NamedStore?

    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try open(schema, migration, nil)
    }

    public func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try open(schema, migration, contents)
    }

    private func open(_ schema: Schema, _ policy: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        if let store { return try store.open(schema, policy, contents) }
        let store = try KeyValueStore(engine: MemoryEngine(), schema: (contents?.schema ?? schema).forNewStore)
        try contents?.fill(store)
        return try store.answeringSearches()
    }

    /// The engine of the named store; nil if the store does not exist. For tests that damage it.
    package var engine: MemoryEngine? { store?.liveEngine }

    public func exists() throws -> Bool? { store?.exists ?? false }

    /// Removes the named store. No stack may have it open.
    public func destroy() throws {
        guard let store else {
            throw GranaryError(
                .notAStore, "A store in memory that has no name goes with its stack. Close the stack instead.")
        }
        try store.destroy()
    }

    /// Opens this process's store with the name.
    public func openStored() throws -> any Store {
        guard let store else {
            throw GranaryError(.notAStore, "A store in memory that has no name is always a new one. Pass a schema.")
        }
        return try store.open(nil, .refuse, nil)
    }

    /// Throws `unsupported`: a store in memory cannot be moved.
    public func moveAside() throws -> String {
        throw GranaryError(
            .unsupported,
            "A store in memory cannot be moved aside. Choose another migration policy, or open a store with another name."
        )
    }
}

extension StoreProvider where Self == MemoryStoreProvider {
    /// A store in memory that only this stack uses. It is gone when the stack is closed. Each test can have its own.
    public static var inMemory: Self { MemoryStoreProvider(store: nil) }

    /// A store in memory that all stacks of this process share if they open it by the same name.
    ///
    /// ```swift
    /// let provider = MemoryStoreProvider.inMemory(named: "cache")
    /// try await Stack(schema, store: provider).close()
    /// let again = try await Stack(schema, store: provider)    // has the records
    /// ```
    ///
    /// Its records exist as long as a stack has it open, or a provider with the name exists. Opening it with another
    /// schema works as for stores on disk: see ``/Granary/MigrationPolicy``; ``/Granary/MigrationPolicy/moveAside``
    /// throws `unsupported` if it would have to move the store.
    public static func inMemory(named name: String) -> Self { MemoryStoreProvider(store: .named(name)) }
}
