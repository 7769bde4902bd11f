import Foundation
import GranaryKeyValue
import GranaryStoreKit
import Testing

@testable import LogStore

/// What a log that was cut off, or changed, still holds.
@Suite struct LogTests {
    private let folder: String
    private var path: String { folder + "/records.log" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/log-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// The log after each of some commits, and after closing it.
    private func makeLog(commits: Int) throws -> (states: [[UInt8]], closed: [UInt8]) {
        let engine = try LogEngine(folder: folder, access: .readWrite, isNew: true)
        try engine.prepare(keyspaces: [Keyspace(1)])
        var states: [[UInt8]] = []
        for number in 0..<commits {
            try put(number, engine)
            states.append(try bytes())
        }
        try engine.close()
        return (states, try bytes())
    }

    private func put(_ number: Int, _ engine: LogEngine) throws {
        let writer = try engine.beginWrite()
        defer { writer.end() }
        try withUnsafeBytes(of: number.bigEndian) { key in
            try writer.reserve(key, count: 3, in: Keyspace(1), mode: .insert)?.copyBytes(from: [1, 2, 3])
        }
        try writer.commit()
    }

    private func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    /// How many entries the log has when it holds these bytes.
    private func count(_ log: some Collection<UInt8>, adding number: Int? = nil) throws -> Int {
        try Data(log).write(to: URL(filePath: path))
        let engine = try LogEngine(folder: folder, access: .readWrite, isNew: false)
        defer { try? engine.close() }
        try engine.prepare(keyspaces: [Keyspace(1)])
        if let number { try put(number, engine) }
        let reader = try engine.beginRead()
        defer { reader.end() }
        return try reader.count(in: Keyspace(1))
    }

    @Test func `a log in use may end anywhere: whole commits are there, and commits follow them`() throws {
        let states = try makeLog(commits: 4).states
        let whole = try #require(states.last)
        for length in LogFormat.headerSize...whole.count {
            let commits = states.count { $0.count <= length }
            #expect(try count(whole[..<length], adding: 99) == commits + 1, "cut at \(length)")
            #expect(try count(try bytes()) == commits + 1, "opened again after a cut at \(length)")
        }
    }

    @Test func `a closed log that is cut or longer is corrupt, and so is one with a bit changed`() throws {
        let closed = try makeLog(commits: 3).closed
        #expect(try count(closed) == 3)
        var damaged = closed.indices.map { Array(closed[..<$0]) } + [closed + [0]]
        for index in closed.indices {
            var log = closed
            log[index] ^= 4
            damaged.append(log)
        }
        for log in damaged {
            let error = #expect(throws: GranaryError.self) { try count(log) }
            #expect(error?.code == .corrupt)
        }
    }

    @Test func `a log that is open is busy after the time-out, and can be opened when it is closed`() throws {
        let first = try LogEngine(folder: folder, access: .readWrite, isNew: true)
        let error = #expect(throws: GranaryError.self) {
            try LogEngine(folder: folder, access: .readWrite, isNew: false, busyTimeout: .milliseconds(20))
        }
        #expect(error?.code == .busy)
        try first.close()
        let second = try LogEngine(folder: folder, access: .readWrite, isNew: false)
        try second.close()
    }

    @Test func `what is undone by a savepoint is not in the log`() throws {
        let engine = try LogEngine(folder: folder, access: .readWrite, isNew: true)
        try engine.prepare(keyspaces: [Keyspace(1)])
        let writer = try engine.beginWrite()
        func put(_ key: [UInt8]) throws {
            try key.withUnsafeBytes {
                try writer.reserve($0, count: 1, in: Keyspace(1), mode: .replace)?.copyBytes(from: key)
            }
        }
        try put([1])
        try writer.beginSavepoint()
        try put([2])
        try writer.rollbackSavepoint()
        try writer.beginSavepoint()
        try put([3])
        try writer.releaseSavepoint()
        try writer.commit()
        try engine.close()
        var found: [[UInt8]] = []
        _ = try bytes().withUnsafeBytes { log in
            try LogFormat.replay(log) { changes in
                try KeyValueChanges.forEach(in: changes) { _, key, value in
                    found += [Array(key), value.map { Array($0) } ?? []]
                }
            }
        }
        #expect(found == [[1], [1], [3], [3]])
    }
}
