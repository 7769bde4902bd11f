import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

/// All rows of a store.
typealias StoreState = [RecordChange.Place: [StoredValue]]

extension StoreReader {
    func state(_ schema: Schema = music) throws -> StoreState {
        var state: StoreState = [:]
        for (number, entity) in schema.entities.enumerated() {
            for row in try all(FetchRequest(entity: number)) {
                state[RecordChange.Place(entity: number, key: row[entity.keyPosition])] = row
            }
        }
        return state
    }
}

/// How one state differs from another, by comparing every row.
func difference(_ before: StoreState, _ after: StoreState) -> [RecordChange] {
    Set(before.keys).union(after.keys).sorted().compactMap { place in
        switch (before[place], after[place]) {
        case (nil, _?): return RecordChange(place: place, kind: .inserted)
        case (_?, nil): return RecordChange(place: place, kind: .deleted)
        case (let old?, let new?) where old != new:
            let attributes = AttributeSet(old.indices.filter { old[$0] != new[$0] })
            return RecordChange(place: place, kind: .updated(attributes))
        default: return nil
        }
    }
}

/// A random program of statements in a transaction, which compares all rows before and after each of them.
struct ChangeProgram {
    private let writer: SQLiteWriter
    private var random: SeededNumbers
    private var state: StoreState
    private var marks: [Int] = []
    private let replacesRows: Bool
    /// How often a statement failed, and how often one changed something.
    private(set) var failures = 0
    private(set) var successes = 0
    /// What the statements did that were not undone.
    private(set) var noted: [RecordChange] = []

    /// - Parameter replacesRows: Whether there is `INSERT OR REPLACE`.
    init(_ writer: SQLiteWriter, _ random: SeededNumbers, replacesRows: Bool) throws {
        self.writer = writer
        self.random = random
        self.replacesRows = replacesRows
        state = try writer.state()
    }

    /// The net effect.
    var changes: [RecordChange] {
        var found: [RecordChange.Place: RecordChange.Kind] = [:]
        for change in noted { found[change.place] = RecordChange.Kind.joined(found[change.place], change.kind) }
        return found.map { RecordChange(place: $0.key, kind: $0.value) }.sorted { $0.place < $1.place }
    }

    mutating func run(steps: Int, _ afterEach: ([RecordChange]) throws -> Void = { _ in }) throws {
        for _ in 0..<steps {
            switch number(14) {
            case 0 where marks.count < 5: try begin()
            case 1 where !marks.isEmpty: try release()
            case 2 where !marks.isEmpty: try rollback()
            case 3: try deferred()
            default: try afterEach(statement())
            }
        }
    }

    private mutating func begin() throws {
        try writer.beginSavepoint()
        marks.append(noted.count)
    }

    private mutating func release() throws {
        try writer.releaseSavepoint()
        marks.removeLast()
    }

    private mutating func rollback() throws {
        try writer.rollbackSavepoint()
        noted.removeLast(noted.count - marks.removeLast())
        state = try writer.state()
    }

    private mutating func deferred() throws {
        try begin()
        try writer.deferReferences()
        for _ in 0..<3 { _ = try statement() }
        do {
            try writer.checkReferences()
        } catch is GranaryError {
            return try rollback()
        }
        try release()
    }

    /// Runs one, and says what it did.
    private mutating func statement() throws -> [RecordChange] {
        do {
            try runStatement()
        } catch is GranaryError {
            failures += 1
            #expect(try writer.state() == state, "a failed statement changed rows")
            return []
        }
        let after = try writer.state()
        let changes = difference(state, after)
        if !changes.isEmpty { successes += 1 }
        noted += changes
        state = after
        return changes
    }
}

extension ChangeProgram {
    private mutating func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
    private mutating func key(_ count: Int) -> StoredValue { .integer(Int64(number(count))) }
    private mutating func maybe(_ value: StoredValue) -> StoredValue { number(3) == 0 ? .null : value }

    private mutating func row(_ table: Table) -> [StoredValue] {
        switch table {
        case .genre: [key(5), .string("g\(number(7))")]
        case .artist:
            [key(8), .string("a\(number(2))"), maybe(.real([0.5, 2][number(2)])), key(2), maybe(key(5))]
        case .song: [key(12), .string("s\(number(2))"), key(8), maybe(.bytes([UInt8(number(2))]))]
        case .tag: [.string("t\(number(8))"), key(12), maybe(.string("t\(number(8))"))]
        case .event: [event(), .real(Double(number(2)))]
        }
    }

    private mutating func event() -> StoredValue { .bytes([UInt8](repeating: UInt8(number(5)), count: 16)) }

    private mutating func runStatement() throws {
        let table = Table(rawValue: number(5)) ?? .genre
        let row = row(table)
        switch number(8) {
        case 0, 1: _ = try withRow(row) { try writer.insert($0, into: table.rawValue) }
        case 2: _ = try withRow(row) { try writer.update($0, in: table.rawValue) }
        case 3: _ = try withRow(row) { try writer.upsert($0, into: table.rawValue) }
        case 4: try writer.delete(table, row[0])
        case 5:
            let position = 1 + number(row.count - 1)
            let condition = ResolvedCondition.compare(position: 0, .less, self.row(table)[0])
            _ = try writer.updateAll(
                FetchRequest(entity: table.rawValue, condition: condition),
                setting: [Assignment(position: position, value: row[position])])
        case 6:
            let condition = ResolvedCondition.compare(position: 0, .less, row[0])
            _ = try writer.deleteAll(
                FetchRequest(entity: table.rawValue, condition: number(3) == 0 ? nil : condition))
        default: _ = try writer.executeRaw(rawStatement())
        }
    }

    private mutating func rawStatement() throws -> SQL {
        let (a, b) = (number(8), number(8))
        return switch number(replacesRows ? 13 : 10) {
        case 0: "UPDATE Artist SET rating = coalesce(rating, 0) + 1 WHERE id % 2 = \(a % 2)"
        case 1: "DELETE FROM Song WHERE id % 3 = \(a % 3)"
        case 2: "DELETE FROM Event"
        case 3: "INSERT INTO Song (title, artist) SELECT name, id FROM Artist WHERE id < \(a)"
        case 4: "INSERT INTO Song (id, title, artist) VALUES (\(a), 'x', \(b)), (\(b), 'y', \(a))"
        case 5: "INSERT OR IGNORE INTO Tag (name, song) SELECT title, id FROM Song"
        case 6: "UPDATE Artist SET genre = NULL, active = 1 - active WHERE id = \(a)"
        case 7: "INSERT INTO Genre (id, name) VALUES (\(a), 'n') ON CONFLICT (id) DO UPDATE SET name = name || 'x'"
        case 8: "DELETE FROM Genre WHERE id > \(a)"
        case 9: "UPDATE Tag SET parent = name"
        case 10: "INSERT OR REPLACE INTO Genre (id, name) VALUES (\(a), 'g' || \(b))"
        case 11: "INSERT OR REPLACE INTO Event (id, at) SELECT id, 1.0 FROM Event"
        default: "UPDATE OR REPLACE Genre SET name = 'g1' WHERE id >= \(a)"
        }
    }
}
