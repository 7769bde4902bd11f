import Foundation
import GranaryMemory
import Testing

@testable import GranaryCore

struct FollowedWorkTests {
    private struct Refusal: Error {}

    /// A stack of 5 000 plants.
    private static func stack() throws -> Stack {
        let stack = try Plant.stack()
        try stack.blocking.write { tx in _ = try tx.insert((0..<5000).map { Plant(Int64($0)) }) }
        return stack
    }

    private static func state(_ records: Int, of total: Int) -> StoreProgress {
        StoreProgress(entity: "Plant", records: records, total: total)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a copy is followed to its end`() async throws {
        let stack = try Self.stack()
        let copying = FollowedWork { told in try await stack.copy(to: .inMemory, onProgress: told) }
        var last: StoreProgress?
        for await state in copying {
            #expect(state.records >= last?.records ?? 0)
            last = state
        }
        #expect(last?.fraction == 1)
        let copy = try await copying.value
        #expect(try await copy.read { try $0.count(Plant.all) } == 5000)
        #expect(copying.progress.isFinished)
        #expect(copying.progress.totalUnitCount == 5000)
    }

    @Test(.timeLimit(.minutes(5)))
    func `the work goes on unread, and the newest state alone is kept`() async throws {
        let work = FollowedWork { told in
            for records in 1...100 { told(Self.state(records, of: 100)) }
            return "done"
        }
        #expect(try await work.value == "done")
        var states: [StoreProgress] = []
        for await state in work { states.append(state) }
        #expect(states == [Self.state(100, of: 100)])
    }

    @Test(.timeLimit(.minutes(5)))
    func `the sequence ends when the work throws`() async throws {
        let work = FollowedWork<Void> { told in
            told(Self.state(1, of: 4))
            throw Refusal()
        }
        await #expect(throws: Refusal.self) { try await work.value }
        var states: [StoreProgress] = []
        for await state in work { states.append(state) }
        #expect(states == [Self.state(1, of: 4)])
        #expect(work.progress.completedUnitCount == 1 && !work.progress.isFinished)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a total that is not known makes the progress indeterminate`() async throws {
        let work = FollowedWork<Void> { told in
            told(Self.state(7, of: 0))
            throw Refusal()
        }
        await #expect(throws: Refusal.self) { try await work.value }
        #expect(work.progress.isIndeterminate && work.progress.completedUnitCount == 7)
        #expect(Self.state(7, of: 0).fraction == 0 && Self.state(0, of: 0).fraction == 1)
    }

    /// Work that waits for the end of its task, after it has told of itself.
    private static func waiting() -> FollowedWork<Void> {
        FollowedWork { told in
            told(Self.state(1, of: 2))
            while !Task.isCancelled { await Task.yield() }
            try Task.checkCancellation()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `cancelling the progress cancels the work`() async throws {
        let work = Self.waiting()
        for await state in work {
            #expect(state.records == 1)
            work.progress.cancel()
        }
        await #expect(throws: CancellationError.self) { try await work.value }
    }

    @Test(.timeLimit(.minutes(5)))
    func `cancelling the work, or a task that waits for it, ends it`() async throws {
        let work = Self.waiting()
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
        let other = Self.waiting()
        let waiter = Task { try await other.value }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }

    @Test(.timeLimit(.minutes(5)))
    func `checking, compacting, rebuilding, resetting and opening can be followed`() async throws {
        let stack = try Self.stack()
        let checking = FollowedWork { told in try await stack.verify(onProgress: told) }
        var records = 0
        for await state in checking { records = state.records }
        #expect(records == 5000)
        #expect(try await checking.value == [])
        let others: [FollowedWork<Void>] = [
            FollowedWork { told in try await stack.compact(onProgress: told) },
            FollowedWork { told in try await stack.rebuildIndexes(onProgress: told) },
            FollowedWork { told in try await stack.reset(to: .empty, onProgress: told) },
        ]
        for work in others {
            for await _ in work {}
            try await work.value
            #expect(work.progress.isFinished)
        }
        let opening = FollowedWork { told in
            try await Stack(Schema(Plant.self), store: .inMemory, onProgress: told)
        }
        for await _ in opening {}
        #expect(try await opening.value.read { try $0.count(Plant.all) } == 0)
    }
}
