// A deletion first computes its whole effect, with a list of records to be examined and no recursion: records that a
// cascade deletes join the list; records that lose a reference, and records that forbid the deletion, are noted. Only
// records that stay can forbid it: when the list is done, a record that forbids it and is not deleted itself makes the
// call throw, and nothing has been changed. Circles end because each record joins the list once.

/// The effect of a deletion, while it is computed. Records are numbered from 0 by the caller.
package struct DeletionWorklist {
    /// A reference that forbids the deletion.
    package struct Denial: Sendable {
        package var entity: Int
        package var position: Int
    }

    /// The records to be deleted, each once, in the order in which they were found. More join during the computation.
    package private(set) var doomed: [Int] = []
    /// Whether each record is to be deleted, by number.
    private var isDoomed: [Bool] = []
    private var losing: [(record: Int, position: Int)] = []
    private var denying: [(record: Int, denial: Denial)] = []

    package init() {}

    package mutating func doom(_ record: Int) {
        while isDoomed.count <= record { isDoomed.append(false) }
        if isDoomed[record] { return }
        isDoomed[record] = true
        doomed.append(record)
    }

    /// Notes the effect on a record that refers to a deleted record.
    package mutating func note(_ record: Int, _ reference: ReferenceMap.Incoming) {
        switch reference.rule {
        case .cascade: doom(record)
        case .nullify: losing.append((record, reference.position))
        case .deny: denying.append((record, Denial(entity: reference.entity, position: reference.position)))
        case .noAction: break
        }
    }

    private func stays(_ record: Int) -> Bool { !(isDoomed.indices.contains(record) && isDoomed[record]) }

    /// The reference of a remaining record that forbids the deletion. Of several it is the first in the schema, so that
    /// every store reports the same one.
    package var denial: Denial? {
        denying.filter { stays($0.record) }.map(\.denial).min { ($0.entity, $0.position) < ($1.entity, $1.position) }
    }

    /// The remaining records that lose references, each once, with the positions of the references.
    package var nullified: [(record: Int, positions: [Int])] {
        var found: [(record: Int, positions: [Int])] = []
        var places: [Int: Int] = [:]
        for (record, position) in losing where stays(record) {
            if let place = places[record] {
                found[place].positions.append(position)
            } else {
                places[record] = found.count
                found.append((record, [position]))
            }
        }
        return found
    }
}

/// The computation of a deletion for records that are identified by entity and key.
package struct PlacedDeletion {
    package private(set) var work = DeletionWorklist()
    /// The records found so far, by their numbers.
    package private(set) var places: [RecordChange.Place] = []
    private var numbers: [RecordChange.Place: Int] = [:]

    package init() {}

    package mutating func doom(_ place: RecordChange.Place) { work.doom(number(of: place)) }

    /// Notes the effect on a record that refers to a deleted record.
    mutating func note(_ place: RecordChange.Place, _ reference: ReferenceMap.Incoming) {
        work.note(number(of: place), reference)
    }

    private mutating func number(of place: RecordChange.Place) -> Int {
        if let number = numbers[place] { return number }
        numbers[place] = places.count
        places.append(place)
        return places.count - 1
    }

    /// The next records to be examined that have the same entity, at most `limit`.
    func alike(from next: Int, limit: Int) -> (entity: Int, keys: [StoredValue]) {
        let rest = work.doomed[next...].prefix(limit)
        let entity = places[work.doomed[next]].entity
        return (entity, rest.prefix { places[$0].entity == entity }.map { places[$0].key })
    }
}
