import GranaryCore

/// A relationship of a record that is connected at the end.
struct ConnectedRecord {
    let entity: Int
    /// The place among the plan's final connections.
    let connection: Int
    let key: StoredValue
    /// The values that name the records; empty for a path.
    let names: [[StoredValue]]
    let place: ImportPlace
}

/// The relationships that are connected at the end of the import. It takes what the batches that are written have for them: of
/// several objects of a record the last one counts, whatever it says of the relationship.
///
/// It is used by one thread at a time.
final class FinalConnections {
    private struct Place: Hashable {
        let entity: Int
        let connection: Int
        let key: StoredValue
    }

    private var found: [Place: (number: Int, names: [[StoredValue]], place: ImportPlace)] = [:]
    private var count = 0
    private var bytesOutside = 0

    var isEmpty: Bool { found.isEmpty }

    /// How many bytes of memory it takes, about.
    var size: Int { found.tableSize + bytesOutside }

    /// Takes what a batch has that is written.
    func take(_ batch: Batch, _ plans: EntityPlans) {
        forgetSaid(batch, plans)
        for search in batch.searches {
            guard let plan = plans[search.entity] else { continue }
            let row = plan.merged(search.row)
            guard plan.rows[row].isWritten, let key = plan.rows[row].key else { continue }
            if case .reference(let position) = plan.finalConnections[search.found.connection].slot,
                let said = plans.said(at: position, of: plan, row), said.item > search.item
            {
                continue
            }
            if case .list(let relationship) = plan.finalConnections[search.found.connection].slot,
                batch.lists.contains(where: { list in
                    list.entity == search.entity && list.relationship == relationship && list.item > search.item
                        && list.rule.policy != .add && plan.merged(list.row) == row
                })
            {
                continue
            }
            add(
                Place(entity: search.entity, connection: search.found.connection, key: key), search.found.names,
                search.place)
        }
        for case let plan? in plans where plan.hasThroughPaths {
            for row in plan.rows.indices where plan.rows[row].isWritten && !plan.rows[row].isNamedOnly {
                guard let key = plan.rows[row].key else { continue }
                for index in plan.finalConnections.indices where !plan.finalConnections[index].isSearch {
                    add(Place(entity: plan.position, connection: index, key: key), [], plan.rows[row].place)
                }
            }
        }
    }

    /// Forgets searches of relationships that the batch has other values for.
    private func forgetSaid(_ batch: Batch, _ plans: EntityPlans) {
        guard !found.isEmpty else { return }
        for case let plan? in plans {
            for (index, connection) in plan.finalConnections.enumerated() where connection.isSearch {
                switch connection.slot {
                case .reference(let position):
                    for row in plan.rows.indices where plan.rows[row].isWritten {
                        guard let key = plan.rows[row].key, plans.said(at: position, of: plan, row) != nil else {
                            continue
                        }
                        remove(Place(entity: plan.position, connection: index, key: key))
                    }
                case .list(let relationship):
                    for list in batch.lists where list.entity == plan.position && list.relationship == relationship {
                        let row = plan.merged(list.row)
                        guard list.rule.policy != .add, plan.rows[row].isWritten, let key = plan.rows[row].key else {
                            continue
                        }
                        remove(Place(entity: plan.position, connection: index, key: key))
                    }
                }
            }
        }
    }

    private func add(_ place: Place, _ names: [[StoredValue]], _ source: ImportPlace) {
        remove(place)
        count += 1
        let source = source.detached
        found[place] = (count, names, source)
        bytesOutside += size(of: place, names, source)
    }

    private func remove(_ place: Place) {
        guard let removed = found.removeValue(forKey: place) else { return }
        bytesOutside -= size(of: place, removed.names, removed.place)
    }

    private func size(of place: Place, _ names: [[StoredValue]], _ source: ImportPlace) -> Int {
        let values = names.joined().reduce(place.key.bytesAround) { $0 + $1.bytesAround }
        return values + names.count * 64 + source.bytesOutside
    }

    /// What is to be connected, in groups of one connection: in the order in which connections depend on each other, and in
    /// each group in the order of the source.
    func takeAll(_ plans: EntityPlans) -> [[ConnectedRecord]] {
        let all = found.sorted { $0.value.number < $1.value.number }.map { place, found in
            ConnectedRecord(
                entity: place.entity, connection: place.connection, key: place.key, names: found.names,
                place: found.place)
        }
        (found, bytesOutside) = ([:], 0)
        let groups = Dictionary(grouping: all) { [$0.entity, $0.connection] }
        func isLate(_ group: [Int]) -> Bool { plans[group[0]].map { !$0.finalConnections[group[1]].isSearch } ?? false }
        return groups.sorted { left, right in
            let (leftIsLate, rightIsLate) = (isLate(left.key), isLate(right.key))
            return leftIsLate == rightIsLate ? left.key.lexicographicallyPrecedes(right.key) : rightIsLate
        }.map(\.value)
    }
}

extension StoredValue {
    /// How many bytes of memory it takes, about.
    fileprivate var bytesAround: Int {
        switch self {
        case .null, .integer, .real: 24
        case .text(let bytes), .bytes(let bytes): bytes.count + 56
        }
    }
}
