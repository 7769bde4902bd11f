import CLMDB
import Foundation
import GranaryPlatform
import Synchronization
import Testing

@testable import GranaryLMDB
import TestSupport

/// What LMDB alone gets wrong several times a second where readers wait for a processor: its transaction of number 288 may
/// show the commit of number 520.
@Suite struct SnapshotNumberTests {
    private let folder: TemporaryFolder
    private let environment: NumberedEnvironment

    init() throws {
        folder = try TemporaryFolder()
        environment = try NumberedEnvironment(folder)
    }

    @Test func `a read transaction shows the commit of its number, however long it waits while it begins`() throws {
        let readers = DispatchGroup()
        // More threads than processors, so that each of them waits for one often.
        for _ in 0..<2 * ProcessInfo.processInfo.activeProcessorCount + 2 {
            readers.enter()
            Thread.detachNewThread { [environment] in
                environment.readUntilOver()
                readers.leave()
            }
        }
        let end = Date(timeIntervalSinceNow: 2)
        while Date.now < end { try environment.writeNumber() }
        environment.isOver.store(true, ordering: .relaxed)
        readers.wait()
        #expect(environment.wrong.load(ordering: .relaxed) == 0)
        #expect(environment.right.load(ordering: .relaxed) > 1000)
    }

    @Test func `a read transaction begins although the meta pages have a number that readers do not get`() throws {
        try environment.writeNumber()
        let number = environment.lastNumber
        // What a commit leaves whose writing fails, and fails again when it is undone.
        let file = try OpenFile(folder.data, .writing)
        let place = Int64((number + 1) % 2) * Int64(environment.pageSize) + 144
        try file.write(withUnsafeBytes(of: UInt64(number + 1).littleEndian) { Array($0) }, at: place)
        #expect(environment.lastNumber == number + 1)
        var transaction: OpaquePointer?
        #expect(LMDBEngine.beginReading(environment.pointer, &transaction) == 0)
        #expect(mdb_txn_id(transaction) == number)
        #expect(environment.isRight(transaction))
        mdb_txn_abort(transaction)
    }
}

/// An environment with one entry, in which each commit writes its own number.
private final class NumberedEnvironment: Sendable {
    // Environments may be used by all threads; set once.
    nonisolated(unsafe) let pointer: OpaquePointer
    private let handle: MDB_dbi
    let isOver = Atomic(false)
    let right = Atomic(0)
    let wrong = Atomic(0)

    init(_ folder: TemporaryFolder) throws {
        var environment: OpaquePointer?
        try #require(mdb_env_create(&environment) == 0)
        pointer = try #require(environment)
        try #require(mdb_env_set_mapsize(pointer, 1 << 30) == 0)
        try #require(mdb_env_open(pointer, folder.path, UInt32(MDB_NOTLS | MDB_NOSYNC), 0o644) == 0)
        var transaction: OpaquePointer?
        var handle: MDB_dbi = 0
        try #require(mdb_txn_begin(pointer, nil, 0, &transaction) == 0)
        try #require(mdb_dbi_open(transaction, nil, 0, &handle) == 0)
        try #require(mdb_txn_commit(transaction) == 0)
        self.handle = handle
        try writeNumber()
    }

    deinit { mdb_env_close(pointer) }

    var pageSize: Int {
        var statistics = MDB_stat()
        mdb_env_stat(pointer, &statistics)
        return Int(statistics.ms_psize)
    }

    /// The highest number in the meta pages.
    var lastNumber: Int {
        var information = MDB_envinfo()
        mdb_env_info(pointer, &information)
        return information.me_last_txnid
    }

    func writeNumber() throws {
        var transaction: OpaquePointer?
        try #require(mdb_txn_begin(pointer, nil, 0, &transaction) == 0)
        var number = mdb_txn_id(transaction)
        let result = withUnsafeMutableBytes(of: &number) { number in
            withKey { key in
                var value = MDB_val(mv_size: number.count, mv_data: number.baseAddress)
                return mdb_put(transaction, handle, key, &value, 0)
            }
        }
        try #require(result == 0)
        try #require(mdb_txn_commit(transaction) == 0)
    }

    func isRight(_ transaction: OpaquePointer?) -> Bool {
        var value = MDB_val()
        let result = withKey { mdb_get(transaction, handle, $0, &value) }
        return result == 0 && value.mv_data.loadUnaligned(as: Int.self) == mdb_txn_id(transaction)
    }

    func readUntilOver() {
        var transaction: OpaquePointer?
        while !isOver.load(ordering: .relaxed) {
            let hasBegun = LMDBEngine.beginReading(pointer, &transaction) == 0
            if hasBegun, isRight(transaction) {
                right.add(1, ordering: .relaxed)
            } else {
                wrong.add(1, ordering: .relaxed)
            }
            if hasBegun { mdb_txn_reset(transaction) }
        }
        mdb_txn_abort(transaction)
    }

    private func withKey<T>(_ body: (UnsafeMutablePointer<MDB_val>) -> T) -> T {
        var name: UInt8 = 1
        return withUnsafeMutableBytes(of: &name) {
            var key = MDB_val(mv_size: $0.count, mv_data: $0.baseAddress)
            return body(&key)
        }
    }
}
