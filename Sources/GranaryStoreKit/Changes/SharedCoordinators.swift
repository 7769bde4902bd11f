import GranaryPlatform

/// The coordinators of the stores that this process has open over one engine.
///
/// A change set names entities and attributes by position, so stores share one only if their schemas are the same to the
/// order of declaration. Others find each other's commits as they find those of another process.
public final class SharedCoordinators: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var known: [(schema: Schema, coordinator: StoreCoordinator)] = []

    /// A reset replaces the contents of all of them.
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
