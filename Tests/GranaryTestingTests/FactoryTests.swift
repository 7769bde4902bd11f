import Granary
import GranaryMemory
import GranaryTesting
import Testing

struct FactoryTests {
    private let painters = Factory { Painter(id: Int64($0), name: "Painter \($0)") }
    private let paintings = Factory { Painting(id: Int64($0), title: "Untitled \($0)", fee: 0) }

    @Test func `records have defaults, numbers of a sequence, and what the test says`() throws {
        #expect(try painters.make().name == "Painter 1")
        let changed = try painters.make { $0.name = "Frida" }
        #expect(changed.id == 2 && changed.name == "Frida")
        #expect(try painters.make(2).map(\.id) == [3, 4])
        #expect(try painters.make(0).isEmpty && painters.make(-1).isEmpty)
    }

    @Test func `a variant has further defaults and the same sequence`() throws {
        let sold = paintings.with { $0.isSold = true }
        #expect(try paintings.make().isSold == false)
        let made = try sold.make { $0.title += "!" }
        #expect(made.isSold && made.id == 2 && made.title == "Untitled 2!")
        #expect(try paintings.make().id == 3)
    }

    @Test func `numbers are different when several tasks make records`() async throws {
        let ids = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<8 { group.addTask { try paintings.make(100).map(\.id) } }
            return try await group.reduce([]) { $0 + $1 }
        }
        #expect(Set(ids) == Set(1...800))
    }

    @Test func `records are inserted into transactions and contexts`() async throws {
        let stack = try await Stack(gallery, store: .inMemory)
        try await stack.write { tx in
            let frida = try painters.insert(in: tx) { $0.name = "Frida" }
            try paintings.insert(3, in: tx) { $0.painter = Ref(frida) }
        }
        #expect(try await stack.read { try $0.count(Painting.where { $0.painter.name == "Frida" }) } == 3)
        await #expect(throws: GranaryError.self) {
            try await stack.write { tx in try painters.insert(in: tx) { $0.name = "Frida" } }
        }
        let context = try stack.makeContext()
        try paintings.insert(in: context)
        #expect(try context.count(Painting.all) == 4)
        context.rollback()
    }

    @Test func `a clock stands still until it is moved`() async throws {
        let clock = ManualClock()
        let stack = try await Stack(gallery, store: .inMemory, clock: { clock.now })
        func changed() async throws -> Double? {
            try await stack.read { try $0.find(Painter.self, 1)?.changed?.timeIntervalSinceReferenceDate }
        }
        try await stack.write { tx in _ = try painters.insert(in: tx) }
        #expect(try await changed() == 0)
        clock.advance(by: .milliseconds(1_500))
        try await stack.write { try $0.update(Painter.self, 1) { $0.name = "Frida" } }
        #expect(try await changed() == 1.5)
        clock.advance(by: .seconds(-1))
        #expect(clock.now.timeIntervalSinceReferenceDate == 0.5)
        clock.set(to: .distantFuture)
        #expect(clock.now == .distantFuture)
        let stepping = ManualClock(step: .seconds(2))
        #expect([stepping.now, stepping.now].map(\.timeIntervalSinceReferenceDate) == [0, 2])
    }
}
