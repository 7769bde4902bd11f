import GranaryMemory
import Observation
import Testing

@testable import GranaryCore

@MainActor struct ObservedRecordsTests {
    private let stack: Stack

    init() throws {
        stack = try Plant.stack()
        _ = try stack.blocking.write { try $0.insert([Plant(1, "a", height: 1), Plant(2, "b", height: 2)]) }
    }

    /// Waits until a condition holds of what is observed.
    private func wait(until holds: @escaping @MainActor () -> Bool) async {
        while !holds() {
            await withCheckedContinuation { continuation in
                _ = withObservationTracking {
                    holds()
                } onChange: {
                    continuation.resume()
                }
            }
            // It is called before the change is made.
            await Task.yield()
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `observed records tell of what is committed`() async throws {
        let plants = ObservedRecords(Plant.where { $0.height > 1 }, in: stack)
        #expect(plants.records.isEmpty && !plants.isLoaded)
        await wait { plants.isLoaded }
        #expect(plants.records.map(\.id) == [2])
        try await stack.write { try $0.update(Plant(1, "a", height: 3)) }
        await wait { plants.records.count == 2 }
        #expect(plants.records.map(\.id) == [1, 2] && plants.failure == nil)
    }

    @Test(.timeLimit(.minutes(5)))
    func `observed records say why they do not follow, and are let go when they are dropped`() async throws {
        let failing = ObservedRecords(Plant.sorted(by: "nothing"), in: stack)
        await wait { failing.failure != nil }
        #expect((failing.failure as? GranaryError)?.code == .unknownAttribute)
        var plants: ObservedRecords<Plant>? = ObservedRecords(Plant.all, in: stack)
        await wait { [weak plants] in plants?.isLoaded != false }
        weak let known = plants
        plants = nil
        #expect(known == nil)
        while stack.companion(ObservationHub.self).count > 0 { await Task.yield() }
    }
}
