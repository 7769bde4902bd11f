import GranaryMemory
import Testing

@testable import GranaryCore

struct OverlayReplacingTests {
    @Test func `what a replacement has done is read in one go`() throws {
        let stack = try Plant.stack()
        try stack.blocking.write { tx in for id in 1...50 { try tx.insert(Plant(Int64(id))) } }
        var opened = 0
        let overlay = Overlay(stack.schema, stack.store.coordinator) {
            opened += 1
            return try stack.store.beginRead(CancellationFlag())
        }
        for id in 1...50 { _ = try overlay.delete(Cell.integer(Int64(id)), from: 0) }
        var steps = 0
        let observer = StepObserver(until: CancellationFlag(), finish: {}) { steps += $0.count }
        overlay.observers.steps.append(observer)
        opened = 0
        overlay.replace(PendingChanges(stack.schema))
        #expect(steps == 50 && opened == 1)
    }
}
