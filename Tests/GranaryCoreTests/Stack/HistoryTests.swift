import GranaryMemory
import Testing

@testable import GranaryCore

struct HistoryTests {
    /// Commits past the stack, as another process does.
    private func commitElsewhere(_ stack: Stack, _ id: Int64, author: String?, keeps: Bool = true) throws -> UInt64 {
        let writer = try stack.store.beginWrite()
        defer { writer.end() }
        let next = writer.transactionNumber + 1
        let row = try StoredRow(encoding: Plant(id), stack.schema, 0)
        _ = try withExtendedLifetime(row) { try writer.insert(row.row, into: 0) }
        if keeps {
            let changes = [RecordChange(place: .init(entity: 0, key: .integer(id)), kind: .inserted)]
            try writer.keepHistory(
                HistoryEntry(
                    number: next, time: 1, author: author, changes: RecordChange.encode(changes, stack.schema)))
        }
        return try writer.commit()
    }

    @Test(.timeLimit(.minutes(5)))
    func `what another process has committed is known from the history`() async throws {
        let stack = try await Stack(Schema(Plant.self), store: .inMemory, history: .everything)
        var all = stack.changes.makeAsyncIterator()
        var others = stack.changes.by("other").makeAsyncIterator()
        let number = try commitElsewhere(stack, 7, author: "other")
        try await stack.write(as: "own") { _ = try $0.insert(Plant(8)) }
        _ = try commitElsewhere(stack, 9, author: "other")
        _ = try await stack.read { $0.transactionNumber }
        let first = try #require(await all.next())
        #expect(first.transactionNumber == number && first.origin.name == "other")
        #expect(first.origin.isForeign && first.origin.id == 0 && !first.isUnknown)
        #expect(try first.inserted(Plant.self) == [7])
        let own = try #require(await all.next())
        #expect(own.origin.name == "own" && !own.origin.isForeign)
        #expect(try await others.next()?.inserted(Plant.self) == [7])
        #expect(try await others.next()?.inserted(Plant.self) == [9])
        // The history itself knows names alone.
        let kept = try await stack.changes(since: HistoryToken(transactionNumber: 0))
        #expect(kept.map(\.origin.name) == ["other", "own", "other"])
        #expect(kept.allSatisfy { $0.origin.isForeign && $0.origin.id == 0 })
    }

    @Test(.timeLimit(.minutes(5)))
    func `a commit of which nothing is known passes filters by type and by author`() async throws {
        let stack = try Plant.stack()
        var byName = stack.changes.by("import").makeAsyncIterator()
        var byType = try stack.changes.of(Plant.self).makeAsyncIterator()
        try await stack.write(as: "other") { _ = try $0.insert(Plant(1)) }
        let number = try commitElsewhere(stack, 2, author: nil, keeps: false)
        _ = try await stack.read { $0.transactionNumber }
        let unknown = try #require(await byName.next())
        #expect(unknown.transactionNumber == number && unknown.isUnknown && unknown.origin.name == nil)
        #expect(await byType.next()?.origin.name == "other")
        #expect(await byType.next()?.isUnknown == true)
    }

    @Test func `the oldest entry is read once, and again when it is too old`() {
        let age = HistoryAge()
        var times: [Double] = [10, 20, 30, 40]
        var reads = 0
        func stale(before time: Double) -> UInt64? {
            age.stale(before: time) { number in
                reads += 1
                let entries = times.enumerated().map { (UInt64($0 + 1), $1) }
                return entries.first { $0.0 > number && $0.1 > 0 }.map {
                    HistoryEntry(number: $0.0, time: $0.1, author: nil, changes: [])
                }
            }
        }
        for time in [1.0, 5, 9, 10] { #expect(stale(before: time) == nil) }
        #expect(reads == 1)
        #expect(stale(before: 25) == 2)
        #expect(reads == 4)
        // Deleted.
        (times[0], times[1]) = (0, 0)
        #expect(stale(before: 30) == nil)
        #expect(reads == 4)
        #expect(stale(before: 35) == 3)
        age.forget()
        #expect(stale(before: 35) == 3)
        times = Array(repeating: 1, count: 20)
        #expect(stale(before: 50) == UInt64(HistoryAge.limit), "a few at a time")
    }
}
