#if os(Linux)
    import GranaryPlatform
    import TestSupport
    import Foundation
    import Testing

    @testable import GranaryStoreKit

    /// What happens to those who wait for the lock of a folder that is gone when they get it.
    @Suite struct StoreFolderReplacedTests {
        /// How many descriptors of this process are open on the file.
        private func descriptors(_ path: String) -> Int {
            names("/proc/self/fd").count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
            }
        }

        /// Opens on another thread while this one holds the lock, changes the folder once the other waits, and lets go.
        private func open<T>(
            _ folder: TemporaryFolder, held kind: OpenFile.LockKind, meanwhile: () throws -> T
        ) throws -> (StoreFolder, T) {
            let lock = try OpenFile(folder("S/LOCK"), .reading)
            #expect(try lock.tryLock(kind))
            nonisolated(unsafe) var result: Result<StoreFolder, any Error>?
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                result = Result { try openStore(folder("S"), timeout: 60, content: "by the one that waited") }
                done.signal()
            }
            let deadline = Deadline(seconds: 30)
            while descriptors(folder("S/LOCK")) < 2, !deadline.isOver { sched_yield() }
            let made = try meanwhile()
            lock.unlock()
            done.wait()
            return (try #require(result).get(), made)
        }

        private func replace(_ folder: TemporaryFolder) throws -> StoreFolder {
            rename(folder("S"), folder("moved"))
            return try openStore(folder("S"), content: "replacement")
        }

        @Test func `whoever waited for a store that was replaced opens the new one`() throws {
            let folder = try TemporaryFolder()
            try openStore(folder("S"), content: "old").close()
            let (opened, replacement) = try open(folder, held: .exclusive) { try replace(folder) }
            #expect(opened.identity == replacement.identity)
            #expect(content(opened) == "replacement")
            #expect(text(folder("moved/gen-0001/db")) == "old")
        }

        @Test func `whoever waited to create in a folder that was replaced does not create there`() throws {
            let folder = try TemporaryFolder()
            mkdir(folder("S"), 0o700)
            try write("", to: folder("S/LOCK"))
            let (opened, replacement) = try open(folder, held: .shared) { try replace(folder) }
            #expect(opened.identity == replacement.identity)
            #expect(content(opened) == "replacement")
            #expect(names(folder("moved")) == ["LOCK"])
        }

        @Test func `whoever waited to create opens what was created meanwhile`() throws {
            for _ in 0..<10 {
                let folder = try TemporaryFolder()
                mkdir(folder("S"), 0o700)
                try write("", to: folder("S/LOCK"))
                let (opened, _) = try open(folder, held: .shared) {
                    // Time for the other to see that there is no store, and to wait for the exclusive lock.
                    for _ in 0..<1_000 { sched_yield() }
                    let current = String(decoding: StoreDescription(kind: "sqlite").bytes, as: UTF8.self)
                    try write(current, to: folder("S/CURRENT.tmp"))
                    mkdir(folder("S/gen-0001"), 0o700)
                    try write("by another", to: folder("S/gen-0001/db"))
                    rename(folder("S/CURRENT.tmp"), folder("S/CURRENT"))
                }
                #expect(content(opened) == "by another")
                #expect(names(folder("S")) == ["CURRENT", "LOCK", "gen-0001"])
            }
        }
    }
#endif
