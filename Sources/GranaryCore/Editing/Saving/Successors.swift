// A save may give up a new record, because another record has its unique values: that one is its successor. The merge leads
// the references of the saved contexts there. Contexts over them may refer to the record, too, and so may changes that were
// made while the save ran: these are led when the save is done, and not later. For the key may be given to another record
// then, and nothing tells a reference to the one from a reference to the other.

/// The successors of records that were given up while work was under way over a context.
struct WorkerSuccessors {
    /// How much work is under way.
    var workers = 0 { didSet { if workers == 0 { known = [:] } } }
    private(set) var known: [RecordChange.Place: StoredValue] = [:]

    mutating func add(_ successors: [RecordChange.Place: StoredValue]) {
        if workers > 0 { known.merge(successors) { $1 } }
    }
}

extension EditContext {
    /// Has what is pending here, and in all contexts over this one, refer to the successors of records that were given up.
    ///
    /// - Parameter successors: Their keys, by the places of the records that were given up.
    func follow(_ successors: [RecordChange.Place: StoredValue]) {
        if successors.isEmpty { return }
        for context in family {
            context.successors.add(successors)
            context.overlay.follow(successors)
        }
    }
}

extension Overlay {
    /// Has pending records refer to the successors of records that were given up. Undo does not take that back.
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
        // Where the store cannot be read now, the next save finds what is not there.
        try? withBelow { _ in
            // Before the end of the call, which hands its steps over.
            let first = steps.count
            defer { forgetSteps(from: first) }
            for (entity, key, row) in led {
                // A link that the context has made to the successor itself has the place that it was given.
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
