import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryPlatform

/// A store over the suite's reference model: slow, in memory, plain. The suite runs on it so that the reference is held
/// to the hand-written cases, and stores broken on purpose are made from it.
struct ReferenceProvider: StoreProvider {
    let path: String
    let shelf: ReferenceShelf

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        ReferenceStore(try shelf.open(schema, path), shelf: shelf, path: path)
    }

    /// A subject with stores of its own.
    static func subject() -> ConformanceSubject {
        let shelf = ReferenceShelf()
        return ConformanceSubject("reference", capabilities: []) { path, _ in
            ReferenceProvider(path: path, shelf: shelf)
        }
    }
}

/// The stores that are open, by path.
final class ReferenceShelf: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var open: [String: (store: ReferenceContents, users: Int)] = [:]

    func open(_ schema: Schema, _ path: String) throws -> ReferenceContents {
        if path.isEmpty { throw GranaryError(.invalidPath, "The path is empty. Give one.") }
        return try lock.withLock {
            if let (store, users) = open[path] {
                let stored = store.schema
                guard stored.fingerprint == schema.fingerprint else { throw schema.mismatch(with: stored) }
                guard stored.entities == schema.entities else { throw GranaryError.openInAnotherOrder(path) }
                open[path] = (store, users + 1)
                return store
            }
            let store = ReferenceContents(schema)
            open[path] = (store, 1)
            return store
        }
    }

    func close(_ path: String) {
        lock.withLock {
            guard let (store, users) = open[path] else { return }
            open[path] = users == 1 ? nil : (store, users - 1)
        }
    }
}

/// The committed state of one store, and whose turn it is to write.
final class ReferenceContents: Sendable {
    let schema: Schema
    let coordinator = StoreCoordinator()
    private let lock = Lock()
    private let turn = WriterTurn()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var committed: Committed

    struct Committed {
        var state: ReferenceState
        var number: UInt64 = 0
        var history: [HistoryEntry] = []
    }

    init(_ schema: Schema) {
        self.schema = schema
        committed = Committed(state: ReferenceState(schema))
    }

    var newest: Committed { lock.withLock { committed } }

    /// - Throws: `reentrantWrite` if this thread has the turn already.
    func takeTurn() throws { try turn.take() }

    /// Ends the turn, with what was committed if anything was.
    func endTurn(_ new: Committed?) {
        if let new { lock.withLock { committed = new } }
        turn.give()
    }
}

/// It writes no more of the protocol than it must: so the suite tries what a store has by default, `verify` above all.
final class ReferenceStore: Store {
    let schema: Schema
    var coordinator: StoreCoordinator { contents.coordinator }
    private let contents: ReferenceContents
    private let shelf: ReferenceShelf
    private let path: String

    init(_ contents: ReferenceContents, shelf: ReferenceShelf, path: String) {
        self.contents = contents
        self.shelf = shelf
        self.path = path
        self.schema = contents.schema
    }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        ReferenceReader(contents.newest, cancellation)
    }

    func beginWrite() throws -> any StoreWriter {
        try contents.takeTurn()
        return ReferenceWriter(contents)
    }

    func close() throws { shelf.close(path) }
}
