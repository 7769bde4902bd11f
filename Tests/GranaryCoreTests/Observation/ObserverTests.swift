import GranaryMemory
import Testing

@testable import GranaryCore

/// Which commits wake whom.
struct ObserverTests {
    private let stack: Stack
    private let hub: ObservationHub

    init() throws {
        stack = try Plant.stack()
        hub = stack.companion(ObservationHub.self)
        try stack.blocking.write { tx in
            for number in 1...100 { try tx.insert(Plant(Int64(number), "a", height: number)) }
        }
    }

    /// An observer of a query that has read it.
    private func observer(_ query: Query<Plant>) throws -> Observer {
        let prepared = try ObservedQueries.outputs(query).prepare(stack.schema, stack.types)
        let observer = Observer(prepared.readSet, prepared.filter)
        _ = hub.add(observer)
        observer.beginReading()
        let (answer, number) = try stack.blocking.read { (try prepared.read($0), $0.transactionNumber) }
        observer.endReading(number, answer.keys)
        return observer
    }

    /// Which observers a write marks.
    private func marked(_ observers: [Observer], _ write: (Transaction) throws -> Void) throws -> [Int] {
        try stack.blocking.write { try write($0) }
        // What comes after it in the line of the threads that mark has been done when this is.
        while hub.isBusy { try stack.blocking.read { _ = try $0.count(Plant.all) } }
        return observers.indices.filter { observers[$0].view == nil }
    }

    @Test func `of observers of single records only the one whose record has changed looks again`() throws {
        let observers = try (1...100).map { number in try observer(Plant.where { $0.id == Int64(number) }) }
        #expect(try marked(observers) { try $0.update(Plant(7, "b")) } == [6])
        #expect(try marked(observers) { _ = try $0.delete(Plant.self, 9) } == [6, 8])
        #expect(try marked(observers) { try $0.insert(Plant(101)) } == [6, 8])
    }

    @Test func `records that begin or cease to match wake, others do not`() throws {
        let observers = [
            try observer(Plant.where { $0.height > 90 }), try observer(Plant.where { $0.name == "c" }),
            try observer(Plant.sorted(by: { $0.height }).limit(3)),
        ]
        #expect(try marked(observers) { try $0.update(Plant(50, "b", height: 50)) } == [2])
        let others = Array(observers.prefix(2))
        #expect(try marked(others) { try $0.update(Plant(50, "a", height: 91)) } == [0])
        #expect(try marked(others) { try $0.update(Plant(1, "c")) } == [0, 1])
    }

    @Test func `a query with relations or an offset looks again at each change of its attributes`() throws {
        let observers = [
            try observer(Plant.where { $0.neighbour.name == "x" }),
            try observer(Plant.where { $0.height > 500 }.offset(1)),
            try observer(Plant.where { $0.height > 500 }.sorted(by: { $0.neighbour.name })),
        ]
        #expect(try marked(observers) { try $0.update(Plant(50, "b", height: 50)) } == [0, 1, 2])
    }

    @Test func `a change of many records wakes all who look at the entity`() throws {
        let observers = [try observer(Plant.where { $0.height > 500 })]
        #expect(try marked(observers) { _ = try Plant.all.updateAll(in: $0) { $0.set(\.name, to: "z") } } == [0])
    }

    @Test func `stores note nothing when the last observer has gone`() throws {
        #expect(!stack.store.coordinator.hasListeners)
        var live: LiveQuery<[Plant]>? = LiveQuery(stack, ObservedQueries.outputs(Plant.all))
        #expect(try live?.current().count == 100)
        #expect(stack.store.coordinator.hasListeners)
        live = nil
        #expect(!stack.store.coordinator.hasListeners)
        #expect(hub.count == 0)
    }
}
