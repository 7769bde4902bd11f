import GranaryPlatform
import Foundation
import Testing

@testable import GranaryStoreKit
import TestSupport

@Suite struct StoreFolderSwitchTests {
    private func replace(_ store: StoreFolder, _ content: String, timeout: Double = 0) throws {
        try store.switchGeneration(busyTimeout: timeout) { try write(content, to: "\($0)/db") }
    }

    @Test func `a switch replaces the data and removes the old`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"), content: "1")
        let identity = store.identity
        try store.switchGeneration(busyTimeout: 0) {
            #expect($0 == folder("S/gen-0002"))
            #expect(content(store) == "1", "the old generation is there to copy from")
            try write("2", to: "\($0)/db")
        } open: {
            #expect($0 == folder("S/gen-0002"))
            #expect(content(store) == "1", "the new generation is not live before it was opened")
        } wentLive: {
            #expect(content(store) == "2")
            #expect(names(folder("S")).contains("gen-0001"), "the old generation can still be opened by name")
        }
        #expect(content(store) == "2")
        #expect(store.generation == 2)
        #expect(store.identity == identity)
        #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0002"])
        #expect(try permissions(folder("S/gen-0002/db")) == 0o600)
        try replace(store, "3")
        #expect(content(try openStore(folder("S"))) == "3")
    }

    @Test func `a store in a folder that gives its group to what is made in it passes the group on`() throws {
        let folder = try TemporaryFolder()
        #expect(chmod(folder.path, 0o2770) == 0)
        #expect(mkdir(folder("plain"), 0o700) == 0)
        // Linux hands the bit on to a new folder; on Darwin every folder gives its group.
        let bit = (try permissions(folder("plain")) ?? 0) & 0o2000
        let store = try openStore(folder("S"), content: "1")
        for name in ["S", "S/gen-0001"] { #expect(try permissions(folder(name)) == 0o700 | bit, "\(name)") }
        try replace(store, "2")
        for name in ["S", "S/gen-0002"] { #expect(try permissions(folder(name)) == 0o700 | bit, "\(name)") }
        #expect(try permissions(folder("S/gen-0002/db")) == 0o600)
    }

    @Test func `a switch that throws changes nothing and can be tried again`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"), content: "1")
        #expect(throws: Planned.self) {
            try store.switchGeneration(busyTimeout: 0) {
                try write("half", to: "\($0)/db")
                throw Planned()
            }
        }
        #expect(content(store) == "1")
        #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0001"])
        let other = try OpenFile(folder("S/LOCK"), .reading)
        #expect(try !other.tryLock(.exclusive), "the store is locked for sharing again")
        #expect(try other.tryLock(.shared))
        other.unlock()
        try replace(store, "2")
        #expect(content(store) == "2")
    }

    @Test func `a switch needs the store alone`() throws {
        let folder = try TemporaryFolder()
        let one = try openStore(folder("S"), content: "1")
        let two = try openStore(folder("S"))
        #expect(code { try replace(one, "2", timeout: 0.02) } == .busy)
        #expect(content(one) == "1")
        #expect(content(two) == "1")
        two.close()
        try replace(one, "2")
        #expect(content(one) == "2")
    }

    @Test func `a process that looks whether a switch is running does not hinder one`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"), content: "1")
        let looking = try OpenFolder(folder("S"))
        try #require(try looking.tryLock())
        // As the other process, which has looked by now.
        Thread.detachNewThread {
            usleep(20_000)
            looking.unlock()
        }
        try replace(store, "2")
        #expect(content(store) == "2")
    }

    @Test func `nobody opens the store during a switch`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"))
        try store.switchGeneration(busyTimeout: 0) { _ in
            #expect(code { try openStore(folder("S"), .readOnly) } == .busy)
            #expect(code { try openStore(folder("S"), timeout: 0.01) } == .busy)
            #expect(code { try replace(store, "inner") } == .busy)
        }
        try openStore(folder("S"))
    }

    @Test func `of two that switch at once neither takes the other's generation away`() throws {
        let folder = try TemporaryFolder()
        let one = try openStore(folder("S"), content: "1")
        let two = try openStore(folder("S"))
        let lock = Lock()
        nonisolated(unsafe) var codes: [GranaryError.Code?] = []
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            let result = code { try replace(index == 0 ? one : two, "by \(index)", timeout: 0.2) }
            lock.withLock { codes.append(result) }
        }
        #expect(codes == [.busy, .busy])
        #expect(content(one) == "1" && content(two) == "1")
        two.close()
        try replace(one, "2")
        #expect(content(one) == "2")
    }

    @Test func `a switch is refused when closed or reading only`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"))
        let reader = try openStore(folder("S"), .readOnly)
        #expect(code { try replace(reader, "x") } == .readOnly)
        store.close()
        #expect(code { try replace(store, "x") } == .closed)
        #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0001"])
    }

    @Test func `closing during a switch keeps the lock until it ends`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"))
        let other = try OpenFile(folder("S/LOCK"), .reading)
        try store.switchGeneration(busyTimeout: 0) {
            store.close()
            #expect(try !other.tryLock(.shared))
            try write("2", to: "\($0)/db")
        }
        #expect(try other.tryLock(.exclusive))
        other.unlock()
        #expect(content(try openStore(folder("S"))) == "2")
    }

    /// The folder after a kill between any two steps of a switch from generation 1 to 2.
    @Test(arguments: ["folder", "half", "next", "renamed"])
    func `a switch that was killed leaves the old data or the new`(moment: String) throws {
        let folder = try TemporaryFolder()
        try openStore(folder("S"), content: "old").close()
        mkdir(folder("S/gen-0002"), 0o700)
        if moment != "folder" { try write("new", to: folder("S/gen-0002/db")) }
        let next = String(decoding: StoreDescription(kind: "sqlite", generation: 2).bytes, as: UTF8.self)
        if moment == "next" { try write(next, to: folder("S/CURRENT.tmp")) }
        if moment == "renamed" { try write(next, to: folder("S/CURRENT")) }
        let live = moment == "renamed" ? "new" : "old"

        let before = names(folder("S"))
        let reader = try openStore(folder("S"), .readOnly)
        #expect(content(reader) == live)
        let held = try openStore(folder("S"))
        #expect(names(folder("S")) == before, "left-overs stay while another has the store open")
        reader.close()
        held.close()
        let store = try openStore(folder("S"))
        #expect(content(store) == live)
        #expect(names(folder("S")) == ["CURRENT", "LOCK", moment == "renamed" ? "gen-0002" : "gen-0001"])
    }

    @Test func `foreign files stay through opening, switching and destroying`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"))
        let foreign = ["gen-0001.bak", "gen-1", "notes.txt"]
        for name in foreign { try write("mine", to: folder("S/\(name)")) }
        mkdir(folder("S/gen-0009"), 0o700)
        try replace(store, "2")
        store.close()
        try openStore(folder("S")).close()
        #expect(names(folder("S")) == (["CURRENT", "LOCK", "gen-0002"] + foreign).sorted())
        try StoreFolder.destroy(path: folder("S"))
        #expect(names(folder("S")) == foreign)
    }

    @Test func `destroying removes the store, but not one that is open`() throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder("S"))
        #expect(code { try StoreFolder.destroy(path: folder("S"), busyTimeout: 0.01) } == .busy)
        #expect(content(store) == "new")
        store.close()
        try StoreFolder.destroy(path: folder("S"))
        #expect(names(folder.path) == [])
        #expect(code { try StoreFolder.destroy(path: folder("S")) } == .notAStore)
        try openStore(folder("S")).close()
        try write("granary\nbroken", to: folder("S/CURRENT"))
        try StoreFolder.destroy(path: folder("S"))
        #expect(names(folder.path) == [])
        #expect(code { try StoreFolder.destroy(path: folder.path) } == .notAStore, "an empty folder is no store")
    }
}
