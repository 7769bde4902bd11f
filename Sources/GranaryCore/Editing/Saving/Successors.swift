// A save may give up a new record because another record has its unique values: that record is its successor. The merge
// leads the references of the saved contexts to the successor. Contexts over them may refer to the given-up record as
// well, and so may changes that were made during the save. These references are led when the save is done, and not
// later: the key may be given to another record then, and a reference does not show which of the two records it means.

/// The successors of records that were given up while workers ran over a context.
struct WorkerSuccessors {
    /// The number of running workers.
    var workers = 0 { didSet { if workers == 0 { known = [:] } } }
    private(set) var known: [RecordChange.Place: StoredValue] = [:]

    mutating func add(_ successors: [RecordChange.Place: StoredValue]) {
        if workers > 0 { known.merge(successors) { $1 } }
    }
}

extension EditContext {
    /// Leads pending references, here and in all contexts over this one, to the successors of records that were given
    /// up.
    ///
    /// - Parameter successors: The keys of the successors, by the places of the records that were given up.
    func follow(_ successors: [RecordChange.Place: StoredValue]) {
        if successors.isEmpty { return }
        for context in family {
            context.successors.add(successors)
            context.overlay.follow(successors)
        }
    }
}

extension Overlay {
    /// Leads pending references to the successors of records that were given up. Undo does not take that back.
    fileprivate func follow(_ successors: [RecordChange.Place: StoredValue]) {
        var led: [(entity: Int, key: StoredValue, row: StoredRow)] = []
        for entity in pending.entities {
            let references = schema.entities[entity].references.compactMap { position in
                schema.target(of: entity, position).map { (position: position, target: $0) }
            }
            for (key, change) in pending.changes(of: entity) {
                guard let row = change.current else { continue }
                let values = references.compactMap { position, target in
                    successors[RecordChange.Place(entity: target, key: row.value(at: position))]
                        .map { Assignment(position: position, value: $0) }
                }
                if !values.isEmpty { led.append((entity, key, row.setting(values))) }
            }
        }
        if led.isEmpty { return }
        // If the store cannot be read now, the next save finds the missing records.
        try? withBelow { _ in
            // Must happen before the end of the call, which hands its steps over.
            let first = steps.count
            defer { forgetSteps(from: first) }
            for (entity, key, row) in led {
                // If the context has made a link to the successor itself, that link keeps its place.
                let rules = mergeRules[entity]
                let isLinked =
                    rules.ends != nil
                    && pending.changes(of: entity).contains { other, change in
                        other != key && change.current.map { rules.haveSameEnds($0, row) } == true
                    }
                set(isLinked ? nil : row, key, of: entity, before: pending.change(key, of: entity)?.current)
            }
        }
    }
}
