import GranaryPlatform
import GranaryStoreKit
import Synchronization

/// The files of a store, and the newest state they hold. One process at a time writes, or any number read.
///
/// A commit appends its rows to the files of their entities, waits until they are on the disk, and then puts a new file `commit`
/// in the place of the old one by a rename: until then nothing that was appended counts.
final class PlainFileEngine: GenerationEngine {
    let schema: Schema
    let access: StoreAccess
    let rules: SchemaRules
    private let folder: OpenFolder
    /// Nil once the engine is closed: the lock ends with the open file.
    private let lock: Mutex<OpenFile?>
    private let stored: Schema
    private let schemaChecksum: UInt64
    private let formats: [LineFormat]
    /// Where in the schema each entity of the stored one is.
    private let order: [Int]
    private let turn = WriterTurn()
    /// Nil once the engine is closed.
    private let newest = Mutex<State?>(nil)

    /// Makes the files of a new store in an empty folder.
    static func create(in path: String, _ schema: Schema) throws {
        try schema.validate()
        let folder = try OpenFolder(path)
        let json = try schema.json()
        try folder.file("schema", .creating).write(json)
        _ = try folder.file("lock", .creating)
        let mark = CommitMark(tables: schema.entities.map { _ in (0, 0) })
        try folder.file("commit", .creating).write(mark.bytes(schema, schemaChecksum: checksum(json)))
    }

    /// - Parameters:
    ///   - schema: Where it means the same as the stored one, the engine gives rows in its order; else, and if it is nil, in
    ///     the stored order.
    ///   - busyTimeout: How long to wait for a process that has the store open.
    init(_ path: String, _ schema: Schema?, _ access: StoreAccess, busyTimeout: Duration = .zero) throws {
        let folder = try OpenFolder(path)
        let lock = try folder.storeFile("lock", .reading)
        try lock.lock(for: access, timeout: busyTimeout)
        let json = try folder.storeFile("schema", .reading).readAll(limit: 1 << 30)
        let stored = try Schema(json: json)
        let isSame = schema?.fingerprint == stored.fingerprint
        let adopted = isSame ? try schema?.opening(stored) ?? stored : stored
        let order = stored.entities.compactMap { old in adopted.entities.firstIndex { $0.id == old.id } }
        (self.folder, self.access, self.schema) = (folder, access, adopted)
        self.lock = Mutex(lock)
        (self.stored, self.order, schemaChecksum) = (stored, order, PlainFileEngine.checksum(json))
        rules = SchemaRules(adopted)
        formats = zip(order, stored.entities).map { LineFormat(adopted.entities[$0], stored: $1) }
        try readNewest()
    }

    private func readNewest() throws {
        let state = try load()
        newest.withLock { $0 = state }
    }

    var location: String? { folder.path + "/commit" }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { StoreBytes.checksum($0, seed: 0) }
    }

    /// Reads what the files hold.
    private func load() throws -> State {
        var state = State(tables: schema.entities.indices.map { Table(rules.lookups(of: $0)) })
        guard let mark = CommitMark(try read("commit"), stored, schemaChecksum: schemaChecksum) else {
            throw GranaryError.damagedFile(folder.path + "/commit")
        }
        state.number = mark.number
        for (number, position) in order.enumerated() {
            (state.tables[position].length, state.tables[position].lastKey) = mark.tables[number]
            if mark.tables[number].length == 0 { continue }
            let name = fileName(number)
            let bytes = try read(name).prefix(mark.tables[number].length)
            guard bytes.count == mark.tables[number].length, bytes.last == .newline else {
                throw GranaryError.damagedFile(folder.path + "/" + name)
            }
            for line in bytes.split(separator: .newline) {
                guard let (key, row) = formats[number].read(line) else {
                    throw GranaryError.damagedFile(folder.path + "/" + name)
                }
                state.tables[position].put(key, row)
            }
        }
        return state
    }

    private func fileName(_ number: Int) -> String { "\(stored.entities[number].id).rows" }

    private func read(_ name: String) throws -> [UInt8] {
        try folder.storeFile(name, .reading).readAll(limit: 1 << 46)
    }

    func current() throws -> State {
        try newest.withLock { state in
            guard let state else { throw GranaryError.storeClosed }
            return state
        }
    }

    /// Called by the holder of the turn. Returns the state as it is committed.
    ///
    /// - Parameter number: The number of the commit; nil for the next one.
    func commit(_ state: State, as number: UInt64?) throws -> State {
        var state = state
        state.number = number ?? state.number + 1
        let makesFiles = state.tables.contains { !$0.written.isEmpty && $0.length == 0 }
        for (number, position) in order.enumerated() where !state.tables[position].written.isEmpty {
            try append(&state.tables[position], number)
        }
        // The names of new files are on the disk before a commit counts on them.
        if makesFiles { try folder.synchronize() }
        try folder.removeFile("commit.new")
        let next = try folder.file("commit.new", .creating)
        try next.write(CommitMark(state, order).bytes(stored, schemaChecksum: schemaChecksum))
        try next.synchronize()
        try folder.rename("commit.new", to: "commit")
        do {
            try folder.synchronize()
        } catch {
            // What is on the disk is found out when the store is opened again.
            newest.withLock { $0 = nil }
            throw GranaryError(
                .commitOutcomeUnknown,
                "The commit may be found when the store is opened again. \(error.message)")
        }
        newest.withLock { $0 = state }
        return state
    }

    private func append(_ table: inout Table, _ number: Int) throws {
        var bytes: [UInt8] = []
        for key in table.written { formats[number].append(key, table.rows[key], to: &bytes) }
        // What a commit that failed left in the file does not count.
        if table.length == 0 { try folder.removeFile(fileName(number)) }
        let file = try folder.file(fileName(number), table.length == 0 ? .creating : .writing)
        try file.write(bytes, at: Int64(table.length))
        try file.synchronize()
        table.length += bytes.count
        table.written = []
    }

    private static func recordCount(_ tables: [Table]) -> Int { tables.reduce(0) { $0 + $1.rows.count } }

    /// Says whether the files can be read: each line has a checksum.
    func verify() throws -> [String] {
        do {
            _ = try loadUndisturbed()
            return []
        } catch let error as GranaryError where error.code == .corrupt {
            return [error.message]
        }
    }

    /// Reads what the files hold, while no commit appends to them.
    private func loadUndisturbed() throws -> State {
        if access == .readWrite { try pauseWriting() }
        defer { if access == .readWrite { resumeWriting() } }
        return try load()
    }

    func pauseWriting() throws {
        guard access == .readWrite else {
            throw GranaryError.readOnly(folder.path)
        }
        try turn.take()
    }

    func resumeWriting() { turn.give() }

    /// The rows as they are now, without those that were replaced.
    func copyCompacted(into path: String) throws {
        let copy = try OpenFolder(path)
        try copy.file("schema", .creating).write(try stored.json())
        _ = try copy.file("lock", .creating)
        var state = try current()
        var counter = RecordCounter { PlainFileEngine.recordCount(state.tables) }
        for (number, position) in order.enumerated() {
            var bytes: [UInt8] = []
            for (key, row) in state.tables[position].rows {
                try counter.count(schema.entities[position])
                formats[number].append(key, row, to: &bytes)
            }
            try counter.tell(schema.entities[position])
            if !bytes.isEmpty { try copy.file(fileName(number), .creating).write(bytes) }
            state.tables[position].length = bytes.count
        }
        let mark = CommitMark(state, order).bytes(stored, schemaChecksum: schemaChecksum)
        try copy.file("commit", .creating).write(mark)
    }

    /// Transactions that are open have all in memory.
    func retire() {
        newest.withLock { $0 = nil }
        lock.withLock { $0 = nil }
    }
    func close() throws { retire() }
}
