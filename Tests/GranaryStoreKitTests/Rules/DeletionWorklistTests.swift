import Testing

@testable import GranaryStoreKit

@Suite struct DeletionWorklistTests {
    private func place(_ entity: Int, _ key: Int64) -> RecordChange.Place {
        RecordChange.Place(entity: entity, key: .integer(key))
    }

    private func reference(_ entity: Int, _ rule: DeleteRule) -> ReferenceMap.Incoming {
        ReferenceMap.Incoming(entity: entity, position: 1, rule: rule)
    }

    @Test func `a record that several paths lead to is deleted once, and circles end`() {
        var deletion = PlacedDeletion()
        deletion.doom(place(0, 7))
        deletion.note(place(1, 1), reference(1, .cascade))
        deletion.note(place(1, 2), reference(1, .cascade))
        deletion.note(place(1, 1), reference(1, .cascade))
        deletion.note(place(0, 7), reference(0, .cascade))
        #expect(deletion.work.doomed.map { deletion.places[$0] } == [place(0, 7), place(1, 1), place(1, 2)])
        let first = deletion.alike(from: 0, limit: 10)
        #expect(first.entity == 0 && first.keys == [.integer(7)])
        let second = deletion.alike(from: 1, limit: 10)
        #expect(second.entity == 1 && second.keys == [.integer(1), .integer(2)])
        #expect(deletion.alike(from: 1, limit: 1).keys == [.integer(1)])
    }

    @Test func `only a record that stays forbids, or loses its reference`() {
        var deletion = PlacedDeletion()
        deletion.doom(place(0, 1))
        deletion.note(place(1, 1), reference(1, .deny))
        deletion.note(place(2, 1), reference(2, .nullify))
        deletion.note(place(2, 2), reference(2, .nullify))
        #expect(deletion.work.denial?.entity == 1)
        #expect(deletion.work.nullified.map { deletion.places[$0.record] } == [place(2, 1), place(2, 2)])
        deletion.doom(place(1, 1))
        deletion.doom(place(2, 1))
        #expect(deletion.work.denial == nil)
        #expect(deletion.work.nullified.map { deletion.places[$0.record] } == [place(2, 2)])
    }
}
