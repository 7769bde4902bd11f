import GranaryPlatform
import Testing

@testable import GranaryStoreKit

/// What the rules ask about other records, and what follows from the answers.
struct OtherRecordsTests {
    private static let schema = Schema(entities: [
        Entity(
            "Artist", key: "id",
            attributes: [
                Attribute("id", .int64), Attribute("name", .string, isOptional: true),
                Attribute(
                    "teacher", .int64, isOptional: true,
                    reference: Attribute.Reference(entity: "Artist", onDelete: .cascade)),
                Attribute(
                    "friend", .int64, isOptional: true,
                    reference: Attribute.Reference(entity: "Artist", onDelete: .noAction)),
            ],
            indexes: [.unique("name")])
    ])
    private static let rules = EntityRules.all(of: schema)

    private func artist(_ id: Int64, _ name: StoredValue, teacher: StoredValue = .null, friend: StoredValue = .null)
        -> StoredRow
    {
        StoredRow([.integer(id), name, teacher, friend])
    }

    /// What the checks of a record ask, and last the code of what they throw.
    private func check(_ row: StoredRow, replacing old: StoredRow? = nil, among records: Answers) throws -> [String] {
        let rules = OtherRecordsTests.rules[0]
        let key = row.value(at: 0)
        do {
            try rules.checkUnique(row, key, replacing: old, among: records)
            let changed = rules.changedReferences(of: row, replacing: old)
            try rules.checkReferences(of: row, key, at: changed, among: records)
        } catch let error as GranaryError {
            return records.asked + ["throws \(error.code.rawValue)"]
        }
        return records.asked
    }

    @Test func `a new record is checked whole`() throws {
        let row = artist(3, .string("c"), teacher: .integer(2))
        #expect(try check(row, among: Answers([1, 2])) == ["name", "2"])
        #expect(try check(row, among: Answers([1])) == ["name", "2", "throws danglingReference"])
        #expect(try check(row, among: Answers([1, 2], holds: true)) == ["name", "throws uniqueness"])
    }

    @Test func `nothing is asked about nil, a reference to itself, and one that may dangle`() throws {
        let row = artist(3, .null, teacher: .integer(3), friend: .integer(9))
        #expect(try check(row, among: Answers([], holds: true)) == [])
    }

    @Test func `what stays as it was is not asked about`() throws {
        let old = artist(3, .string("c"), teacher: .integer(9))
        let befriended = old.setting([Assignment(position: 3, value: .integer(1))])
        #expect(try check(befriended, replacing: old, among: Answers([], holds: true)) == [])
        let renamed = old.setting([Assignment(position: 1, value: .string("d"))])
        #expect(try check(renamed, replacing: old, among: Answers([], holds: true)) == ["name", "throws uniqueness"])
        let moved = old.setting([Assignment(position: 2, value: .integer(8))])
        #expect(try check(moved, replacing: old, among: Answers([9])) == ["8", "throws danglingReference"])
    }

    @Test func `a deletion asks about many records at a time`() throws {
        let records = Answers([])
        var deletion = PlacedDeletion()
        for key in 0..<Int64(PlacedDeletion.together) + 1 {
            deletion.doom(RecordChange.Place(entity: 0, key: .integer(key)))
        }
        try deletion.follow(OtherRecordsTests.rules, among: records)
        #expect(records.asked == ["500 referrers", "1 referrers"])
        #expect(deletion.work.doomed.count == PlacedDeletion.together + 1)
    }
}

/// Records that are known by their keys alone, and note what they are asked.
private final class Answers: OtherRecords {
    private let keys: Set<StoredValue>
    private let holds: Bool
    private(set) var asked: [String] = []

    /// - Parameter holds: Whether another record holds every unique value.
    init(_ keys: [Int64], holds: Bool = false) {
        self.keys = Set(keys.map { StoredValue.integer($0) })
        self.holds = holds
    }

    func exists(_ key: StoredValue, of entity: Int) -> Bool {
        if case .integer(let key) = key { asked.append("\(key)") }
        return keys.contains(key)
    }

    func isHeld(
        _ value: StoredValue, _ number: Int, of entity: Int, besides key: StoredValue, _ row: StoredRow
    ) -> Bool {
        asked.append("name")
        return holds
    }

    func referrers(to keys: [StoredValue], _ reference: ReferenceMap.Incoming) -> [RecordChange.Place] {
        asked.append("\(keys.count) referrers")
        return []
    }
}
