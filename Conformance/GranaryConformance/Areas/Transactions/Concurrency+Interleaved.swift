import ConformanceKit
import GranaryCore
import GranaryPlatform

var interleavedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "concurrency.interleaved", in: .concurrency,
            "writes, saves, workers, reads, observers and purges at once, and a close among them, end and lose nothing",
            modes: [.fresh]
        ) { trial in
            for round in 0..<3 { try await interleave(trial, round, calls: 150) }
        },
        ConformanceCase(
            "concurrency.interleaved-long", in: .concurrency, "the same 30 times, with more between", isHeavy: true,
            modes: [.fresh]
        ) { trial in
            for round in 0..<30 { try await interleave(trial, 100 + round, calls: 1500) }
        },
    ]
}

/// Written in pairs, so that a reader that sees half a transaction sees an odd number.
private struct Tick: Record, Equatable {
    var id: Int64
    var mate: Int64
    var count: Int

    static let entityName = "Tick"
    static let entity = Entity(
        entityName, key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("mate", Int64.self), Attribute("count", Int.self)],
        indexes: [.index("count")])
    /// Goes with the next purge.
    static var staleCondition: Condition<Tick>? { Tick.fields.count == -1 }

    init(id: Int64, mate: Int64, count: Int) { (self.id, self.mate, self.count) = (id, mate, count) }

    static func pair(_ number: Int64, count: Int) -> [Tick] {
        [
            Tick(id: 2 * number, mate: 2 * number + 1, count: count),
            Tick(id: 2 * number + 1, mate: 2 * number, count: count),
        ]
    }

    init(row: borrowing Row) throws {
        (id, mate, count) = (try row.decode(at: 0), try row.decode(at: 1), try row.decode(at: 2))
    }

    func encode(into row: inout RowWriter) throws {
        try row.encode(id, at: 0)
        try row.encode(mate, at: 1)
        try row.encode(count, at: 2)
    }

    struct Fields: Sendable {
        let id = Field<Tick, Int64>("id")
        let mate = Field<Tick, Int64>("mate")
        let count = Field<Tick, Int>("count")
    }
    static let fields = Fields()
}

/// What goes on in a stack until it is closed.
private final class Interleaving: Sendable {
    let stack: Stack
    /// The pairs of which a write or a save has said that they are there.
    let kept = Journal<Int64>()
    /// What went wrong.
    let wrong = Journal<String>()
    private let calls: Int
    private let lock = Lock()
    private let enough = Event("so many calls")
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var done = 0
    nonisolated(unsafe) private var number: Int64 = 0

    init(_ stack: Stack, calls: Int) {
        self.stack = stack
        self.calls = calls
    }

    func nextNumber() -> Int64 {
        lock.withLock {
            number += 1
            return number
        }
    }

    func count() {
        let isEnough = lock.withLock {
            done += 1
            return done >= calls
        }
        if isEnough { enough.set() }
    }

    func waitForEnough() throws { try enough.wait() }

    /// Whether to go on after an error.
    func goesOn(after error: any Error, _ what: String) -> Bool {
        switch (error as? GranaryError)?.code {
        case .closed: return false
        case .mergeConflict, .recordNotFound: return true
        default:
            wrong.add("\(what) threw \(error)")
            return false
        }
    }

    /// Calls a body again and again until the stack is closed.
    func loop(_ what: String, _ body: () throws -> Void) {
        while true {
            do { try body() } catch { if !goesOn(after: error, what) { return } }
            count()
        }
    }

    func write(_ count: Int) throws {
        let number = nextNumber()
        try stack.blocking.write { tx in _ = try tx.insert(Tick.pair(number, count: count)) }
        if count >= 0 { kept.add(number) }
    }

    func read() throws {
        let (counted, fetched) = try stack.blocking.read { snapshot in
            (try snapshot.count(Tick.all), try snapshot.fetch(Tick.all.sorted(by: \.count)).count)
        }
        if counted != fetched || counted % 2 != 0 { wrong.add("a read sees \(counted) and \(fetched) records") }
    }

    func perform() async throws {
        let number = nextNumber()
        try await stack.perform { context in
            _ = try context.insert(Tick.pair(number, count: 2))
            _ = try context.count(Tick.where { $0.count == 2 })
        }
        kept.add(number)
    }

    func purge() async throws {
        let counts = try await stack.purgeStale()
        if let count = counts["Tick"], count % 2 != 0 { wrong.add("\(count) records were purged") }
    }
}

/// A context, a child of it, and what is done with them.
private actor InterleavedEditor {
    private let all: Interleaving
    private let context: EditContext
    private let child: EditContext
    private var random: SeededGenerator

    init(_ all: Interleaving, seed: UInt64) throws {
        self.all = all
        context = try all.stack.makeContext(named: "editor")
        context.isUndoEnabled = true
        child = try context.makeChild(named: "child")
        random = SeededGenerator(seed: seed)
    }

    func loop() async {
        var isOpen = true
        while isOpen {
            do { try await step() } catch { isOpen = all.goesOn(after: error, "a context") }
            all.count()
        }
        child.reset()
        context.reset()
    }

    private func step() async throws {
        let number = all.nextNumber()
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            _ = try child.insert(Tick.pair(number, count: 3))
            try child.saveToParent()
            try await save([number])
        case 1:
            try await context.performInWorker { worker in _ = try worker.insert(Tick.pair(number, count: 4)) }
            try await save([number])
        case 2:
            _ = try context.insert(Tick.pair(number, count: 5))
            try context.undo()
            try context.redo()
            try await save([number])
        case 3:
            // Whatever others make of them.
            for tick in try context.fetch(Tick.all.sorted(by: \.id, .descending).limit(4)) {
                try context.update(Tick(id: tick.id, mate: tick.mate, count: max(tick.count, 0) + 1))
            }
            context.mergePolicy = .storeWins
            try await save([])
        case 4:
            _ = try child.insert(Tick.pair(number, count: 6))
            try await child.save()
            all.kept.add(number)
        default:
            _ = try context.insert(Tick.pair(number, count: 7))
            _ = try context.fetch(Tick.all.limit(5))
            context.rollback()
        }
    }

    private func save(_ numbers: [Int64]) async throws {
        try await context.save()
        for number in numbers { all.kept.add(number) }
    }
}

private func interleave(_ trial: Trial, _ round: Int, calls: Int) async throws {
    let path = trial.folder + "/Interleaved-\(round).granary"
    let schema = Schema(Tick.self)
    let seed = trial.seed &* 1009 &+ UInt64(round)
    let stack = try trial.subject.open(schema, at: path)
    let all = Interleaving(stack, calls: calls)
    let threads =
        (0..<2).map { number in
            Worker("the end of a writer") { all.loop("a write") { try all.write(number == 0 ? 1 : -1) } }
        } + (0..<2).map { _ in Worker("the end of a reader") { all.loop("a read") { try all.read() } } }
    var ends: [Event] = []
    func begin(_ name: String, _ body: @escaping @Sendable () async throws -> Void) {
        let end = Event("the end of \(name)")
        ends.append(end)
        Task(executorPreference: trial.executor) {
            do { try await body() } catch { _ = all.goesOn(after: error, name) }
            end.set()
        }
    }
    for number in 0..<2 {
        let editor = try InterleavedEditor(all, seed: seed &+ UInt64(number))
        begin("an editor") { await editor.loop() }
    }
    begin("background work") { while true { try await all.perform() } }
    begin("purges") { while true { try await all.purge() } }
    begin("an observer") {
        for try await count in stack.observeCount(Tick.all) where count % 2 != 0 {
            all.wrong.add("an observer sees \(count) records")
        }
    }
    begin("observers that come and go") {
        for _ in 0..<1000 {
            for try await records in stack.observe(Tick.where { $0.count == 1 }.limit(3)) {
                _ = records.count
                break
            }
            all.count()
        }
    }
    try all.waitForEnough()
    let closing = Worker("the end of close") { try stack.blocking.close() }
    try closing.value(seconds: 30)
    for thread in threads { try thread.value(seconds: 30) }
    for end in ends { try end.wait(seconds: 30) }
    if let wrong = all.wrong.entries.first { throw ConformanceFailure(message: wrong, file: #fileID, line: #line) }
    guard trial.subject.has(.reopening) else { return }
    let again = try trial.subject.open(schema, at: path)
    let there = Set(try again.blocking.read { try $0.fetch(Tick.all).map(\.id) })
    try again.blocking.close()
    let lost = all.kept.entries.filter { !there.contains(2 * $0) || !there.contains(2 * $0 + 1) }
    try expect(lost.isEmpty, "saved and not there: \(lost)")
    try expect(there.count % 2 == 0, "half a pair is there")
}
