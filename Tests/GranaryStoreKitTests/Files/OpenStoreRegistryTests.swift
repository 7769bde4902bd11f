import GranaryPlatform
import Foundation
import Testing

@testable import GranaryStoreKit

@Suite struct OpenStoreRegistryTests {
    final class Engine: Sendable {}

    private func identity(_ inode: UInt64) -> FileIdentity { FileIdentity(device: 1, inode: inode) }

    @Test func `a store is made once, shared, and closed by the last`() throws {
        let registry = OpenStoreRegistry<Engine>()
        var closed = 0
        let one = try registry.acquire(identity(1)) { Engine() }
        let two = try registry.acquire(identity(1)) { throw Planned() }
        let other = try registry.acquire(identity(2)) { Engine() }
        #expect(one === two)
        #expect(one !== other)
        #expect(registry.count(identity(1)) == 2)
        #expect(!registry.release(identity(1)) { _ in closed += 1 })
        #expect(closed == 0)
        #expect(registry.release(identity(1)) { if $0 === one { closed += 1 } })
        #expect(closed == 1)
        #expect(!registry.release(identity(1)) { _ in closed += 1 }, "not open any more")
        #expect(closed == 1)
        #expect(registry.count(identity(1)) == 0)
        #expect(try registry.acquire(identity(1)) { Engine() } !== one)
    }

    @Test func `a store that could not be made can be made later`() throws {
        let registry = OpenStoreRegistry<Engine>()
        #expect(throws: Planned.self) { try registry.acquire(identity(1)) { throw Planned() } }
        #expect(registry.count(identity(1)) == 0)
        _ = try registry.acquire(identity(1)) { Engine() }
        #expect(registry.count(identity(1)) == 1)
    }

    @Test func `what is claimed is not shared until it is given back`() throws {
        let registry = OpenStoreRegistry<Engine>()
        #expect(registry.claim(identity(1), Engine()))
        #expect(!registry.claim(identity(1), Engine()))
        #expect(registry.claim(identity(2), Engine()))
        registry.release(identity(1)) { _ in }
        #expect(registry.claim(identity(1), Engine()))
    }

    @Test func `other stores do not wait while one opens or closes`() throws {
        let registry = OpenStoreRegistry<Engine>()
        _ = try registry.acquire(identity(1)) {
            _ = try registry.acquire(identity(2)) { Engine() }
            return Engine()
        }
        registry.release(identity(1)) { _ in registry.release(identity(2)) { _ in } }
        #expect(registry.count(identity(2)) == 0)
    }

    @Test func `never two engines of one store, however many acquire and release`() {
        let registry = OpenStoreRegistry<Engine>()
        let lock = Lock()
        nonisolated(unsafe) var open: [UInt64: Int] = [:]
        nonisolated(unsafe) var most = 0
        nonisolated(unsafe) var made = 0
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            for turn in 0..<2_000 {
                let number = UInt64((index + turn) % 3)
                let engine = try? registry.acquire(identity(number)) {
                    if turn % 7 == 0 { throw Planned() }
                    lock.withLock {
                        made += 1
                        open[number, default: 0] += 1
                        most = max(most, open[number, default: 0])
                    }
                    return Engine()
                }
                if engine == nil { continue }
                registry.release(identity(number)) { _ in
                    sched_yield()
                    lock.withLock { open[number, default: 0] -= 1 }
                }
            }
        }
        #expect(most == 1)
        #expect(made > 1)
        #expect(open.values.allSatisfy { $0 == 0 })
    }
}
