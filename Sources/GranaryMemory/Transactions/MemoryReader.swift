import GranaryStoreKit
import GranaryKeyValue

/// One state of the engine: a committed one, or (in the subclass) the writer's own.
///
/// Not `final` only because of `MemoryWriter`, which changes `trees` and counts its changes in `version`.
class MemoryReader: KeyValueReader {
    /// The value of `version` once the transaction has ended.
    static let ended = -1

    let engine: MemoryEngine
    /// Those of the engine.
    private let states: StateList
    private(set) final var held: HeldState
    /// Those of the state, or of the writer.
    final var keyspaces: KeyspaceTable {
        get { changedKeyspaces ?? held.state._withUnsafeGuaranteedRef { $0.keyspaces } }
        set {
            changedKeyspaces = newValue
            (numbers, treeCount) = (newValue.numbers, newValue.count)
        }
    }
    private final var changedKeyspaces: KeyspaceTable?
    // The table's own memory once more, so that finding a tree retains nothing.
    private final var numbers: UnsafeMutablePointer<UInt32>
    private final var treeCount: Int
    final var trees: UnsafeMutablePointer<Tree>
    /// Counts changes: the pages of a cursor that was placed at another version may be gone.
    final var version = 0
    /// The version with which the last read began.
    private final var firstVersion = 0

    /// Takes over the hold on the state.
    init(_ engine: MemoryEngine, _ held: HeldState) {
        self.engine = engine
        states = engine.states
        self.held = held
        (numbers, treeCount, trees) = held.state._withUnsafeGuaranteedRef {
            ($0.keyspaces.numbers, $0.keyspaces.count, $0.trees)
        }
    }

    deinit {
        if version != MemoryReader.ended { states.letGo(held) }
    }

    func renew() throws -> Bool {
        held = try states.hold()
        (numbers, treeCount, trees) = held.state._withUnsafeGuaranteedRef {
            ($0.keyspaces.numbers, $0.keyspaces.count, $0.trees)
        }
        // Another one than that of the cursors that are left.
        firstVersion += 1
        version = firstVersion
        return true
    }

    @inline(__always)
    final func tree(_ keyspace: Keyspace) throws -> UnsafeMutablePointer<Tree> {
        if version == MemoryReader.ended { throw closedError() }
        return trees + (try place(of: keyspace))
    }

    @inline(__always)
    private final func place(of keyspace: Keyspace) throws -> Int {
        // Most callers number their keyspaces from 0 or 1 on.
        let number = Int(keyspace.number)
        if number < treeCount && numbers[number] == keyspace.number { return number }
        if number > 0 && number <= treeCount && numbers[number - 1] == keyspace.number { return number - 1 }
        return try keyspaces.place(of: keyspace)
    }

    @inline(never)
    final func closedError() -> GranaryError {
        .transactionEnded
    }

    final func get(_ key: UnsafeRawBufferPointer, in keyspace: Keyspace) throws -> UnsafeRawBufferPointer? {
        guard let (leaf, index) = try tree(keyspace).pointee.find(Key(key)) else { return nil }
        return leaf.entry(index).value
    }

    final func cursor(in keyspace: Keyspace) throws -> any KeyValueCursor {
        if version == MemoryReader.ended { throw closedError() }
        return MemoryCursor(self, place: try place(of: keyspace))
    }

    final func count(in keyspace: Keyspace) throws -> Int {
        try tree(keyspace).pointee.count
    }

    func end() {
        if version == MemoryReader.ended { return }
        version = MemoryReader.ended
        states.letGo(held)
    }
}
