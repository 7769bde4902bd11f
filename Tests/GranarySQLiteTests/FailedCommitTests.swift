import CSQLite
import Foundation
import Testing

@testable import GranaryCore
@testable import GranarySQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Commits that fail while the log is written. What the caller is told must be what is there after the process has ended,
/// when nothing is left but the database and its log.
@Suite(.serialized) struct FailedCommitTests {
    enum Others: CaseIterable { case nobody, idleReader, reader }

    @Test(arguments: Others.allCases) func `what a failed commit was said to be is what recovery finds`(
        _ others: Others
    )
        throws
    {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        defer { try? store.close() }
        for key in 1...3 { try store.write { _ = try $0.insert(.genre, .integer(Int64(key)), .string("\(key)")) } }
        if others != .nobody { _ = try store.read { try $0.count(FetchRequest(entity: 0)) } }
        let reader = others == .reader ? try store.beginRead(CancellationFlag()) : nil
        defer { reader?.end() }
        var expected = 3
        var key = 3
        // With each round another write to the log fails, until none does.
        for number in 1... {
            key += 1
            let writer = try store.beginWrite()
            try writer.insert(.genre, .integer(Int64(key)), .string("\(key)"))
            LogFault.arm(folder.database + "-wal", number)
            let error = failure { try writer.commit() }
            let wasHit = LogFault.disarm()
            if error == nil { expected += 1 } else { #expect(error?.code == .io) }
            #expect(try afterTheProcess(folder) == expected)
            #expect(try store.read { try $0.count(FetchRequest(entity: 0)) } == expected)
            if !wasHit {
                #expect(number > 4)
                #expect(error == nil)
                break
            }
        }
        // And it goes on.
        try store.write { _ = try $0.insert(.genre, .integer(100), "100") }
        #expect(try afterTheProcess(folder) == expected + 1)
        #expect(try store.verify() == [])
    }

    /// How many genres another process finds when this one is gone: in copies of the database and its log.
    private func afterTheProcess(_ folder: TemporaryFolder) throws -> Int {
        let copy = folder.path + "/copy.sqlite"
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: folder.database + suffix) {
            try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: copy + suffix)
        }
        return Int(try shell(copy, "SELECT count(*) FROM Genre")[0][0]) ?? -1
    }
}

/// Has SQLite told that a write to a file failed which was made all the same: as where syncing fails, and the system
/// keeps what was written.
enum LogFault {
    /// Under `lock`, like the rest: the call that fails, counted down; 0 when none does.
    nonisolated(unsafe) private static var countdown = 0
    nonisolated(unsafe) private static var inode: UInt64 = 0
    nonisolated(unsafe) private static var wasHit = false
    private static let lock = Lock()
    /// SQLite's own way to write; set once, before the first fault.
    private static let install: Void = {
        guard let files = sqlite3_vfs_find(nil) else { return }
        for name in ["pwrite", "pwrite64"] {
            let call: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
                descriptor, bytes, count, offset in
                let written = pwrite(descriptor, bytes, count, offset)
                guard LogFault.fails(descriptor) else { return written }
                errno = EIO
                return -1
            }
            _ = files.pointee.xSetSystemCall(files, name, unsafeBitCast(call, to: sqlite3_syscall_ptr.self))
        }
    }()

    static func arm(_ path: String, _ number: Int) {
        install
        var status = stat()
        stat(path, &status)
        lock.withLock { (countdown, inode, wasHit) = (number, UInt64(status.st_ino), false) }
    }

    /// Whether the call came to which it had been armed.
    static func disarm() -> Bool {
        lock.withLock {
            countdown = 0
            return wasHit
        }
    }

    private static func fails(_ descriptor: Int32) -> Bool {
        lock.withLock {
            var status = stat()
            guard countdown > 0, fstat(descriptor, &status) == 0, UInt64(status.st_ino) == inode else { return false }
            countdown -= 1
            if countdown == 0 { wasHit = true }
            return countdown == 0
        }
    }
}
