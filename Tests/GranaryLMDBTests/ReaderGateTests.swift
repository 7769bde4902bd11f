import Foundation
import GranaryCore
import GranaryKeyValue
import GranaryPlatform
import Synchronization
import TestSupport
import Testing

@testable import GranaryLMDB

/// Readers that begin and end without the engine's lock, beside what needs that there are none.
@Suite struct ReaderGateTests {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Runs a body while threads read all the time. Each of their reads must see at least what was committed before it began.
    private func whileReading(_ engine: LMDBEngine, _ body: (_ committed: borrowing Atomic<Int>) throws -> Void) throws
    {
        let shared = Shared()
        let readers = (0..<4).map { _ in
            let finished = DispatchSemaphore(value: 0)
            Thread {
                do {
                    // Renewed at each second read, as a store's sessions do.
                    var reader: (any KeyValueReader)?
                    var count = 0
                    while !shared.isOver.load(ordering: .acquiring) || count < 2 {
                        let least = shared.committed.load(ordering: .acquiring)
                        let isRenewed = try reader?.renew() ?? false
                        let current = try isRenewed ? reader! : engine.beginRead()
                        let seen = try current.value("number").flatMap { Int($0) } ?? 0
                        if seen < least { shared.faults.add(1, ordering: .relaxed) }
                        current.end()
                        reader = isRenewed ? nil : current
                        count += 1
                    }
                } catch {
                    shared.faults.add(1, ordering: .relaxed)
                }
                finished.signal()
            }.start()
            return finished
        }
        let result = Result { try body(shared.committed) }
        shared.isOver.store(true, ordering: .releasing)
        for reader in readers { reader.wait() }
        try result.get()
        #expect(shared.faults.load(ordering: .relaxed) == 0)
    }

    private final class Shared: Sendable {
        let committed = Atomic(0)
        let isOver = Atomic(false)
        let faults = Atomic(0)
    }

    @Test func `the map grows while threads read`() throws {
        let engine = try engine(in: folder, options: .init(mapSize: 64 << 10))
        let filling = String(repeating: "x", count: 4000)
        try whileReading(engine) { committed in
            for number in 1...300 {
                // The first attempt that finds no room asks for more, and the next one gets it.
                var attempts = 0
                var isWritten = false
                while !isWritten {
                    do {
                        try engine.write {
                            try $0.put("filling \(number)", filling)
                            try $0.put("number", "\(number)")
                        }
                        isWritten = true
                    } catch let error as GranaryError where error.code == .full && attempts < 10 {
                        attempts += 1
                    }
                }
                committed.store(number, ordering: .releasing)
            }
        }
        #expect(try engine.read { try $0.count(in: one) } == 301)
        try engine.close()
        try LMDBFileCheck.walk(path: folder.data)
    }

    @Test func `keyspaces are prepared while threads read`() throws {
        let engine = try engine(in: folder)
        try whileReading(engine) { committed in
            for number in 1...40 {
                let keyspace = Keyspace(UInt32(number + 1))
                try engine.prepare(keyspaces: [keyspace])
                try engine.write {
                    try $0.put("key", "value", in: keyspace)
                    try $0.put("number", "\(number)")
                }
                committed.store(number, ordering: .releasing)
                // A reader that has just begun knows it.
                #expect(try engine.read { try $0.value("key", in: keyspace) } == "value")
            }
        }
        try engine.close()
    }

    @Test func `a reader of another thread keeps the engine open until it ends`() throws {
        let engine = try engine(in: folder)
        let (begun, end, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        Thread {
            let reader = try? engine.beginRead()
            begun.signal()
            end.wait()
            reader?.end()
            ended.signal()
        }.start()
        begun.wait()
        #expect(code { try engine.close() } == .busy)
        // Refusing leaves it as it was.
        #expect(try engine.read { try $0.keys() } == [])
        end.signal()
        ended.wait()
        try engine.close()
        #expect(code { _ = try engine.beginRead() } == .closed)
    }

    @Test func `a reader is not renewed after the engine has closed`() throws {
        let engine = try engine(in: folder)
        let reader = try engine.beginRead()
        reader.end()
        #expect(try reader.renew())
        #expect(try reader.keys() == [])
        reader.end()
        try engine.close()
        #expect(code { _ = try reader.renew() } == .closed)
        #expect(code { _ = try reader.keys() } == .closed)
    }
}
