import GranaryPlatform

/// A write transaction that keeps large contents in files, and gives the store references to them.
final class ExternalWriter: ExternalReader, GroupWriting {
    private let writer: any StoreWriter
    /// The number of the last commit before this transaction.
    private let numberBefore: UInt64
    private let cells = ExternalCells()
    private var recorder: ChangeRecorder?
    /// What the earlier writes of the group have changed; nil if this is the first one.
    private var earlier: ChangeRecorder?
    /// Files that this transaction has made.
    private var made: Set<SHA256> = []
    private var hasKept = false
    /// Whether the whole store is written anew. Files without a name are then found by comparing.
    private var isFilling = false

    init(_ writer: any StoreWriter, _ store: ExternalStore) {
        self.writer = writer
        numberBefore = writer.transactionNumber
        super.init(writer, store, isCounted: false)
    }

    override func end() {
        // Must happen during the turn to write: afterwards another transaction may name the files.
        for file in made { store.files.remove(new: file) }
        made = []
        super.end()
    }

    override func engineReader() throws -> any StoreReader {
        // References that statements of the engine itself remove must be noted, too.
        try noteChanges()
        return writer
    }

    // MARK: Contents

    /// A row with references in place of large contents. It lives as long as the given row, until the next row.
    private func keeping(_ row: borrowing Row, of entity: Int) throws -> Row {
        try noteChanges()
        guard schema.entities.indices.contains(entity) else { throw GranaryError.noEntity(at: entity) }
        let positions = store.positions[entity]
        var isBegun = false
        for (number, position) in positions.enumerated() {
            let cell = row[position]
            guard ExternalReference.isNeeded(for: cell, from: store.leastSizes[entity][number]) else { continue }
            if !isBegun { cells.begin(row, replacing: positions.count) }
            isBegun = true
            let bytes = try reference(cell.rawBytes, schema.entities[entity], position).bytes
            cells.room(position, number: number, size: bytes.count).copyBytes(from: bytes)
        }
        return isBegun ? cells.row(row.count) : Row(cells: row.cells, count: row.count)
    }

    private func keeping(_ values: [Assignment], of entity: Int) throws -> [Assignment] {
        try noteChanges()
        guard schema.entities.indices.contains(entity) else { return values }
        let positions = store.positions[entity]
        return try values.map { assignment in
            guard let number = positions.firstIndex(of: assignment.position) else { return assignment }
            var kept = assignment
            try assignment.value.withCell { cell in
                guard ExternalReference.isNeeded(for: cell, from: store.leastSizes[entity][number]) else { return }
                kept.value = .bytes(
                    try reference(cell.rawBytes, schema.entities[entity], assignment.position).bytes)
            }
            return kept
        }
    }

    private func reference(
        _ content: UnsafeRawBufferPointer, _ entity: Entity, _ position: Int
    ) throws -> ExternalReference {
        let limit = store.capabilities.limits.valueSize
        guard content.count <= limit else { throw GranaryError.tooLarge(entity, position, content.count, limit: limit) }
        do {
            let (reference, isNew) = try store.files.keep(content)
            hasKept = true
            if isNew { made.insert(reference.digest) }
            return reference
        } catch let error as GranaryError {
            throw error.about(entity, entity.attributes[position].name)
        }
    }

    // MARK: Statements

    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try writer.insert(keeping(row, of: entity), into: entity)
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        try writer.update(keeping(row, of: entity), in: entity)
    }

    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try writer.upsert(keeping(row, of: entity), into: entity)
    }

    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        try noteChanges()
        return try writer.delete(key, from: entity)
    }

    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try writer.updateAll(request, setting: keeping(values, of: request.entity))
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        try noteChanges()
        return try writer.deleteAll(request)
    }

    func deferReferences() throws { try writer.deferReferences() }
    func checkReferences() throws { try writer.checkReferences() }
    func beginSavepoint() throws { try writer.beginSavepoint() }
    func releaseSavepoint() throws { try writer.releaseSavepoint() }
    func rollbackSavepoint() throws { try writer.rollbackSavepoint() }
    func prepareCommit() throws { try writer.prepareCommit() }
    func keepHistory(_ entry: HistoryEntry) throws { try writer.keepHistory(entry) }
    func deleteHistory(through number: UInt64) throws { try writer.deleteHistory(through: number) }

    func beginFilling() throws {
        isFilling = true
        try writer.beginFilling()
    }

    func append(_ row: borrowing Row, to entity: Int) throws {
        try writer.append(keeping(row, of: entity), to: entity)
    }

    func finishFilling(_ end: FillingEnd) throws { try writer.finishFilling(end) }

    func record(into recorder: ChangeRecorder) throws {
        try writer.record(into: recorder)
        self.recorder = recorder
    }

    /// Makes the store record changes, if it does not do so yet.
    private func noteChanges() throws {
        if recorder == nil && !isFilling { try record(into: ChangeRecorder()) }
    }

    // MARK: The end

    func commit() throws -> UInt64 {
        guard recorder != nil || earlier != nil || isFilling else { return try writer.commit() }
        var outcome = Outcome()
        if !isFilling {
            try writer.prepareCommit()
            outcome = try settle()
            for file in outcome.unnamed { store.files.remove(new: file) }
            try store.files.note(unused: outcome.unused)
        }
        if hasKept { try store.files.synchronize() }
        let files = made
        made = []
        let number: UInt64
        do {
            number = try writer.commit()
        } catch {
            // The commit may be on the disk all the same. Whether rows name the files is found out later.
            try? store.files.note(unused: store.files.unused.union(files))
            throw error
        }
        store.files.give(outcome.uses?.at(number))
        if !outcome.unused.isEmpty && !store.files.isAwaited { try? store.removeUnused() }
        return number
    }

    // MARK: Grouped writes. Their files are synced, and looked for, once for all of them. A file of a write that was
    // undone has no name when the group is committed, and is removed then.

    var hasRoom: Bool { (writer as? any GroupWriting)?.hasRoom ?? true }

    func beginGroupedWrite() throws { try writer.requireGrouping().beginGroupedWrite() }

    func endGroupedWrite() throws -> UInt64 {
        let number = try writer.requireGrouping().endGroupedWrite()
        if let recorder {
            let all = earlier ?? ChangeRecorder()
            all.append(recorder)
            earlier = all
        }
        recorder = nil
        return number
    }

    func undoGroupedWrite() throws {
        recorder = nil
        // So that the commit looks for files that were made.
        earlier = earlier ?? ChangeRecorder()
        try writer.requireGrouping().undoGroupedWrite()
    }

    private struct Outcome {
        /// Files that this transaction made and no row names.
        var unnamed: Set<SHA256> = []
        /// Files that no row names after the commit.
        var unused: Set<SHA256> = []
        var uses: ExternalUses?
    }

    /// Determines which files no row names after the commit. A file counts as named if the old state does not say
    /// otherwise, and without a count of all uses no file is removed.
    ///
    /// - Throws: If the rows that the transaction wrote cannot be read, because the files that they name must not be
    ///   removed.
    private func settle() throws -> Outcome {
        var outcome = Outcome()
        var uses = store.files.takeUses()
        if uses?.number != numberBefore { uses = nil }
        let waiting = store.files.unused
        let recorded = earlier ?? ChangeRecorder()
        if let recorder { recorded.append(recorder) }
        let changes = recorded.changes().filter { change in
            let positions = store.positions[change.entity]
            guard case .updated(let attributes) = change.kind else { return !positions.isEmpty }
            return positions.contains(where: attributes.contains)
        }
        guard uses != nil || !made.isEmpty || changes.contains(where: { $0.kind != .inserted }) || !waiting.isEmpty
        else { return outcome }
        let old = try? store.inner.beginRead(CancellationFlag())
        defer { old?.end() }
        var (before, after): ([SHA256], [SHA256]) = ([], [])
        for change in changes {
            if change.kind != .inserted, let old { before += (try? files(of: change, in: old)) ?? [] }
            if change.kind != .deleted { after += try files(of: change, in: writer) }
        }
        // A statement that gives a row its old value writes a missing file anew: no change names that file.
        let suspects = made.union(before).subtracting(after).union(waiting)
        if uses == nil, !suspects.isEmpty {
            uses = try? ExternalUses(writer)
        } else {
            for file in after { uses?.change(file, by: 1) }
            for file in before { uses?.change(file, by: -1) }
        }
        outcome.uses = uses
        guard let uses else {
            outcome.unused = suspects
            return outcome
        }
        let unused = suspects.filter { !uses.contains($0) }
        outcome.unnamed = unused.intersection(made)
        outcome.unused = unused.subtracting(made)
        return outcome
    }

    private func files(of change: RecordChange, in reader: any StoreReader) throws -> [SHA256] {
        try change.key.withCell { key in
            guard let row = try reader.find(key, in: change.entity) else { return [] }
            return store.positions[change.entity].compactMap { ExternalReference(row[$0])?.digest }
        }
    }
}
