import GranaryCore
import GranaryKeyValue
import GranaryMemory
import Testing

let one = Keyspace(1)
let two = Keyspace(2)

/// Compares keys as the engine must: as `memcmp` does, the shorter first.
func isBefore(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }

func makeEngine(pageSize: Int? = nil) throws -> MemoryEngine {
    let engine = pageSize.map { MemoryEngine(pageSize: $0) } ?? MemoryEngine()
    try engine.prepare(keyspaces: [one, two])
    return engine
}

/// Eight bytes, big-endian.
func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(value).bigEndian) { Array($0) } }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension KeyValueWriter {
    @discardableResult
    func put(
        _ key: [UInt8], _ value: [UInt8], in keyspace: Keyspace = one, mode: KeyValuePutMode = .replace
    ) throws -> Bool {
        try key.withUnsafeBytes { key in
            guard let room = try reserve(key, count: value.count, in: keyspace, mode: mode) else { return false }
            #expect(room.count == value.count)
            room.copyBytes(from: value)
            return true
        }
    }

    @discardableResult
    func remove(_ key: [UInt8], in keyspace: Keyspace = one) throws -> Bool {
        try key.withUnsafeBytes { try delete($0, in: keyspace) }
    }
}

extension KeyValueReader {
    func value(_ key: [UInt8], in keyspace: Keyspace = one) throws -> [UInt8]? {
        try key.withUnsafeBytes { try get($0, in: keyspace).map { Array($0) } }
    }

    /// Every entry, by stepping on from the first.
    func all(in keyspace: Keyspace = one) throws -> [Entry] {
        let cursor = try cursor(in: keyspace)
        var entries: [Entry] = []
        var entry = try cursor.first()
        while let found = entry {
            entries.append(Entry(found))
            entry = try cursor.next()
        }
        #expect(try cursor.next() == nil && cursor.previous() == nil)
        return entries
    }

    /// Every entry, by stepping back from the last.
    func allBackwards(in keyspace: Keyspace = one) throws -> [Entry] {
        let cursor = try cursor(in: keyspace)
        var entries: [Entry] = []
        var entry = try cursor.last()
        while let found = entry {
            entries.append(Entry(found))
            entry = try cursor.previous()
        }
        #expect(try cursor.previous() == nil && cursor.next() == nil)
        return entries
    }
}

extension KeyValueCursor {
    func seek(_ key: [UInt8]) throws -> Entry? { try key.withUnsafeBytes { try seek(atOrAfter: $0).map(Entry.init) } }
    func stepOn() throws -> Entry? { try next().map(Entry.init) }
    func stepBack() throws -> Entry? { try previous().map(Entry.init) }
}

/// A copy of an entry.
struct Entry: Equatable {
    var key: [UInt8]
    var value: [UInt8]

    init(_ key: [UInt8], _ value: [UInt8]) {
        self.key = key
        self.value = value
    }

    init(_ entry: KeyValueEntry) {
        self.init(Array(entry.key), Array(entry.value))
    }
}

/// Writes and commits.
func write(_ engine: MemoryEngine, _ body: (any KeyValueWriter) throws -> Void) throws {
    let writer = try engine.beginWrite()
    defer { writer.end() }
    try body(writer)
    try writer.commit()
}

/// Reads the newest state.
func read<T>(_ engine: MemoryEngine, _ body: (any KeyValueReader) throws -> T) throws -> T {
    let reader = try engine.beginRead()
    defer { reader.end() }
    return try body(reader)
}

func expectError(_ code: GranaryError.Code, _ body: () throws -> Void, line: SourceLocation = #_sourceLocation) {
    do {
        try body()
        Issue.record("no error was thrown, \(code) was expected", sourceLocation: line)
    } catch let error as GranaryError {
        #expect(error.code == code, sourceLocation: line)
    } catch {
        Issue.record("\(error) was thrown, \(code) was expected", sourceLocation: line)
    }
}
