#if os(Linux)
    import Foundation
    import Testing

    @testable import GranaryCore

    /// What happens to those who wait for the lock of a folder that is gone when they get it.
    @Suite struct StoreFolderReplacedTests {
        /// How many descriptors of this process are open on the file.
        private func descriptors(_ path: String) -> Int {
            names("/proc/self/fd").count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
            }
        }

        /// Opens on another thread while this one holds the lock, replaces the folder once the other waits, and lets go.
        private func openWhileReplaced(
            _ folder: TemporaryFolder, held kind: OpenFile.LockKind
        ) throws -> (opened: StoreFolder, replacement: StoreFolder) {
            let lock = try OpenFile(folder("S/LOCK"), .reading)
            #expect(try lock.tryLock(kind))
            nonisolated(unsafe) var result: Result<StoreFolder, Error>?
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                result = Result { try openStore(folder("S"), timeout: 60, content: "by the one that waited") }
                done.signal()
            }
            let deadline = Deadline(seconds: 30)
            while descriptors(folder("S/LOCK")) < 2, !deadline.isOver { sched_yield() }
            rename(folder("S"), folder("moved"))
            let replacement = try openStore(folder("S"), content: "replacement")
            lock.unlock()
            done.wait()
            return (try #require(result).get(), replacement)
        }

        @Test func `whoever waited for a store that was replaced opens the new one`() throws {
            let folder = try TemporaryFolder()
            try openStore(folder("S"), content: "old").close()
            let (opened, replacement) = try openWhileReplaced(folder, held: .exclusive)
            #expect(opened.identity == replacement.identity)
            #expect(content(opened) == "replacement")
            #expect(text(folder("moved/gen-0001/db")) == "old")
        }

        @Test func `whoever waited to create in a folder that was replaced does not create there`() throws {
            let folder = try TemporaryFolder()
            mkdir(folder("S"), 0o700)
            try write("", to: folder("S/LOCK"))
            let (opened, replacement) = try openWhileReplaced(folder, held: .shared)
            #expect(opened.identity == replacement.identity)
            #expect(content(opened) == "replacement")
            #expect(names(folder("moved")) == ["LOCK"])
        }
    }
#endif
