package import GranaryCore
import GranaryPlatform

// A store that counts what its readers are asked: what is to be one query must be one, whatever the answer.

/// How often readers and writers were asked for rows, for one row by its key, for aggregates and for counts.
package final class ReadCounter: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var total = 0

    package init() {}

    package func add() { lock.withLock { total += 1 } }

    /// How many there were since the last time this was asked.
    package func take() -> Int {
        lock.withLock {
            defer { total = 0 }
            return total
        }
    }
}

extension Trial {
    /// A further stack, on a store of its own whose reads are counted.
    package func counted(_ schema: Schema, by counter: ReadCounter) throws -> Stack {
        let provider = subject.provider(folder + "/Counted.granary", .readWrite)
        return try Stack(schema, store: ForwardedProvider(base: provider) { CountedStore($0, counter) })
    }
}

// @unchecked: its property is a constant, and Sendable.
private final class CountedStore: ForwardedStore, @unchecked Sendable {
    private let counter: ReadCounter

    init(_ base: any Store, _ counter: ReadCounter) {
        self.counter = counter
        super.init(base)
    }

    override func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        CountedReader(try base.beginRead(cancellation), counter)
    }

    override func beginWrite() throws -> any StoreWriter { CountedWriter(try base.beginWrite(), counter) }
}

private final class CountedReader: ForwardedReader {
    private let counter: ReadCounter

    init(_ base: any StoreReader, _ counter: ReadCounter) {
        self.counter = counter
        super.init(base)
    }

    override func find(_ key: Cell, in entity: Int) throws -> Row? {
        counter.add()
        return try super.find(key, in: entity)
    }
    override func rows(_ request: FetchRequest) throws -> any RowCursor {
        counter.add()
        return try super.rows(request)
    }
    override func count(_ request: FetchRequest) throws -> Int {
        counter.add()
        return try super.count(request)
    }
}

/// What a transaction reads counts too.
private final class CountedWriter: ForwardedWriter {
    private let counter: ReadCounter

    init(_ base: any StoreWriter, _ counter: ReadCounter) {
        self.counter = counter
        super.init(base)
    }

    override func find(_ key: Cell, in entity: Int) throws -> Row? {
        counter.add()
        return try super.find(key, in: entity)
    }
    override func rows(_ request: FetchRequest) throws -> any RowCursor {
        counter.add()
        return try super.rows(request)
    }
    override func count(_ request: FetchRequest) throws -> Int {
        counter.add()
        return try super.count(request)
    }
}
