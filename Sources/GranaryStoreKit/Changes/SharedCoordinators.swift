import GranaryPlatform

/// The coordinators of the stores that this process has open over one engine.
///
/// A change set identifies entities and attributes by position, so stores share a coordinator only if their schemas are
/// the same, including the order of declaration. Other stores find each other's commits like those of another process.
public final class SharedCoordinators: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var known: [(schema: Schema, coordinator: StoreCoordinator)] = []

    /// A reset replaces the contents of all these stores.
    private let generations = GenerationCounter()

    public init() {}

    /// The coordinator of the stores with this schema; made for the first of them.
    public func coordinator(for schema: Schema) -> StoreCoordinator {
        lock.withLock {
            if let found = known.first(where: { $0.schema == schema }) { return found.coordinator }
            let made = StoreCoordinator(generations)
            known.append((schema, made))
            return made
        }
    }
}
