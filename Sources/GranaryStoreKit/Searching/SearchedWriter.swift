/// A write transaction that brings the indexes of words up to date when it commits: from the rows that its statements
/// have changed, whichever statement it was.
///
/// Until then searches of an entity with changed rows are answered from the rows.
final class SearchedWriter: SearchedReader, GroupWriting {
    private let writer: any StoreWriter
    private var recorder: ChangeRecorder?
    /// What the earlier writes of the group have changed.
    private let earlier = ChangeRecorder()
    private var isFilling = false

    init(_ writer: any StoreWriter, _ store: SearchedStore) {
        self.writer = writer
        super.init(writer, store)
    }

    override func engineReader() throws -> any StoreReader {
        // Statements of the engine itself may change rows, too.
        try noteChanges()
        return writer
    }

    override func isCurrent(_ entity: Int) -> Bool {
        !isFilling && recorder?.isEmpty ?? true && earlier.isEmpty
    }

    /// Called before each statement: makes the store record changes, if it does not do so yet.
    private func noteChanges() throws {
        beginStatement()
        if recorder == nil && !isFilling { try record(into: ChangeRecorder()) }
    }

    func record(into recorder: ChangeRecorder) throws {
        try writer.record(into: recorder)
        self.recorder = recorder
    }

    // MARK: Statements

    func insert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try noteChanges()
        return try writer.insert(row, into: entity)
    }

    func update(_ row: borrowing Row, in entity: Int) throws -> Bool {
        try noteChanges()
        return try writer.update(row, in: entity)
    }

    func upsert(_ row: borrowing Row, into entity: Int) throws -> Int64? {
        try noteChanges()
        return try writer.upsert(row, into: entity)
    }

    func delete(_ key: Cell, from entity: Int) throws -> Bool {
        try noteChanges()
        return try writer.delete(key, from: entity)
    }

    func updateAll(_ request: FetchRequest, setting values: [Assignment]) throws -> Int {
        try noteChanges()
        return try writer.updateAll(rewritten(request), setting: values)
    }

    func deleteAll(_ request: FetchRequest) throws -> Int {
        try noteChanges()
        return try writer.deleteAll(rewritten(request))
    }

    func deferReferences() throws { try writer.deferReferences() }
    func checkReferences() throws { try writer.checkReferences() }
    func beginSavepoint() throws { try writer.beginSavepoint() }
    func releaseSavepoint() throws { try writer.releaseSavepoint() }
    func rollbackSavepoint() throws {
        beginStatement()
        try writer.rollbackSavepoint()
    }
    func prepareCommit() throws { try writer.prepareCommit() }
    func keepHistory(_ entry: HistoryEntry) throws { try writer.keepHistory(entry) }
    func deleteHistory(through number: UInt64) throws { try writer.deleteHistory(through: number) }

    func beginFilling() throws {
        isFilling = true
        try writer.beginFilling()
    }
    func append(_ row: borrowing Row, to entity: Int) throws { try writer.append(row, to: entity) }
    func finishFilling(_ end: FillingEnd) throws { try writer.finishFilling(end) }

    // MARK: The end

    func commit() throws -> UInt64 {
        defer { didEnd() }
        if let recorder, !isFilling {
            try writer.prepareCommit()
            earlier.append(recorder)
        }
        if !earlier.isEmpty { try updateIndexes(earlier.changes()) }
        return try writer.commit()
    }

    // MARK: Grouped writes. The indexes are brought up to date once, for all of them.

    var hasRoom: Bool { (writer as? any GroupWriting)?.hasRoom ?? true }

    func beginGroupedWrite() throws {
        beginStatement()
        try grouping().beginGroupedWrite()
    }

    func endGroupedWrite() throws -> UInt64 {
        beginStatement()
        // An app's own tokenizer may fail. Then the write that has the text fails, and no other.
        if let recorder, !recorder.isEmpty { try tryTokenizers(recorder.changes()) }
        let number = try grouping().endGroupedWrite()
        if let recorder { earlier.append(recorder) }
        recorder = nil
        return number
    }

    func undoGroupedWrite() throws {
        beginStatement()
        recorder = nil
        try grouping().undoGroupedWrite()
    }

    private func grouping() throws -> any GroupWriting { try writer.requireGrouping() }

    private func tryTokenizers(_ changes: [RecordChange]) throws {
        for change in changes where change.kind != .deleted {
            guard let entity = store.entities[change.entity], entity.rules.tokenizer != nil else { continue }
            var (words, texts) = (DocumentWords(), WordReader(entity.rules))
            try change.key.withCell { key in
                guard let cells = try writer.find(key, in: change.entity)?.cells else { return }
                try entity.read(&words, &texts) { cells[entity.texts[$0]] }
            }
        }
    }

    private func updateIndexes(_ changes: [RecordChange]) throws {
        guard let keeper = writer as? any WordWriting, try keeper.wordBlocks() != nil else { return }
        var blocks: (any WritableWordBlocks)?
        var old: (any StoreReader)?
        defer { old?.end() }
        for entity in store.entities {
            guard let entity else { continue }
            let changed = changes.filter { change in
                guard change.entity == entity.position else { return false }
                guard case .updated(let attributes) = change.kind else { return true }
                return entity.texts.contains(where: attributes.contains)
            }
            if changed.isEmpty { continue }
            let writable = try blocks ?? keeper.writableWordBlocks()
            blocks = writable
            switch try entity.keeping(in: writable) {
            case .kept: break
            case .missing: continue
            case .other:
                // The index of another program, which this one cannot bring up to date.
                try entity.remove(from: writable)
                continue
            }
            if old == nil, changed.contains(where: { $0.kind != .inserted }) {
                old = try store.inner.beginRead(CancellationFlag())
            }
            do {
                try update(entity, changed, from: old, in: writable)
            } catch is WordIndexError {
                // The index is damaged, or a key is too long for it. Without an index searches are right all the same.
                try entity.remove(from: writable)
            }
        }
    }

    private func update(
        _ entity: SearchedEntity, _ changes: [RecordChange], from old: (any StoreReader)?,
        in blocks: any WritableWordBlocks
    ) throws {
        let index = try WordIndexWriter(blocks, index: entity.index, entity.options)
        var (words, texts) = (DocumentWords(), WordReader(entity.rules))
        for change in changes {
            try change.key.withCell { key in
                let document = entity.document(key)
                if change.kind != .inserted, let row = try old?.find(key, in: entity.position) {
                    let cells = row.cells
                    try entity.read(&words, &texts) { cells[entity.texts[$0]] }
                    try index.remove(document, words)
                }
                if change.kind != .deleted, let row = try writer.find(key, in: entity.position) {
                    let cells = row.cells
                    try entity.read(&words, &texts) { cells[entity.texts[$0]] }
                    try index.add(document, words)
                }
            }
        }
        try index.flush()
    }
}
