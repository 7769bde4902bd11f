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

    /// The error and the questions of the checks of a record.
    private func check(
        _ row: StoredRow, replacing old: StoredRow? = nil, among records: Answers
    ) -> (code: GranaryError.Code?, asked: [String]) {
        let (rules, key) = (OtherRecordsTests.rules[0], row.value(at: 0))
        do {
            try rules.checkUnique(row, key, replacing: old, among: records)
            let changed = rules.changedReferences(of: row, replacing: old)
            try rules.checkReferences(of: row, key, at: changed, among: records)
            return (nil, records.asked)
        } catch {
            return ((error as? GranaryError)?.code, records.asked)
        }
    }

    @Test func `a new record is checked whole`() {
        let records = Answers([1, 2])
        #expect(check(artist(3, .string("c"), teacher: .integer(2)), among: records) == (nil, ["name", "2"]))
        #expect(check(artist(3, .string("c"), teacher: .integer(9)), among: Answers([1])).code == .danglingReference)
        #expect(check(artist(3, .string("c")), among: Answers([1], holds: true)).code == .uniqueness)
    }

    @Test func `nothing is asked about nil, a reference to itself, and one that may dangle`() {
        let row = artist(3, .null, teacher: .integer(3), friend: .integer(9))
        #expect(check(row, among: Answers([], holds: true)) == (nil, []))
    }

    @Test func `what stays as it was is not asked about`() {
        let old = artist(3, .string("c"), teacher: .integer(9))
        let records = Answers([], holds: true)
        #expect(
            check(old.setting([Assignment(position: 3, value: .integer(1))]), replacing: old, among: records) == (
                nil, []
            ))
        let renamed = old.setting([Assignment(position: 1, value: .string("d"))])
        #expect(check(renamed, replacing: old, among: records) == (.uniqueness, ["name"]))
        let moved = old.setting([Assignment(position: 2, value: .integer(8))])
        #expect(check(moved, replacing: old, among: Answers([9])) == (.danglingReference, ["8"]))
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
