import GranaryCore

/// A record that a reference has left.
struct ReplacedRecord {
    /// The position of the entity that has the reference, and that of its attribute.
    let entity: Int
    let position: Int
    let key: StoredValue
    let place: ImportPlace
}

/// The records that references have left whose mapping deletes them. They are deleted at the end, unless a record refers to them by
/// the same attribute then. So it does no harm to note one whose reference is undone.
///
/// It is used by one thread at a time.
final class ReplacedRecords {
    private struct Place: Hashable {
        let entity: Int
        let position: Int
        let key: StoredValue
    }

    private var places: [Place: (number: Int, place: ImportPlace)] = [:]
    private var bytesOutside = 0

    var isEmpty: Bool { places.isEmpty }

    /// How many bytes of memory it takes, about.
    var size: Int { places.tableSize + bytesOutside }

    /// The records in the order in which they were noted.
    var all: [ReplacedRecord] {
        places.sorted { $0.value.number < $1.value.number }.map {
            ReplacedRecord(entity: $0.key.entity, position: $0.key.position, key: $0.key.key, place: $0.value.place)
        }
    }

    /// Notes that a reference refers to another record than before.
    func note(_ former: StoredValue, at position: Int, of plan: EntityPlan, _ place: ImportPlace) {
        guard former != .null, plan.deleting.contains(position) else { return }
        let key = Place(entity: plan.position, position: position, key: former)
        guard places[key] == nil else { return }
        let place = place.detached
        places[key] = (places.count, place)
        bytesOutside += place.bytesOutside + former.size
    }

    /// Notes what the references of a batch that is written have left.
    func note(_ plans: EntityPlans) {
        for case let plan? in plans where !plan.deleting.isEmpty {
            for row in plan.rows.indices where plan.rows[row].isWritten {
                guard let existing = plan.rows[row].existing else { continue }
                for position in plan.deleting where plans.said(at: position, of: plan, row) != nil {
                    let former = existing.value(at: position)
                    guard former != StoredValue(plan.stage[row, position]) else { continue }
                    note(former, at: position, of: plan, plan.rows[row].place)
                }
            }
        }
    }
}

extension StoredValue {
    fileprivate var size: Int {
        switch self {
        case .null, .integer, .real: 0
        case .text(let bytes), .bytes(let bytes): bytes.count + 32
        }
    }
}
