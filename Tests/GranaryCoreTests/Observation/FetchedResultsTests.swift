import GranaryMemory
import Testing

@testable import GranaryCore
import TestSupport

@MainActor struct FetchedResultsTests {
    private let stack: Stack

    init() throws {
        stack = try Plant.stack()
        _ = try stack.blocking.write { tx in
            try tx.insert([
                Plant(1, "a", bed: "north"), Plant(2, "b", bed: "north"), Plant(3, "c", bed: "south"),
                Plant(4, "d", bed: "west"),
            ])
        }
    }

    /// The changes that a write brings.
    private func changes(
        _ results: FetchedResults<Plant>, _ write: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> FetchedChanges {
        let (stream, continuation) = AsyncStream.makeStream(of: FetchedChanges.self)
        results.onChange = { continuation.yield($0) }
        try await stack.write(write)
        for await changes in stream { return changes }
        return FetchedChanges()
    }

    private func results() async throws -> FetchedResults<Plant> {
        let results = FetchedResults(
            Plant.sorted(by: { $0.bed }).sorted(by: { $0.name }), in: stack, sections: .by { $0.bed })
        try await results.performFetch()
        return results
    }

    @Test func `records are shown in sections by path and by key`() async throws {
        let results = try await results()
        #expect(results.sections.map(\.name) == ["north", "south", "west"])
        #expect(results.sections.map(\.range) == [0..<2, 2..<3, 3..<4])
        #expect(results.sectionIndexTitles == ["N", "S", "W"])
        #expect(results.section(forIndexTitle: "S") == 1)
        #expect(results[FetchedPath(section: 0, item: 1)]?.id == 2)
        #expect(results[FetchedPath(section: 0, item: 2)] == nil && results[FetchedPath(section: 3, item: 0)] == nil)
        #expect(try results.path(of: 3) == FetchedPath(section: 1, item: 0))
        #expect(try results.path(of: 9) == nil)
    }

    @Test func `a record that goes to another section is a move, with its update`() async throws {
        let results = try await results()
        let changes = try await changes(results) { try $0.update(Plant(2, "b", bed: "south")) }
        let pair = FetchedChanges.Pair(from: .init(section: 0, item: 1), to: .init(section: 1, item: 0))
        var expected = FetchedChanges()
        expected.moves = [pair]
        expected.updates = [pair]
        #expect(changes == expected)
        #expect(results.fetchedRecords.map(\.id) == [1, 2, 3, 4])
    }

    @Test func `a record whose section alone has changed is a move, and no update`() async throws {
        try await stack.write { try $0.update(Plant(4, "d", bed: "west", neighbour: Ref(1))) }
        let results = FetchedResults(
            Plant.where { $0.bed == "west" }, in: stack, sections: .by { $0.neighbour.name })
        try await results.performFetch()
        let changes = try await changes(results) { try $0.update(Plant(1, "z", bed: "north")) }
        let path = FetchedPath(section: 0, item: 0)
        #expect(results.sections.map(\.name) == ["z"])
        #expect(changes.moves == [FetchedChanges.Pair(from: path, to: path)] && changes.updates.isEmpty)
    }

    @Test func `sections come and go with their records`() async throws {
        let results = try await results()
        let changes = try await changes(results) { tx in
            try tx.delete(Plant.self, 3)
            try tx.insert(Plant(5, "e", bed: "east"))
        }
        #expect(changes.deletedSections == [1] && changes.insertedSections == [0])
        #expect(changes.deletions == [FetchedPath(section: 1, item: 0)])
        #expect(changes.insertions == [FetchedPath(section: 0, item: 0)])
        #expect(changes.moves.isEmpty && changes.updates.isEmpty)
        #expect(results.sections.map(\.name) == ["east", "north", "west"])
    }

    @Test func `the blocking form reads at once and follows, too`() async throws {
        let results = FetchedResults(Plant.where { $0.height > 5 }.sorted(by: { $0.height }), in: stack)
        func fetch() throws { try results.blocking.performFetch() }
        try fetch()
        #expect(results.fetchedRecords.isEmpty && results.sections.map(\.count) == [0])
        let began = try await changes(results) { try $0.update(Plant(1, "a", height: 6)) }
        #expect(began.insertions == [FetchedPath(section: 0, item: 0)] && began.insertedSections == [])
        let ceased = try await changes(results) { try $0.update(Plant(1, "a", height: 5)) }
        #expect(ceased.deletions == [FetchedPath(section: 0, item: 0)])
    }

    @Test func `random changes lead from one state to the next`() {
        var random = SeededNumbers(seed: TestSeed.of(3))
        func rows() -> FetchedRows<Plant> {
            let count = Int.random(in: 0...8, using: &random)
            let ids = (1...10).shuffled(using: &random).prefix(count)
            let names = ids.map { _ in ["a", "b", "c"].randomElement(using: &random) ?? "" }
            let hashes = ids.map { _ in UInt64.random(in: 0...1, using: &random) }
            return FetchedRows(
                ids.map { Plant(Int64($0)) },
                KeyedRows(keys: ids.map { .integer(Int64($0)) }, hashes: hashes), sectionNames: names)
        }
        var old = rows()
        for _ in 0..<2000 {
            let new = rows()
            check(new.changes(from: old), old, new)
            old = new
        }
    }

    /// A record as a list view shows it.
    private struct Shown: Equatable {
        var id: Int64
        var value: UInt64
    }

    private func layout(_ rows: FetchedRows<Plant>) -> [[Shown]] {
        rows.sections.map { $0.range.map { Shown(id: rows.records[$0].id, value: rows.rows.hashes[$0]) } }
    }

    /// As a list view does it: what stays in a section keeps its order, and what is moved or stays its looks until it is
    /// updated.
    private func check(_ changes: FetchedChanges, _ old: FetchedRows<Plant>, _ new: FetchedRows<Plant>) {
        let (before, after) = (layout(old), layout(new))
        let goneSections = Set(changes.deletedSections)
        #expect(changes.deletedSectionNames == changes.deletedSections.map { old.sections[$0].name })
        #expect(
            changes.deletedKeys == changes.deletions.map { .integer(before[$0.section][$0.item].id) })
        let leaving = Set(changes.deletions + changes.moves.map(\.from))
        var sections = before.indices.filter { !goneSections.contains($0) }.map { section in
            before[section].indices.filter { !leaving.contains(FetchedPath(section: section, item: $0)) }.map {
                before[section][$0]
            }
        }
        for section in changes.insertedSections { sections.insert([], at: section) }
        #expect(sections.count == after.count)
        let arriving =
            changes.insertions.map { ($0, after[$0.section][$0.item]) }
            + changes.moves.map { ($0.to, before[$0.from.section][$0.from.item]) }
        for (path, shown) in arriving.sorted(by: { $0.0 < $1.0 }) where path.section < sections.count {
            sections[path.section].insert(shown, at: min(path.item, sections[path.section].count))
        }
        for pair in changes.updates {
            let (was, shown) = (before[pair.from.section][pair.from.item], after[pair.to.section][pair.to.item])
            #expect(was.id == shown.id && was.value != shown.value, "updated is what has other values")
            if sections.indices.contains(pair.to.section), sections[pair.to.section].indices.contains(pair.to.item) {
                #expect(sections[pair.to.section][pair.to.item] == was)
                sections[pair.to.section][pair.to.item] = shown
            }
        }
        #expect(sections == after)
    }

    @Test func `what goes can still be had when it is told`() async throws {
        let results = try await results()
        var gone: [Plant?] = []
        results.onWillChange = { changes in gone += changes.deletions.map { results[$0] } }
        let changes = try await changes(results) { try $0.delete(Plant.self, 3) }
        #expect(gone == [Plant(3, "c", bed: "south")])
        #expect(try changes.deletedKeys(of: Plant.self) == [3] && changes.deletedSectionNames == ["south"])
        results.onWillChange = nil
    }
}
