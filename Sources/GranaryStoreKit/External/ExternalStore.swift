import GranaryPlatform

/// A store that keeps large values of external attributes in files next to its engine's files, for any engine: it
/// stands between the inner store and its users, and the inner store has references in its rows.
///
/// The number of rows that name each file in the newest state is counted when a commit first removes a name, and kept
/// up to date by the commits of this process; after a commit of another process it is counted anew. The counts are not
/// stored, so they cannot disagree with the rows.
final class ExternalStore: Store {
    let inner: any Store
    let files: ExternalFiles
    /// For each entity, the positions of its external attributes.
    let positions: [[Int]]
    /// The least sizes of values that are kept in files, in the order of `positions`.
    let leastSizes: [[Int]]
    let capabilities: Capabilities

    private init(_ inner: any Store, _ files: ExternalFiles) {
        self.inner = inner
        self.files = files
        positions = inner.schema.entities.map(\.externalPositions)
        leastSizes = inner.schema.entities.map { entity in
            entity.externalPositions.map { entity.attributes[$0].leastExternalSize }
        }
        var capabilities = inner.capabilities
        capabilities.features.insert(.externalData)
        self.capabilities = capabilities
    }

    /// A store with its external values. A store whose schema has none stays as it is, and so does one that cannot
    /// report the changes of a transaction: it keeps all values in its rows.
    ///
    /// - Parameter isBuilding: Whether the store is being made, to replace another store or as a new one.
    static func over(_ store: any Store, _ files: ExternalFiles, isBuilding: Bool = false) throws -> any Store {
        let hasValues = store.schema.hasExternalAttributes
        guard try hasValues || files.exist else { return store }
        guard store.capabilities.has(.changeRecording) else {
            if hasValues, try files.haveContents { throw cannotTellChanges(store, files) }
            return store
        }
        // The known uses belong to the rows of the previously opened store.
        files.give(nil)
        try files.open()
        let whole = ExternalStore(store, files)
        if isBuilding {
            try files.mark()
        } else if try files.findLeftovers() {
            // A file without a name does no harm and can wait for another opening.
            try? whole.removeUnused(all: true)
        }
        return hasValues ? whole : store
    }

    var kind: String { inner.kind }
    var schema: Schema { inner.schema }
    var location: String? { inner.location }
    var coordinator: StoreCoordinator { inner.coordinator }

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        try files.beginReading()
        do {
            return ExternalReader(try inner.beginRead(cancellation), self, isCounted: true)
        } catch {
            files.endReading()
            throw error
        }
    }

    func beginWrite() throws -> any StoreWriter {
        ExternalWriter(try files.waiting { try inner.beginWrite() }, self)
    }

    func beginWrite(_ durability: Durability) throws -> any StoreWriter {
        ExternalWriter(try files.waiting { try inner.beginWrite(durability) }, self)
    }

    func compact() throws { try inner.compact() }
    func replaceContents(with contents: StoreContents) throws { try inner.replaceContents(with: contents) }
    func rebuildIndexes() throws { try inner.rebuildIndexes() }
    func removeDroppedIndexes() throws { try inner.removeDroppedIndexes() }
    func backUp(to path: String) throws { try inner.backUp(to: path) }
    func foreignReads() -> [ForeignRead] { inner.foreignReads() }
    func foreignBlockage() -> Duration? { inner.foreignBlockage() }
    func synchronize() throws { try inner.synchronize() }
    func close() throws { try inner.close() }

    /// Removes files that no row names, unless a read is open, or another thread or process writes. In that case the
    /// next removal, or the next opening, removes them.
    ///
    /// - Parameter all: Whether all files are compared with the rows, and not only those that are known to have lost a
    ///   name.
    func removeUnused(all: Bool = false) throws {
        let isDue = all || files.mayHaveLeftovers
        guard isDue || !files.unused.isEmpty else { return }
        let writer = try WriterPatience.$limit.withValue(0) { try inner.beginWrite() }
        defer { writer.end() }
        // After a loss of power the rows must not be those of an older commit that names a file removed now.
        try inner.synchronize()
        var uses = files.takeUses()
        if all || uses?.number != writer.transactionNumber { uses = try ExternalUses(writer) }
        guard let uses else { return }
        defer { files.give(uses) }
        let unused = files.unused.filter { !uses.contains($0) }
        try files.note(unused: unused)
        try files.removeUnused(isDue ? .allBut(uses.files) : .these(unused))
    }

    private static func cannotTellChanges(_ store: any Store, _ files: ExternalFiles) -> GranaryError {
        GranaryError.unsupported(
            .changeRecording,
            "The store has external values in \(files.path), and this \(store.kind) does not report what a transaction changes, which they need. Open it with a library that does, as the one that wrote it."
        )
    }
}

extension ExternalUses {
    func at(_ number: UInt64) -> ExternalUses {
        var uses = self
        uses.number = number
        return uses
    }
}
