import Foundation
import Testing

@testable import GranaryPlatform
import TestSupport

@Suite struct FileSystemTests {
    @Test(arguments: [
        (ENOENT, GranaryError.Code.invalidPath), (ENOTDIR, .invalidPath), (ELOOP, .invalidPath), (EISDIR, .invalidPath),
        (ENAMETOOLONG, .invalidPath), (EACCES, .permissionDenied), (EPERM, .permissionDenied), (EROFS, .readOnly),
        (ENOSPC, .full), (EDQUOT, .full), (EIO, .io), (EMFILE, .io), (ENOLCK, .io),
    ])
    func `an errno has a code, and its number and words are kept`(number: Int32, code: GranaryError.Code) {
        let error = GranaryError.posix(number, "open", "/a/b")
        #expect(error.code == code)
        #expect(error.underlying?.engine == "posix")
        #expect(error.underlying?.code == number)
        #expect(error.underlying?.message == String(cString: strerror(number)))
        #expect(error.message.hasPrefix("Cannot open /a/b. "))
    }

    @Test func `writing goes on after short writes and signals`() throws {
        let bytes = (0..<100).map { UInt8($0) }
        var written: [UInt8] = []
        var calls = 0
        try OpenFile.writeAll(bytes, at: 10, "x") { pointer, count, offset in
            calls += 1
            if calls % 3 == 0 {
                errno = EINTR
                return -1
            }
            #expect(offset == Int64(10 + written.count))
            let now = min(count, 7)
            written += UnsafeRawBufferPointer(start: pointer, count: now)
            return now
        }
        #expect(written == bytes)
    }

    @Test func `a write that the disk refuses is full`() {
        var calls = 0
        let code = code {
            try OpenFile.writeAll([1, 2, 3], at: 0, "x") { _, _, _ in
                calls += 1
                if calls == 1 { return 2 }
                errno = ENOSPC
                return -1
            }
        }
        #expect(code == .full)
        #expect(calls == 2)
    }

    /// The code of a write that fails with an input or output error.
    private func codeOfWriting(in path: String) -> GranaryError.Code? {
        code {
            try OpenFile.writeAll([1, 2, 3], at: 0, "\(path)/file") { _, _, _ in
                errno = EIO
                return -1
            }
        }
    }

    @Test func `an input or output error stays one where the disk has room`() throws {
        let folder = try TemporaryFolder()
        withExtendedLifetime(folder) { #expect(codeOfWriting(in: folder.path) == .io) }
    }

    @Test(.enabled(if: SmallDisk.isPermitted, "mounting a disk needs the rights of root"))
    func `an input or output error is full where the disk has no room`() throws {
        let folder = try TemporaryFolder()
        try #require(SmallDisk.mount("64k", at: folder.path))
        defer { SmallDisk.unmount(folder.path) }
        #expect(codeOfWriting(in: folder.path) == .full)
    }

    @Test func `a file that is longer than the limit is not read`() throws {
        let folder = try TemporaryFolder()
        try write("12345", to: folder("f"))
        #expect(try OpenFile(folder("f"), .reading).readAll(limit: 5) == Array("12345".utf8))
        #expect(code { _ = try OpenFile(folder("f"), .reading).readAll(limit: 4) } == .limit)
        #expect(try OpenFile(folder("f"), .reading).readAll(limit: .max) == Array("12345".utf8))
        #expect(code { _ = try OpenFile(folder("f"), .reading).readAll(limit: -1) } == .limit)
    }

    @Test func `the status of a file says when its contents were changed, to the nanosecond`() throws {
        let folder = try TemporaryFolder()
        try write("1", to: folder("f"))
        let times = [timespec(tv_sec: 5, tv_nsec: 6), timespec(tv_sec: 1_234_567_890, tv_nsec: 987_654_321)]
        try #require(utimensat(AT_FDCWD, folder("f"), times, 0) == 0)
        let status = try FileSystem.status(folder("f"))
        #expect(status?.changed == FileTime(seconds: 1_234_567_890, nanoseconds: 987_654_321))
    }

    @Test func `links, folders and pipes are not opened as files`() throws {
        let folder = try TemporaryFolder()
        try write("secret", to: folder("f"))
        symlink(folder("f"), folder("link"))
        mkfifo(folder("pipe"), 0o600)
        mkdir(folder("dir"), 0o700)
        for name in ["link", "pipe", "dir"] {
            #expect(code { _ = try OpenFile(folder(name), .reading) } == .invalidPath, "\(name)")
        }
        #expect(code { _ = try OpenFile(folder("none"), .reading) } == .invalidPath)
        symlink(folder("dir"), folder("dirlink"))
        #expect(code { _ = try OpenFolder(folder("dirlink")) } == .invalidPath)
    }

    @Test func `removing a tree removes links but not what they point to`() throws {
        let folder = try TemporaryFolder()
        let outside = try TemporaryFolder()
        try write("keep", to: outside("keep"))
        for name in ["t", "t/a", "t/a/b"] { mkdir(folder(name), 0o700) }
        try write("x", to: folder("t/a/b/f"))
        symlink(outside.path, folder("t/a/link"))
        symlink(outside("keep"), folder("t/link"))
        // A name that is not UTF-8.
        #expect(close(open([CChar](folder("t/").utf8CString.dropLast()) + [-1, -2, 0], O_CREAT | O_RDWR, 0o600)) == 0)
        let root = try OpenFolder(folder.path)
        try root.removeTree("t")
        #expect(try root.names() == [])
        #expect(text(outside("keep")) == "keep")
        try root.removeTree("t")
    }

    @Test func `a tree that is too deep is refused`() throws {
        let folder = try TemporaryFolder()
        var path = folder("t")
        for _ in 0..<40 {
            mkdir(path, 0o700)
            path += "/d"
        }
        #expect(code { try OpenFolder(folder.path).removeTree("t") } == .limit)
    }

    @Test func `a file lock keeps descriptors of one process apart`() throws {
        let folder = try TemporaryFolder()
        let one = try OpenFolder(folder.path).file("LOCK", .creating)
        let two = try OpenFile(folder("LOCK"), .reading)
        #expect(try one.tryLock(.shared))
        #expect(try two.tryLock(.shared))
        #expect(try !one.lock(.exclusive, timeout: .milliseconds(20)))
        #expect(try two.tryLock(.exclusive), "a failed change of kind has given up the lock that was held")
        two.unlock()
        #expect(try one.tryLock(.exclusive))
    }

    @Test func `locks on bytes know nothing of each other, and a failed change of kind keeps the old lock`() throws {
        let folder = try TemporaryFolder()
        let one = try OpenFile(folder("LOCK"), .writingOrCreating)
        let two = try OpenFile(folder("LOCK"), .writingOrCreating)
        #expect(try one.tryLock(.exclusive, on: .byte(0)))
        #expect(try two.tryLock(.exclusive, on: .byte(1 << 40)))
        #expect(try !two.lock(.shared, on: .byte(0), until: Deadline(seconds: 0.02)))
        #expect(try one.tryLock(.shared, on: .byte(0)))
        #expect(try two.tryLock(.shared, on: .byte(0)))
        #expect(try !one.tryLock(.exclusive, on: .byte(0)))
        #expect(try !two.tryLock(.exclusive, on: .byte(0)), "the first one still has its shared lock")
        one.unlock(.byte(0))
        #expect(try two.tryLock(.exclusive, on: .byte(0)))
    }

    @Test func `a file's last reference gives up its locks`() throws {
        let folder = try TemporaryFolder()
        let other = try OpenFile(folder("LOCK"), .writingOrCreating)
        do {
            let file = try OpenFile(folder("LOCK"), .writingOrCreating)
            #expect(try file.tryLock(.exclusive, on: .byte(5)))
            #expect(try file.tryLock(.exclusive))
        }
        #expect(try other.tryLock(.exclusive, on: .byte(5)))
        #expect(try other.tryLock(.exclusive))
    }

    @Test func `deadlines take any number`() {
        for seconds in [0, -1, Double.nan, -Double.infinity] { #expect(Deadline(seconds: seconds).isOver) }
        for seconds in [1e300, Double.infinity, 100] { #expect(!Deadline(seconds: seconds).isOver) }
    }

    @Test func `the table of mounts tells network file systems`() throws {
        let mounts = """
            36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw
            40 35 0:51 / /net rw,relatime shared:5 master:2 - nfs4 host:/x rw
            41 35 0:52 / /nfs4 rw - tmpfs nfs4 rw
            garbage
            """
        #expect(!FileSystem.isOnNetwork(device: 98 << 8, mounts: mounts))
        #expect(FileSystem.isOnNetwork(device: 51, mounts: mounts))
        #expect(!FileSystem.isOnNetwork(device: 52, mounts: mounts))
        let folder = try TemporaryFolder()
        #expect(try !FileSystem.isOnNetwork(folder.path))
        #expect(try FileSystem.freeSpace(folder.path) > 0)
    }
}
