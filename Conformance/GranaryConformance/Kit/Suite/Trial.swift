public import GranaryCore
import Foundation

/// One run of a case: a folder of its own, a stack on a new store in it, a seed.
///
/// ``write(_:)`` and ``read(_:)`` are those of the stack, except that in the mode `reopened` the stack is closed and opened
/// again before each read: what was written must be there.
public final class Trial {
    public let subject: ConformanceSubject
    public let mode: ConformanceCase.Mode
    /// For anything random; printed with a failure.
    public let seed: UInt64
    /// A new folder for this run, removed afterwards.
    public let folder: String
    /// Where the store of this run is, or would be.
    public let storePath: String
    /// The case's own threads. A task that a case makes by itself, not in a group, is to prefer them: on Swift's few
    /// threads it would wait for whatever else is running.
    package let executor: CaseExecutor
    /// Keeps stores in memory while the case runs.
    let held = HeldProviders()
    private var opened: (schema: Schema, clock: StackClock, stack: Stack)?
    private var others: [Stack] = []

    package init(
        subject: ConformanceSubject, mode: ConformanceCase.Mode, seed: UInt64, folder: String, executor: CaseExecutor
    ) {
        self.executor = executor
        self.subject = subject.holding(held)
        self.mode = mode
        self.seed = seed
        self.folder = folder
        storePath = folder + "/Store.granary"
    }

    /// The stack of this run, with the schema of ``SuiteSchema/standard`` unless ``open(_:clock:)`` chose another.
    public var stack: Stack {
        get throws { try opened?.stack ?? open(SuiteSchema.standard) }
    }

    /// Opens the stack of this run with a schema, closing the one before.
    @discardableResult public func open(_ schema: Schema, clock: @escaping StackClock = { Date() }) throws -> Stack {
        try close()
        let stack = try subject.open(schema, at: storePath, clock: clock)
        opened = (schema, clock, stack)
        return stack
    }

    /// The time of each write of a stack.
    public typealias StackClock = @Sendable () -> Date

    /// A further stack on the same store, or on another at a path; closed at the end of the run.
    public func another(
        _ schema: Schema = SuiteSchema.standard, at path: String? = nil, access: StoreAccess = .readWrite,
        migration: MigrationPolicy = .automatic, seed: Seed? = nil, history: HistoryPolicy = .none
    ) throws -> Stack {
        let stack = try subject.open(
            schema, at: path ?? storePath, access: access, migration: migration, seed: seed, history: history)
        others.append(stack)
        return stack
    }

    /// Closes a stack at the end of this run.
    package func keep(_ stack: Stack) { others.append(stack) }

    /// Fails unless there is no store at a path: neither files nor one that can be opened.
    package func expectNoStore(at path: String? = nil, file: String = #fileID, line: Int = #line) throws {
        let path = path ?? storePath
        try expect(kindOfFile(path) == nil, "something is at \(path)", file: file, line: line)
        try expect(
            try subject.storeProvider(at: path).exists() != true, "there is a store at \(path)", file: file, line: line)
    }

    /// The provider of the store of this run.
    package var provider: any StoreProvider { subject.provider(storePath, .readWrite) }

    /// A further stack on the same store, or on another at a path, with the schema that is stored; closed at the end of
    /// the run.
    public func anotherStored(at path: String? = nil, access: StoreAccess = .readWrite) throws -> Stack {
        let stack = try subject.openStored(at: path ?? storePath, access: access)
        others.append(stack)
        return stack
    }

    /// Closes and opens the stack again with the same schema.
    @discardableResult public func reopen() throws -> Stack {
        guard let opened else { return try open(SuiteSchema.standard) }
        return try open(opened.schema, clock: opened.clock)
    }

    /// Closes the stack of this run, if it is open.
    public func close() throws {
        try opened?.stack.blocking.close()
        opened = nil
    }

    package func end() throws {
        try close()
        for stack in others { try stack.blocking.close() }
        others = []
    }

    /// Writes with the stack of this run.
    @discardableResult public func write<T>(_ body: (Transaction) throws -> T) throws -> T {
        try stack.blocking.write(body)
    }

    /// Reads with the stack of this run, opened again before if the mode says so.
    public func read<T>(_ body: (Snapshot) throws -> T) throws -> T {
        if mode == .reopened { try reopen() }
        return try stack.blocking.read(body)
    }

    /// Inserts records in one write.
    public func insert<R: Record>(_ records: [R]) throws { _ = try write { try $0.insert(records) } }

    /// The record with a key, or nil.
    public func find<R: Record>(_ type: R.Type, _ key: R.Key) throws -> R? { try read { try $0.find(type, key) } }

    /// The records of a query, in its order.
    public func fetch<R: Record>(_ query: Query<R>) throws -> [R] { try read { try $0.fetch(query) } }

    /// The keys of a query's records, in its order.
    public func keys<R: Record>(_ query: Query<R>) throws -> [R.Key] { try fetch(query).map(\.id) }
}
