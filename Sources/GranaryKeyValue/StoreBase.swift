import GranaryPlatform
import GranaryStoreKit

/// What the transactions of a ``KeyValueStore`` need to know of it. Sessions that wait for their next read hold this and not
/// the store, which holds them.
final class StoreBase: Sendable {
    let kind: String
    let schema: Schema
    let capabilities: Capabilities
    let coordinator: StoreCoordinator
    let tables: ContiguousArray<Table>
    /// How often the stored schema had been changed when the store was opened: if a transaction finds another number,
    /// the schema has been changed since.
    let schemaNumber: UInt64
    /// The greatest number of attributes and of indexes of any entity, for the size of working memory.
    let cellCount: Int
    let indexCount: Int
    /// The tables once more, for reads, which would otherwise count a reference to one: threads would take the count from each
    /// other.
    // Never changed.
    nonisolated(unsafe) private let places: UnsafeMutableBufferPointer<Unmanaged<Table>>

    init(
        _ kind: String, _ schema: Schema, _ capabilities: Capabilities, _ coordinator: StoreCoordinator,
        _ tables: ContiguousArray<Table>, schemaNumber: UInt64
    ) {
        (self.kind, self.schema, self.capabilities, self.coordinator) = (kind, schema, capabilities, coordinator)
        (self.tables, self.schemaNumber) = (tables, schemaNumber)
        cellCount = (tables.map(\.layout.cellCount).max() ?? 0) + 1
        indexCount = tables.map(\.indexes.count).max() ?? 0
        places = .allocate(capacity: tables.count)
        _ = places.initialize(from: tables.map { Unmanaged.passUnretained($0) })
    }

    deinit { places.deallocate() }

    func table(_ number: Int) throws -> Table { try withTable(number) { $0 } }

    /// Runs a body with a table, without counting a reference to it.
    @inline(__always) func withTable<T>(_ number: Int, _ body: (Table) throws -> T) throws -> T {
        guard number >= 0 && number < places.count else { throw GranaryError.noEntity(at: number) }
        return try places[number]._withUnsafeGuaranteedRef { try body($0) }
    }
}
