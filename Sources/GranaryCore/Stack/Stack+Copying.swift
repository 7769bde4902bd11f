import Foundation
import GranaryPlatform

extension Stack {
    /// Copies the newest committed state into a new store of any kind, while reads and writes go on: records, links and
    /// their order, assigned keys, history, the schema and the number of the last commit.
    ///
    /// ```swift
    /// try await stack.copy(to: .lmdb(at: url))
    /// let scratch = try await stack.copy(to: .inMemory)
    /// ```
    ///
    /// Each row is read once and written once. What was written is then read again and compared by count and checksum
    /// before the copy appears. If the copy fails or is cancelled, or the process is killed, no copy exists.
    ///
    /// - Parameters:
    ///   - provider: The kind and the place of the copy.
    ///   - onProgress: Called now and then, on a thread of the stack's own.
    /// - Returns: A stack on the copy, which is closed when it is released.
    /// - Throws: `invalidPath` if a store exists there already, or the place is inside a store; `unsupported` if that
    ///   kind of store cannot be filled; `limit` if it cannot hold the data of this one; `full`, `corrupt`, `closed`,
    ///   `cancelled`.
    @discardableResult public func copy(
        to provider: some StoreProvider, onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) async throws -> Stack {
        try await longWork(on: readers, isRead: true, onProgress) { [self] work in try copyNow(to: provider, work) }
    }

    private func copyNow(to provider: some StoreProvider, _ work: LongWork) throws -> Stack {
        guard try provider.exists() != true else { throw GranaryError.placeTaken("the place of the copy") }
        let isMade = CancellationFlag()
        let schema = try newestSchema()
        let contents = StoreContents(schema: schema) { [store] new, _ in
            let reader = try store.beginRead(work.cancellation)
            defer { reader.end() }
            try StoreTransfer(from: reader, into: new).run()
            isMade.set()
        }
        let copy = try provider.open(schema, migration: .refuse, contents: contents)
        guard isMade.isSet else {
            try copy.close()
            throw GranaryError.placeTaken("the place of the copy")
        }
        return Stack(
            store: copy, recordTypes, copy.capabilities.has(.history) ? history : .none, longestRead, groupCommit,
            limits, eyes)
    }

    /// Copies the newest committed state into a store of the same kind, in a folder that does not exist yet, while
    /// reads and writes go on. It uses the engine's own copy function, which is the fastest way. The copy of an SQLite
    /// store also contains the store's free space.
    ///
    /// ```swift
    /// try await stack.backUp(to: url)
    /// ```
    ///
    /// If it fails, the task is cancelled, or the process is killed, no store exists at the URL.
    ///
    /// - Parameters:
    ///   - url: The folder of the new store. It must not exist.
    ///   - onProgress: Called now and then, on a thread of the stack's own, with the number of copied entries or pages.
    /// - Throws: `invalidPath` if there is something at the URL, or its parent does not exist; `unsupported` for a
    ///   store without files, which ``copy(to:onProgress:)`` can copy; `full`, `io`, `corrupt`, `closed`, `cancelled`.
    public func backUp(
        to url: URL, onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) async throws {
        guard url.isFileURL else {
            throw GranaryError(.invalidPath, "The URL of the backup names no file. Give a file URL.")
        }
        try await longWork(on: readers, isRead: true, onProgress) { [self] _ in try store.backUp(to: url.path) }
    }

    /// Writes all records of the newest committed state in a form that other programs read, while reads and writes go
    /// on: `.sqliteFile(at:)` of `GranarySQLite`.
    ///
    /// ```swift
    /// try await stack.export(to: .sqliteFile(at: url))
    /// ```
    ///
    /// Records are read and written one after the other. The file is written as a whole, or not at all. Use
    /// `export(_:to:with:)` to export the records of one query.
    ///
    /// - Parameters:
    ///   - target: The place and the form of the output.
    ///   - onProgress: Called now and then, on a thread of the stack's own.
    /// - Throws: `invalidPath` if something exists there already, the folder does not exist, or it belongs to a store;
    ///   `full`, `io`,
    ///   `corrupt`, `closed`, `cancelled`.
    public func export(
        to target: some StoreExport, onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) async throws {
        try await longWork(on: readers, isRead: true, onProgress) { [store] work in
            let reader = try store.beginRead(work.cancellation)
            defer { reader.end() }
            try target.write(reader)
        }
    }

    /// Checks pages, rows and their checksums, indexes against rows, references, uniqueness, and the schema, on a
    /// thread of the stack's own. Returns one line for each fault; empty if there are no faults. After the first
    /// hundred faults, and after the first hundred files of external values, a line gives the number of further ones.
    /// Reads and writes go on, and nothing is changed.
    ///
    /// ```swift
    /// let faults = try await stack.verify()
    /// ```
    ///
    /// - Parameter onProgress: Called now and then while records are read, on a thread of the stack's own.
    /// - Throws: `cancelled` if the task is cancelled; `busy`, `closed`. Damage is not thrown, but returned.
    public func verify(onProgress: (@Sendable (StoreProgress) -> Void)? = nil) async throws -> [String] {
        try await longWork(on: readers, isRead: true, onProgress) { [self] _ in try store.verify() }
    }

    /// Makes all indexes anew from the records, in one transaction: a repair if ``verify(onProgress:)`` finds faults
    /// only in indexes. No record changes.
    ///
    /// ```swift
    /// try await stack.rebuildIndexes()
    /// ```
    ///
    /// - Parameter onProgress: Called now and then, on a thread of the stack's own, with the number of records whose
    ///   entries are made, separately for each index. An SQLite store reports all records of an entity at once.
    /// - Throws: `uniqueness` if records have equal values of a unique index; `busy`, `readOnly`, `full`, `corrupt`,
    ///   `closed`, `cancelled`. Nothing has changed then.
    public func rebuildIndexes(onProgress: (@Sendable (StoreProgress) -> Void)? = nil) async throws {
        try await longWork(on: writers, onProgress) { [self] _ in try store.rebuildIndexes() }
    }

    /// Removes a store with all its data. No stack of any process may have it open.
    ///
    /// ```swift
    /// try await Stack.destroy(.sqlite(at: url))
    /// ```
    ///
    /// A damaged store is removed as well. Other files in its folder stay. If the process is killed, the store is
    /// complete, or the next opening creates a new one.
    ///
    /// - Throws: `notAStore` if the store does not exist, or is of another kind; `busy` if a stack has it open;
    ///   `newerFormat`;
    ///   `unsupported`.
    public static func destroy(_ provider: some StoreProvider) async throws {
        let remover = BlockingThreads(limit: 1)
        defer { remover.stop() }
        try await remover.value { try provider.destroy() }
    }
}

extension Blocking where Base == Stack {
    /// Checks the store, and returns its faults: like ``Stack/verify(onProgress:)``.
    public func verify() throws -> [String] { try base.activity.during { try base.store.verify() } }
}
