import Dispatch
import GranaryPlatform
import Synchronization
import Testing

@Suite struct ShardsTests {
    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    @Test func `there are as many as is allowed, and a power of two`() {
        #expect(Shards(most: 1) { Counter() }.all.count == 1)
        #expect(Shards(most: 3) { Counter() }.all.count <= 2)
        let count = Shards { Counter() }.all.count
        #expect((2...32).contains(count) && count.nonzeroBitCount == 1)
    }

    @Test func `a thread has the same one at each call`() {
        let shards = Shards { Counter() }
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            let own = shards.own
            for _ in 0..<100 {
                #expect(shards.own === own)
                own.value.add(1, ordering: .relaxed)
            }
        }
        #expect(shards.all.reduce(0) { $0 + $1.value.load(ordering: .relaxed) } == 6400)
    }
}
