import GranaryPlatform
import Foundation
import Testing

@testable import GranaryStoreKit
import TestSupport

/// What needs a file system or a user of its own. Where the system does not permit that, the test is skipped.
@Suite(.serialized) struct StoreFolderDiskTests {
    private static let ownDisk = ConditionTrait.enabled(
        if: SmallDisk.isPermitted, "mounting a disk needs the rights of root")

    /// Runs the body on a small disk in memory.
    private func onSmallDisk(_ body: (_ path: String, _ remount: (String) throws -> Void) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try #require(SmallDisk.mount("256k", at: folder.path))
        defer { SmallDisk.unmount(folder.path) }
        try body(folder.path) { options throws in #expect(SmallDisk.remount(options, at: folder.path)) }
    }

    /// Writes zeros until the disk takes no more.
    private func fill(_ path: String) throws {
        let file = try OpenFolder((path as NSString).deletingLastPathComponent)
            .file((path as NSString).lastPathComponent, .creating)
        for page in 0..<10_000 {
            for step in [4096, 1] {
                try file.write([UInt8](repeating: 0, count: step), at: Int64(page * 4096))
            }
        }
    }

    @Test(ownDisk) func `a full disk during creation is full and leaves nothing`() throws {
        try onSmallDisk { path, _ throws in
            let result = code {
                _ = try StoreFolder.open(path: "\(path)/S", kind: "sqlite", access: .readWrite, busyTimeout: 0) {
                    try fill("\($0)/db")
                }
            }
            #expect(result == .full)
            #expect(names(path) == [])
            #expect(content(try openStore("\(path)/S")) == "new")
        }
    }

    @Test(ownDisk) func `a full disk before creation is full and leaves nothing`() throws {
        try onSmallDisk { path, _ throws in
            #expect(code { try fill("\(path)/ballast") } == .full)
            #expect(try FileSystem.freeSpace(path) == 0)
            #expect(code { try openStore("\(path)/S") } == .full)
            #expect(names(path) == ["ballast"])
        }
    }

    @Test(ownDisk) func `a disk that is full when the switch is published keeps the old data`() throws {
        try onSmallDisk { path, _ throws in
            let store = try openStore("\(path)/S", content: "old")
            let result = code {
                // A build that does not notice: then CURRENT.tmp has no room.
                try store.switchGeneration(busyTimeout: 0) { try? fill("\($0)/db") }
            }
            #expect(result == .full)
            #expect(names("\(path)/S") == ["CURRENT", "LOCK", "gen-0001"])
            #expect(content(store) == "old")
            store.close()
            #expect(content(try openStore("\(path)/S")) == "old")
        }
    }

    @Test(ownDisk) func `a disk mounted read-only is read and not written`() throws {
        try onSmallDisk { path, remount throws in
            try openStore("\(path)/S").close()
            mkdir("\(path)/empty", 0o700)
            try remount("ro")
            #expect(content(try openStore("\(path)/S", .readOnly)) == "new")
            #expect(code { try openStore("\(path)/S") } == .readOnly)
            #expect(code { try openStore("\(path)/T") } == .readOnly)
            #expect(code { try openStore("\(path)/empty") } == .readOnly)
            #expect(code { try StoreFolder.destroy(path: "\(path)/S") } == .readOnly)
        }
    }

    private typealias SetUser = @convention(c) (UInt32) -> Int32

    /// `setfsuid(2)`; nil where the system has no such call.
    private static var setUser: SetUser? { dlsym(nil, "setfsuid").map { unsafeBitCast($0, to: SetUser.self) } }

    /// Runs the body without root's rights, for this thread and for files only.
    private func asNobody(_ body: () -> Void) throws {
        guard getuid() == 0 else { return body() }
        guard let setUser = Self.setUser else {
            Issue.record("root cannot give up its rights here")
            return
        }
        _ = setUser(65_534)
        defer { _ = setUser(0) }
        try #require(setUser(65_534) == 65_534)
        body()
    }

    @Test(.enabled(if: getuid() != 0 || setUser != nil, "root cannot give up its rights here"))
    func `folders of others are refused, and read where that is allowed`() throws {
        let folder = try TemporaryFolder()
        try openStore(folder("closed")).close()
        chmod(folder("closed"), 0)
        try openStore(folder("readable")).close()
        for name in ["readable", "readable/gen-0001"] { chmod(folder(name), 0o555) }
        for name in ["readable/CURRENT", "readable/LOCK", "readable/gen-0001/db"] { chmod(folder(name), 0o444) }
        chmod(folder.path, 0o555)
        defer {
            for name in [".", "closed", "readable", "readable/gen-0001"] { chmod(folder(name), 0o700) }
        }
        try asNobody {
            for access in [StoreAccess.readOnly, .readWrite] {
                #expect(code { try openStore(folder("closed"), access) } == .permissionDenied)
            }
            #expect(code { try openStore(folder("readable")) } == .permissionDenied)
            #expect(code { try StoreFolder.destroy(path: folder("readable")) } == .permissionDenied)
            #expect(code { try openStore(folder("new")) } == .permissionDenied)
            do {
                #expect(content(try openStore(folder("readable"), .readOnly)) == "new")
                #expect(try StoreFolder.inspect(path: folder("readable")).kind == "sqlite")
            } catch {
                Issue.record(error)
            }
        }
        #expect(names(folder.path) == ["closed", "readable"])
    }
}
