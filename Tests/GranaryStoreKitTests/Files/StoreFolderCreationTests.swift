import GranaryPlatform
import Foundation
import Testing

@testable import GranaryStoreKit
import TestSupport

@Suite struct StoreFolderCreationTests {
    @Test func `a creation that throws leaves nothing`() throws {
        let folder = try TemporaryFolder()
        for _ in 0..<2 {
            #expect(throws: Planned.self) {
                try StoreFolder.open(path: folder("S"), kind: "sqlite", access: .readWrite, busyTimeout: 0) {
                    try write("half", to: "\($0)/db")
                    throw Planned()
                }
            }
            #expect(names(folder.path) == [])
        }
        #expect(content(try openStore(folder("S"))) == "new")
    }

    @Test func `a creation that throws in a folder that was there leaves the folder`() throws {
        let folder = try TemporaryFolder()
        mkdir(folder("S"), 0o700)
        #expect(throws: Planned.self) {
            try StoreFolder.open(path: folder("S"), kind: "sqlite", access: .readWrite, busyTimeout: 0) { _ in
                throw Planned()
            }
        }
        #expect(names(folder("S")).filter { $0 != "LOCK" } == [])
        #expect(content(try openStore(folder("S"))) == "new")
    }

    /// The folder after a kill between any two steps of the creation. A name with content is a file.
    static let states: [[(name: String, content: String?)]] = [
        [],
        [("LOCK", "")],
        [("LOCK", ""), ("CURRENT.tmp", "")],
        [("LOCK", ""), ("CURRENT.tmp", "granary\nform")],
        [("LOCK", ""), ("CURRENT.tmp", StoreFolderCreationTests.whole)],
        [("LOCK", ""), ("CURRENT.tmp", StoreFolderCreationTests.whole), ("gen-0001", nil)],
        [("LOCK", ""), ("CURRENT.tmp", StoreFolderCreationTests.whole), ("gen-0001", nil), ("gen-0001/db", "ha")],
        [
            ("LOCK", ""), ("CURRENT.tmp", StoreFolderCreationTests.whole), ("gen-0001", nil), ("gen-0001/db", "half"),
            ("gen-0001/x", ""),
        ],
        // While the left-overs were being removed.
        [("LOCK", ""), ("gen-0001", nil)],
        // While a store of three generations was being destroyed, or its LOCK did not reach the disk.
        [("CURRENT.tmp", StoreFolderCreationTests.whole), ("gen-0003", nil), ("gen-0003/db", "old")],
    ]
    static let whole = String(decoding: StoreDescription(kind: "sqlite").bytes, as: UTF8.self)

    @Test(arguments: states.indices)
    func `a creation that was killed is begun again`(state: Int) throws {
        let folder = try TemporaryFolder()
        mkdir(folder("S"), 0o700)
        for (name, content) in Self.states[state] {
            if let content { try write(content, to: folder("S/\(name)")) } else { mkdir(folder("S/\(name)"), 0o700) }
        }
        let before = names(folder("S"))
        #expect(code { try openStore(folder("S"), .readOnly) } == .notAStore)
        #expect(names(folder("S")) == before)

        let store = try openStore(folder("S"))
        #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0001"])
        #expect(names(store.generationPath) == ["db"])
        #expect(content(store) == "new")
    }

    @Test func `what the folder shows at each moment of a creation is a state that is begun again`() throws {
        let folder = try TemporaryFolder()
        try StoreFolder.open(path: folder("S"), kind: "sqlite", access: .readWrite, busyTimeout: 0) {
            try write("half", to: "\($0)/db")
            #expect(names(folder("S")) == ["CURRENT.tmp", "LOCK", "gen-0001"])
            try FileManager.default.copyItem(atPath: folder("S"), toPath: folder("killed"))
        }.close()
        #expect(content(try openStore(folder("killed"))) == "new")
    }

    @Test func `of many that create at once one creates and all open`() throws {
        for round in 0..<20 {
            let folder = try TemporaryFolder()
            if round % 2 == 1 { mkdir(folder("S"), 0o700) }
            let lock = Lock()
            nonisolated(unsafe) var created = 0
            nonisolated(unsafe) var stores: [StoreFolder] = []
            nonisolated(unsafe) var errors: [String] = []
            DispatchQueue.concurrentPerform(iterations: 12) { index in
                do {
                    let store = try StoreFolder.open(
                        path: folder("S"), kind: "sqlite", access: .readWrite, busyTimeout: 30
                    ) {
                        lock.withLock { created += 1 }
                        try write("by \(index)", to: "\($0)/db")
                    }
                    lock.withLock { stores.append(store) }
                } catch {
                    lock.withLock { errors.append("\(error)") }
                }
            }
            #expect(errors == [])
            #expect(created == 1)
            #expect(stores.count == 12)
            #expect(Set(stores.map { content($0) }).count == 1)
            #expect(Set(stores.map(\.identity)).count == 1)
        }
    }

    @Test func `creations that fail, and destructions, never break those beside them`() throws {
        let folder = try TemporaryFolder()
        let lock = Lock()
        nonisolated(unsafe) var unexpected: [String] = []
        nonisolated(unsafe) var opened = 0
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            for turn in 0..<40 {
                do {
                    if (index + turn) % 5 == 4 {
                        try StoreFolder.destroy(path: folder("S"), busyTimeout: 0.005)
                        continue
                    }
                    let store = try StoreFolder.open(
                        path: folder("S"), kind: "sqlite", access: .readWrite, busyTimeout: 30
                    ) {
                        try write("whole", to: "\($0)/db")
                        if (index + turn) % 3 == 0 { throw Planned() }
                    }
                    lock.withLock {
                        opened += 1
                        if content(store) != "whole" { unexpected.append("content \(content(store) ?? "nil")") }
                    }
                } catch is Planned {
                } catch let error as GranaryError where error.code == .busy || error.code == .notAStore {
                } catch {
                    lock.withLock { unexpected.append("\(error)") }
                }
            }
        }
        #expect(unexpected == [])
        #expect(opened > 0)
        #expect(content(try openStore(folder("S"), content: "whole")) == "whole")
    }
}
