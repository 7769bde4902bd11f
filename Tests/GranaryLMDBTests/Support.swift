import GranaryCore
import GranaryKeyValue
import Testing

@testable import GranaryLMDB

import GranaryPlatform
import TestSupport

extension TemporaryFolder {
    var data: String { "\(path)/data.mdb" }
}

extension SeededNumbers {
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

let one = Keyspace(1)

extension KeyValueReader {
    func value(_ key: [UInt8], in keyspace: Keyspace = one) throws -> [UInt8]? {
        try key.withUnsafeBytes { try get($0, in: keyspace).map { Array($0) } }
    }

    func value(_ key: String, in keyspace: Keyspace = one) throws -> String? {
        try value(Array(key.utf8), in: keyspace).map { String(decoding: $0, as: UTF8.self) }
    }

    func entries(in keyspace: Keyspace = one) throws -> [([UInt8], [UInt8])] {
        let cursor = try cursor(in: keyspace)
        var all: [([UInt8], [UInt8])] = []
        var entry = try cursor.first()
        while let found = entry {
            all.append((Array(found.key), Array(found.value)))
            entry = try cursor.next()
        }
        return all
    }

    func keys(in keyspace: Keyspace = one) throws -> [String] {
        try entries(in: keyspace).map { String(decoding: $0.0, as: UTF8.self) }
    }
}

extension KeyValueWriter {
    @discardableResult
    func put(_ key: [UInt8], _ value: [UInt8], in keyspace: Keyspace = one, mode: KeyValuePutMode = .replace) throws
        -> Bool
    {
        try key.withUnsafeBytes { key in
            guard let room = try reserve(key, count: value.count, in: keyspace, mode: mode) else { return false }
            room.copyBytes(from: value)
            return true
        }
    }

    @discardableResult
    func put(_ key: String, _ value: String = "", in keyspace: Keyspace = one, mode: KeyValuePutMode = .replace) throws
        -> Bool
    {
        try put(Array(key.utf8), Array(value.utf8), in: keyspace, mode: mode)
    }

    @discardableResult
    func remove(_ key: [UInt8], in keyspace: Keyspace = one) throws -> Bool {
        try key.withUnsafeBytes { try delete($0, in: keyspace) }
    }

    @discardableResult
    func remove(_ key: String, in keyspace: Keyspace = one) throws -> Bool { try remove(Array(key.utf8), in: keyspace) }
}

extension KeyValueCursor {
    func key(_ move: (any KeyValueCursor) throws -> KeyValueEntry?) throws -> String? {
        try move(self).map { String(decoding: $0.key, as: UTF8.self) }
    }

    func seek(_ key: String) throws -> String? {
        let bytes = Array(key.utf8)
        return try bytes.withUnsafeBytes { try seek(atOrAfter: $0).map { String(decoding: $0.key, as: UTF8.self) } }
    }
}

func engine(
    in folder: TemporaryFolder, keyspaces: [Keyspace] = [one], options: LMDBEngine.Options = .init()
) throws -> LMDBEngine {
    let engine = try LMDBEngine(folder: folder.path, options: options)
    try engine.prepare(keyspaces: keyspaces)
    return engine
}

extension LMDBEngine {
    func write(_ body: (any KeyValueWriter) throws -> Void) throws {
        let writer = try beginWrite()
        defer { writer.end() }
        try body(writer)
        try writer.commit()
    }

    func inspect(_ body: (any KeyValueReader) throws -> Void) throws { try read(body) }

    func read<T>(_ body: (any KeyValueReader) throws -> T) throws -> T {
        let reader = try beginRead()
        defer { reader.end() }
        return try body(reader)
    }
}

/// The code of the error that the body throws.
func code(_ body: () throws -> Void) -> GranaryError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? GranaryError)?.code
    }
}

/// Runs the body on a thread of its own and waits for its end.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    pthread_create(
        &thread, nil,
        {
            Unmanaged<Box>.fromOpaque($0!).takeRetainedValue().body(); return nil
        }, box.toOpaque())
    pthread_join(thread, nil)
}
