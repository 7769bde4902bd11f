import GranaryStoreKit
import GranaryKeyValue

/// The write transaction: a private copy of the roots of the state it began from, changed by a `TreeEditor`.
final class MemoryWriter: MemoryReader, KeyValueWriter {
    let pages: PageWorkspace
    let editor: TreeEditor
    /// The trees at the beginning of each open savepoint.
    private var savedTrees: [UnsafeMutablePointer<Tree>] = []
    private var keySizeLimit: Int
    private var valueSizeLimit: Int

    /// Waits for its turn.
    init(_ engine: MemoryEngine) throws {
        let (held, clock) = try engine.beginTurn()
        pages = PageWorkspace(heap: engine.heap, clock: clock)
        editor = TreeEditor(pages: pages)
        keySizeLimit = engine.limits.keySize
        valueSizeLimit = engine.limits.valueSize
        super.init(engine, held)
        trees = MemoryWriter.copy(trees, keyspaces.count)
    }

    deinit {
        end()
    }

    private static func copy(_ trees: UnsafeMutablePointer<Tree>, _ count: Int) -> UnsafeMutablePointer<Tree> {
        let copy = UnsafeMutablePointer<Tree>.allocate(capacity: max(1, count))
        copy.initialize(from: trees, count: count)
        return copy
    }

    // MARK: Changes

    func reserve(_ key: UnsafeRawBufferPointer, count: Int, in keyspace: Keyspace, mode: KeyValuePutMode) throws
        -> UnsafeMutableRawBufferPointer?
    {
        let tree = try tree(keyspace)
        guard key.count > 0, key.count <= keySizeLimit, count >= 0, count <= valueSizeLimit else {
            throw limitError(key: key.count, value: count)
        }
        guard let start = try editor.reserve(Key(key), count: count, mode: mode, in: tree) else { return nil }
        version &+= 1
        return UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    @inline(never)
    private func limitError(key: Int, value: Int) -> GranaryError {
        if key < 1 || key > keySizeLimit {
            return GranaryError(.limit, "A key has 1 to \(keySizeLimit) bytes, this one has \(key); use another key.")
        }
        return GranaryError(.limit, "A value has 0 to \(valueSizeLimit) bytes, this one has \(value); split it.")
    }

    func delete(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> Bool {
        guard editor.delete(Key(key), in: try tree(keyspace)) else { return false }
        version &+= 1
        return true
    }

    func deleteAll(in keyspace: Keyspace) throws {
        let tree = try tree(keyspace)
        if tree.pointee.root == nil { return }
        editor.clear(tree)
        version &+= 1
    }

    /// Adds empty keyspaces. Not inside a savepoint.
    func add(_ added: [Keyspace]) throws {
        if version == MemoryReader.ended { throw closedError() }
        guard let table = keyspaces.adding(added) else { return }
        let wider = UnsafeMutablePointer<Tree>.allocate(capacity: table.count)
        wider.initialize(repeating: Tree(), count: table.count)
        wider.update(from: trees, count: keyspaces.count)
        trees.deallocate()
        trees = wider
        keyspaces = table
        version &+= 1
    }

    // MARK: Savepoints

    func beginSavepoint() throws {
        if version == MemoryReader.ended { throw closedError() }
        savedTrees.append(MemoryWriter.copy(trees, keyspaces.count))
        pages.mark()
    }

    func releaseSavepoint() throws {
        let saved = try popSavepoint()
        saved.deallocate()
        pages.release()
    }

    func rollbackSavepoint() throws {
        let saved = try popSavepoint()
        trees.deallocate()
        trees = saved
        pages.rollback()
        version &+= 1
    }

    private func popSavepoint() throws -> UnsafeMutablePointer<Tree> {
        if version == MemoryReader.ended { throw closedError() }
        guard let saved = savedTrees.popLast() else {
            throw GranaryError.noSavepoint
        }
        return saved
    }

    // MARK: Ends

    /// Publishes all writes, including those of open savepoints. Cannot fail for an open transaction.
    func commit() throws { try commit {} }

    func commit(beforeNextWriter body: () -> Void) throws {
        if version == MemoryReader.ended { throw closedError() }
        if version > 0 {
            let superseded = pages.commit()
            let next = CommittedState(keyspaces: keyspaces, trees: trees, time: pages.now)
            engine.states.publish(next, superseding: superseded)
        }
        body()
        finish()
    }

    override func renew() throws -> Bool { false }

    override func end() {
        if version == MemoryReader.ended { return }
        pages.abort()
        finish()
    }

    private func finish() {
        version = MemoryReader.ended
        for saved in savedTrees { saved.deallocate() }
        savedTrees = []
        trees.deallocate()
        trees = held.state._withUnsafeGuaranteedRef { $0.trees }
        engine.endTurn(held, clock: pages.now)
    }
}
