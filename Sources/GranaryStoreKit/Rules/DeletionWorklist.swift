// A deletion first works out everything it will do, with a list of records still to be looked at and no recursion: records
// that are deleted by a cascade join the list, records that lose a reference are noted, records that forbid the deletion
// too. Only records that stay can forbid it: after the list is worked off, a record that forbids and is not deleted itself
// makes the call throw, and nothing has been done. Circles end because each record joins the list once.

/// What a deletion will do, while it is worked out. Records are numbered from 0; the caller gives the numbers.
package struct DeletionWorklist {
    /// A reference that forbids the deletion.
    package struct Denial: Sendable {
        package var entity: Int
        package var position: Int
    }

    /// The records to be deleted, each once, in the order in which they were found. More join while it is worked off.
    package private(set) var doomed: [Int] = []
    /// By number.
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

    /// Notes what becomes of a record by one of its references to a record that is deleted.
    package mutating func note(_ record: Int, _ reference: ReferenceMap.Incoming) {
        switch reference.rule {
        case .cascade: doom(record)
        case .nullify: losing.append((record, reference.position))
        case .deny: denying.append((record, Denial(entity: reference.entity, position: reference.position)))
        case .noAction: break
        }
    }

    private func stays(_ record: Int) -> Bool { !(isDoomed.indices.contains(record) && isDoomed[record]) }

    /// The reference of a record that stays which forbids the deletion: of several the first in the schema, so that every
    /// store names the same one.
    package var denial: Denial? {
        denying.filter { stays($0.record) }.map(\.denial).min { ($0.entity, $0.position) < ($1.entity, $1.position) }
    }

    /// The records that stay and lose references, each once, with the positions of these.
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

/// A deletion of records that are known by their entity and key, while it is worked out.
package struct PlacedDeletion {
    package private(set) var work = DeletionWorklist()
    /// The records that it has come across, by their numbers.
    package private(set) var places: [RecordChange.Place] = []
    private var numbers: [RecordChange.Place: Int] = [:]

    package init() {}

    package mutating func doom(_ place: RecordChange.Place) { work.doom(number(of: place)) }

    /// Notes what becomes of a record by one of its references to a record that is deleted.
    mutating func note(_ place: RecordChange.Place, _ reference: ReferenceMap.Incoming) {
        work.note(number(of: place), reference)
    }

    private mutating func number(of place: RecordChange.Place) -> Int {
        if let number = numbers[place] { return number }
        numbers[place] = places.count
        places.append(place)
        return places.count - 1
    }

    /// The next records to be looked at that have a common entity, at most `limit`.
    func alike(from next: Int, limit: Int) -> (entity: Int, keys: [StoredValue]) {
        let rest = work.doomed[next...].prefix(limit)
        let entity = places[work.doomed[next]].entity
        return (entity, rest.prefix { places[$0].entity == entity }.map { places[$0].key })
    }
}
