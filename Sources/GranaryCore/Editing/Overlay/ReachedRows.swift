// A request may depend on changed records of other entities, for example in an order by a count or a condition on a
// reference. Its answer then differs from the one below only for some records of its own entity: the changed ones, and
// those from which one of its paths leads to a changed record. Up to its first changed record a path is the same below,
// so the reader below can find where it begins. These records are treated as changes: the reader below answers for all
// others.

extension OverlayReader {
    /// The greatest number of records that are gathered: for more, reading the whole entity costs less. It is also the
    /// greatest number of keys in a request, because stores limit them.
    static let reachedLimit = 10_000
    /// The greatest number of bytes of texts and data that are gathered, because they are held in memory together.
    private static let reachedSize = 16 << 20

    /// The records for which a request may have another answer than below: the changed ones of its entity, and others
    /// from which one of its paths leads to a change. The others appear as changes without an effect.
    ///
    /// Cost: a query one level up for each step of a path that leads to a changed entity, and a row in memory for each
    /// record.
    ///
    /// - Returns: Nil if there are too many records or changes, or if a subquery of the request depends on changed
    ///   records.
    func reachedRows(of request: FetchRequest) throws -> PendingRows? {
        let changed = changes(for: request)
        guard request.looks(at: isChanged) else { return changed }
        guard let paths = try ChangedPaths(of: request, in: self) else { return nil }
        let unchanging = (request.condition?.conjuncts ?? []).filter { !$0.mayFail && !$0.looks(at: isChanged) }
        let keyPosition = schema.entities[request.entity].keyPosition
        var known = Set(changed.keys)
        var reached = changed.changes
        var size = 0
        for condition in paths.conditions {
            let rows = FetchRequest(
                entity: request.entity, condition: ResolvedCondition.joined(unchanging + [condition]),
                limit: OverlayReader.reachedLimit + changed.count + 1)
            let cursor = try below.rows(rows)
            while let row = try cursor.next() {
                let key = StoredValue(row[keyPosition])
                // A changed record that the request's condition excludes does not matter.
                guard known.insert(key).inserted, pending.change(key, of: request.entity) == nil else { continue }
                for position in 0..<row.count { size += row[position].rawBytes.count }
                if reached.count - changed.count >= OverlayReader.reachedLimit || size > OverlayReader.reachedSize {
                    return nil
                }
                let row = StoredRow(row)
                reached.append((key, PendingChanges.Change(base: row, current: row)))
            }
        }
        return PendingRows(reached)
    }
}

/// The places at which the paths of a request lead to changed records.
private struct ChangedPaths {
    /// Conditions on the state below. Each describes records from which a step of a path leads to a change.
    private(set) var conditions: [ResolvedCondition] = []
    private let reader: OverlayReader

    /// - Returns: Nil if there are too many changes, or if a subquery of the request depends on changed records.
    init?(of request: FetchRequest, in reader: OverlayReader) throws {
        self.reader = reader
        let values = request.order.map(\.value) + (request.columns ?? []) + (request.aggregation?.values ?? [])
        var parts = values.map { ResolvedChild.expression($0.expression) }
        if let condition = request.condition { parts.append(.condition(condition)) }
        for part in parts where try !follow(part, of: request.entity, along: { $0 }) { return nil }
    }

    /// - Parameters:
    ///   - entity: The entity of the records that the part is about.
    ///   - path: Turns a condition on these records into a condition on the records of the request.
    /// - Returns: False if there are too many changes, or if a subquery of the part depends on changed records.
    private mutating func follow(
        _ part: ResolvedChild, of entity: Int, along path: (ResolvedCondition) -> ResolvedCondition
    ) throws -> Bool {
        if case .request(let request) = part { return !reader.looksAtChanges(request) }
        guard let step = part.step else {
            return try !part.containsChild { try !follow($0, of: entity, along: path) }
        }
        if reader.isChanged(step.target) {
            let position = step.isToOne ? step.position : reader.schema.entities[entity].keyPosition
            let keys = step.isToOne ? Set(reader.pending.changes(of: step.target).keys) : try parents(step)
            if keys.count > OverlayReader.reachedLimit { return false }
            if !keys.isEmpty { conditions.append(path(.among(position: position, keys.sorted()))) }
        }
        return try !part.containsChild {
            try !follow($0, of: step.target) { path(step.condition($0)) }
        }
    }

    /// The keys that the changed records of a step's target refer to now or referred to below, each once.
    private func parents(_ step: Step) throws -> Set<StoredValue> {
        var parents: Set<StoredValue> = []
        for (key, change) in reader.pending.changes(of: step.target) {
            let place = RecordChange.Place(entity: step.target, key: key)
            let old = reader.areBasesBelow ? change.base : try reader.below.row(place)
            for row in [old, change.current] {
                if let row, !row[step.position].isNull { parents.insert(row.value(at: step.position)) }
            }
        }
        return parents
    }
}

/// A step of a path from a record to others.
private struct Step {
    /// The position of the reference: for a to-one step, an attribute of the current record; for a to-many step, an
    /// attribute of the target.
    let position: Int
    let target: Int
    let isToOne: Bool

    /// Turns a condition on the target into a condition on the current record.
    func condition(_ inner: ResolvedCondition) -> ResolvedCondition {
        isToOne
            ? .toOne(position: position, entity: target, inner, isNegated: false)
            : .toMany(entity: target, position: position, inner, isNegated: false)
    }
}

extension ResolvedChild {
    /// The step to the records that its children are about; nil if they are about the current record.
    fileprivate var step: Step? {
        switch self {
        case .condition(.toOne(let position, let target, _, _)), .expression(.toOne(let position, let target, _)):
            Step(position: position, target: target, isToOne: true)
        case .condition(.toMany(let target, let position, _, _)):
            Step(position: position, target: target, isToOne: false)
        case .expression(.aggregate(let aggregate)):
            Step(position: aggregate.position, target: aggregate.entity, isToOne: false)
        default: nil
        }
    }

    fileprivate func containsChild(where holds: (ResolvedChild) throws -> Bool) rethrows -> Bool {
        switch self {
        case .condition(let condition): try condition.containsChild(where: holds)
        case .expression(let expression): try expression.containsChild(where: holds)
        case .request(let request): try holds(.request(request))
        }
    }
}
