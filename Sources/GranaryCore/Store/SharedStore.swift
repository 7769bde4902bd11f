/// A store that several stacks of one process have open: each holds one of these, and the store itself is closed when the
/// last of them is.
package final class SharedStore: Store {
    private let store: any Store
    private let release: @Sendable () throws -> Void
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isReleased = false

    /// - Parameter release: Gives up one share; called once.
    package init(_ store: any Store, release: @escaping @Sendable () throws -> Void) {
        self.store = store
        self.release = release
    }

    package var kind: String { store.kind }
    package var schema: Schema { store.schema }
    package var capabilities: Capabilities { store.capabilities }
    package var location: String? { store.location }
    package var coordinator: StoreCoordinator { store.coordinator }

    package func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        try store.beginRead(cancellation)
    }

    package func beginWrite() throws -> any StoreWriter { try store.beginWrite() }
    package func verify() throws -> [String] { try store.verify() }

    package func close() throws {
        let isFirst = lock.withLock {
            defer { isReleased = true }
            return !isReleased
        }
        if isFirst { try release() }
    }
}
