import GranaryPlatform
import Synchronization

/// A store that several stacks of one process have open: each holds a share, and the store itself is closed with the
/// last share.
///
/// If its files can be replaced, it changes to the new files when the next transaction begins: see ``LiveGeneration``.
package final class SharedStore: Store {
    package let kind: String
    package let schema: Schema
    package let capabilities: Capabilities
    package let coordinator: StoreCoordinator

    private let files: Files?
    /// How often the files were replaced. Never, if they cannot be.
    private let replacements: ReplacementCount
    /// The store over the newest files that it has opened: one of those in `opened`, so that a transaction begins without a
    /// lock, and without counting a reference, which threads would take from each other.
    private let newest: Atomic<Unmanaged<Opened>>
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var opened: [Opened]
    /// Gives up the share; nil afterwards. Objects that it holds need not outlive the share.
    nonisolated(unsafe) private var release: (@Sendable () throws -> Void)?

    /// A store, and the number of replacements of the files before it was opened. Kept as long as the shared store, because a
    /// transaction may be beginning on it when the files are replaced.
    private final class Opened: Sendable {
        let store: any Store
        let number: Int

        init(_ store: any Store, _ number: Int) { (self.store, self.number) = (store, number) }

        func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader { try store.beginRead(cancellation) }
    }

    /// The parts of a ``LiveGeneration`` that do not depend on its engine.
    private final class Files: Sendable {
        let replacements: ReplacementCount
        let requirePlace: @Sendable () throws -> Void
        let open: @Sendable () throws -> any Store
        let compact: @Sendable () throws -> Void
        let replace: @Sendable (StoreContents) throws -> Void
        let copy: @Sendable (_ path: String) throws -> Void

        init(
            _ replacements: ReplacementCount, requirePlace: @escaping @Sendable () throws -> Void,
            open: @escaping @Sendable () throws -> any Store, compact: @escaping @Sendable () throws -> Void,
            replace: @escaping @Sendable (StoreContents) throws -> Void,
            copy: @escaping @Sendable (_ path: String) throws -> Void
        ) {
            (self.replacements, self.requirePlace, self.open) = (replacements, requirePlace, open)
            (self.compact, self.replace, self.copy) = (compact, replace, copy)
        }
    }

    /// A store whose files are never replaced.
    ///
    /// - Parameter release: Gives up one share; called once.
    package convenience init(_ store: any Store, release: @escaping @Sendable () throws -> Void) {
        self.init(store, number: 0, nil, release)
    }

    /// A store over the live generation of its files.
    ///
    /// - Parameters:
    ///   - build: Makes a new store in an empty folder.
    ///   - open: Makes the store over an open engine.
    ///   - release: Gives up one share; called once.
    convenience init<Engine: GenerationEngine>(
        _ live: LiveGeneration<Engine>, _ external: ExternalFiles, _ build: FolderStores<Engine>.Build?,
        open: @escaping @Sendable (Engine) throws -> any Store,
        release: @escaping @Sendable () throws -> Void
    ) throws {
        let files = Files(live.replacements) {
            try live.requirePlace()
        } open: {
            try open(live.current())
        } compact: {
            try live.replaceGeneration { try $0.copyCompacted(into: $1) }
        } replace: { contents in
            while true {
                // Opened before writers must wait, because opening may write.
                let engine = try live.current()
                let store = try open(engine)
                var isOvertaken = false
                do {
                    return try live.replaceGeneration(
                        build: { current, path in
                            isOvertaken = current !== engine
                            if isOvertaken { throw CancellationError() }
                            let old = try store.beginRead(CancellationFlag())
                            defer { old.end() }
                            try buildStore(build, in: path, contents.schema ?? store.schema, replacing: engine) {
                                try contents.fill($0, replacing: old)
                            }
                        }, wentLive: contents.didGoLive)
                } catch {
                    guard isOvertaken else { throw error }
                }
            }
        } copy: { path in
            try live.copy(to: path, external)
        }
        let (store, number) = try files.replacements.retrying { (try files.open(), $0) }
        self.init(store, number: number, files, release)
    }

    private init(_ store: any Store, number: Int, _ files: Files?, _ release: @escaping @Sendable () throws -> Void) {
        kind = store.kind
        schema = store.schema
        capabilities = store.capabilities
        coordinator = store.coordinator
        let first = Opened(store, number)
        opened = [first]
        newest = Atomic(Unmanaged.passUnretained(first))
        self.release = release
        self.files = files
        replacements = files?.replacements ?? ReplacementCount()
    }

    package var location: String? { newestStore.location }

    package func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        try onCurrentFiles { try $0.beginRead(cancellation) }
    }

    package func beginWrite() throws -> any StoreWriter { try onCurrentFiles { try $0.store.beginWrite() } }
    package func beginWrite(_ durability: Durability) throws -> any StoreWriter {
        try onCurrentFiles { try $0.store.beginWrite(durability) }
    }
    /// Refuses to commit if the store's folder is no longer at its path. Called by the owner of the turn to write,
    /// before it commits.
    ///
    /// - Throws: `invalidPath`.
    package func requirePlace() throws { try files?.requirePlace() }

    package func synchronize() throws { try onCurrentFiles { try $0.store.synchronize() } }
    package func verify() throws -> [String] { try onCurrentFiles { try $0.store.verify() } }

    package func compact() throws {
        guard let files else { return try newestStore.compact() }
        try replacing { try files.compact() }
    }

    package func replaceContents(with contents: StoreContents) throws {
        guard let files else { return try newestStore.replaceContents(with: contents) }
        try replacing { try files.replace(contents) }
        // If a file cannot be removed now, the next opening removes it.
        LongWork.afterTheEnd { try? (newestStore as? ExternalStore)?.removeUnused(all: true) }
    }

    private func replacing(_ body: () throws -> Void) throws {
        // Another process may have changed the schema since this store was opened: then reading throws.
        try onCurrentFiles { try $0.store.beginRead(CancellationFlag()).end() }
        try body()
        // Opened now and not by the next transaction, so that an error is known at once.
        do {
            try LongWork.afterTheEnd { try onCurrentFiles { _ in } }
        } catch {
            // The store was replaced again, which the caller must know.
            let code = (error as? GranaryError)?.code
            throw code == .generationGone || code == .schemaMismatch
                ? error : GranaryError.replaced(butNotOpened: error)
        }
    }

    package func rebuildIndexes() throws { try onCurrentFiles { try $0.store.rebuildIndexes() } }
    package func removeDroppedIndexes() throws { try onCurrentFiles { try $0.store.removeDroppedIndexes() } }

    package func foreignReads() -> [ForeignRead] { newestStore.foreignReads() }
    package func foreignBlockage() -> Duration? { newestStore.foreignBlockage() }

    package func backUp(to path: String) throws {
        guard let files else { return try newestStore.backUp(to: path) }
        let uses = try onCurrentFiles { try ($0.store as? ExternalStore)?.requireFiles() }
        try files.replacements.retrying { _ in try files.copy(path) }
        // The backup is complete. With a marker its first opening compares its files with its rows, which is not needed
        // if nothing was committed since its files were counted.
        if let uses, (try? lastCommit()) == uses.number {
            try? ExternalFiles.removeMarkers(inStoreAt: path, ifContentsAre: uses.files)
        }
    }

    private func lastCommit() throws -> UInt64 {
        let reader = try beginRead(CancellationFlag())
        defer { reader.end() }
        return reader.transactionNumber
    }

    /// The store over the current files, for copies made by the engine's own means. It is closed with the last share.
    /// After the files are replaced, a transaction on it throws.
    func current() throws -> any Store { try onCurrentFiles { $0.store } }

    /// Runs a body with the store over the current files.
    private func onCurrentFiles<T>(_ body: (Opened) throws -> T) throws -> T {
        try replacements.retrying { number in
            let known = newest.load(ordering: .acquiring)
            let isNewest = known._withUnsafeGuaranteedRef { $0.number >= number }
            return try (isNewest ? known : open(number))._withUnsafeGuaranteedRef { try body($0) }
        }
    }

    private var newestStore: any Store { newest.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.store } }

    /// Opens the store over the files after a number of replacements, unless another thread has.
    @inline(never) private func open(_ number: Int) throws -> Unmanaged<Opened> {
        try lock.withLock {
            let known = newest.load(ordering: .acquiring)
            guard let files, known._withUnsafeGuaranteedRef({ $0.number < number }) else { return known }
            let store = try files.open()
            guard store.schema.fingerprint == schema.fingerprint else { throw GranaryError.schemaReplaced }
            let new = Opened(store, number)
            opened.append(new)
            newest.store(Unmanaged.passUnretained(new), ordering: .releasing)
            return Unmanaged.passUnretained(new)
        }
    }

    package func close() throws {
        let release = lock.withLock {
            defer { self.release = nil }
            return self.release
        }
        guard let release else { return }
        // If a file cannot be removed now, the next opening removes it.
        try? (newestStore as? ExternalStore)?.removeUnused()
        try release()
    }
}
