import GranaryPlatform
import Foundation
import Testing

@testable import GranaryStoreKit
import TestSupport

/// What concerns a whole process: its umask, and its death.
@Suite struct StoreFolderProcessTests {
    @Test(arguments: [0, 0o022, 0o177] as [UInt32])
    func `a new store is closed to others under any umask`(mask: UInt32) async {
        await #expect(processExitsWith: .success) { [mask] in
            let folder = try TemporaryFolder()
            umask(mode_t(mask))
            let store = try StoreFolder.open(path: folder("S"), kind: "lmdb", access: .readWrite, busyTimeout: 0) {
                #expect($0 == folder("S/gen-0001"))
                try write("x", to: "\($0)/data.mdb")
                mkdir("\($0)/external", 0o777)
                chmod("\($0)/external", 0o777)
                try write("y", to: "\($0)/external/1")
                chmod("\($0)/external/1", 0o666)
            }
            #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0001"])
            #expect(store.generationPath == folder("S/gen-0001"))
            #expect(store.generation == 1)
            #expect(try !store.isOpenToOthers)
            for name in ["S", "S/gen-0001", "S/gen-0001/external"] {
                #expect(try permissions(folder(name)) == 0o700, "\(name)")
            }
            for name in ["S/CURRENT", "S/LOCK", "S/gen-0001/data.mdb", "S/gen-0001/external/1"] {
                #expect(try permissions(folder(name)) == 0o600, "\(name)")
            }
        }
    }

    @Test func `files are 0600 and folders 0700 even when the umask takes all`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            umask(0o777)
            #expect(try FileSystem.makeFolder(folder("a")))
            let file = try OpenFolder(folder("a")).file("f", .creating)
            try file.write([1, 2, 3])
            try file.synchronize()
            #expect(try permissions(folder("a")) == 0o700)
            #expect(try permissions(folder("a/f")) == 0o600)
            #expect(try file.readAll(limit: 3) == [1, 2, 3])
        }
    }

    @Test func `a process killed while it creates leaves nothing that stands in the way`() async throws {
        let folder = try TemporaryFolder()
        let path = folder("S")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            _ = try StoreFolder.open(path: path, kind: "sqlite", access: .readWrite, busyTimeout: 0) {
                try write("half", to: "\($0)/db")
                kill(getpid(), SIGKILL)
            }
        }
        #expect(names(path) == ["CURRENT.tmp", "LOCK", "gen-0001"])
        #expect(content(try openStore(path)) == "new")
    }

    @Test func `a process killed while it switches leaves the old data and no lock`() async throws {
        let folder = try TemporaryFolder()
        let path = folder("S")
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try openStore(path, content: "old").switchGeneration(busyTimeout: 0) {
                try write("half", to: "\($0)/db")
                kill(getpid(), SIGKILL)
            }
        }
        #expect(names(path) == ["CURRENT", "LOCK", "gen-0001", "gen-0002"])
        let store = try openStore(path)
        #expect(content(store) == "old")
        #expect(names(path) == ["CURRENT", "LOCK", "gen-0001"])
    }
}
