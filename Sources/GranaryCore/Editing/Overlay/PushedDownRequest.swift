/// A request with as much of its condition and its order as possible pushed down to the reader below.
struct PushedDownRequest {
    /// The request for the reader below: whole rows, no offset.
    var below: FetchRequest
    /// A further condition for the rows from below.
    var residual: ResolvedCondition?
    /// Whether the rows from below come in the requested order; otherwise they come by key.
    var isOrdered: Bool
    /// The records that are not taken from below. For all others the pushed-down part has the same answer there.
    var changes: PendingRows
}

extension OverlayReader {
    func pushDown(_ request: FetchRequest) throws -> PushedDownRequest {
        var below = FetchRequest(entity: request.entity, condition: request.condition, order: request.order)
        if let reached = try reachedRows(of: below) {
            let isLeftOut = leaveOut(reached, of: &below)
            below.limit = request.needed(beside: isLeftOut ? 0 : reached.replaced.count)
            return PushedDownRequest(below: below, residual: nil, isOrdered: true, changes: reached)
        }
        let changes = changes(for: request)
        let isOrdered = !request.order.contains { $0.value.expression.looks(at: isChanged) }
        let parts = request.condition?.conjuncts ?? []
        let residual = parts.filter { $0.looks(at: isChanged) }
        let handed = residual.isEmpty ? parts : parts.filter { !$0.looks(at: isChanged) }
        below.condition = ResolvedCondition.joined(handed)
        if !isOrdered { below.order = [] }
        leaveOut(changes, of: &below)
        if isOrdered && residual.isEmpty { below.limit = request.needed(beside: changes.replaced.count) }
        return PushedDownRequest(
            below: below, residual: ResolvedCondition.joined(residual), isOrdered: isOrdered, changes: changes)
    }

    /// Excludes records from a request that may fail because of stored values: the values that these records have below
    /// may not be shown. If there are too many records to be named, they are not excluded.
    ///
    /// - Returns: Whether the records were excluded.
    @discardableResult func leaveOut(_ rows: PendingRows, of request: inout FetchRequest) -> Bool {
        guard rows.count > 0, rows.count <= OverlayReader.reachedLimit, request.mayFail else { return false }
        let others = ResolvedCondition.notAmong(
            position: schema.entities[request.entity].keyPosition, rows.keys.sorted())
        request.condition = ResolvedCondition.joined([others] + (request.condition?.conjuncts ?? []))
        return true
    }

    /// The changes of a request's entity, or only those whose keys its condition names.
    func changes(for request: FetchRequest) -> PendingRows {
        guard isChanged(request.entity) else { return PendingRows(PendingTable()) }
        let all = pending.changes(of: request.entity)
        let position = schema.entities[request.entity].keyPosition
        // Numbers of different kinds may be equal, but all keys of the changes are of one kind.
        if let keys = request.condition?.keys(at: position), keys.count < all.count, let kind = all.keyKind,
            keys.allSatisfy({ $0.kind == kind })
        {
            return PendingRows(ContiguousArray(keys.lazy.compactMap { key in all[key].map { (key: key, change: $0) } }))
        }
        return pendingRows(of: request.entity)
    }
}

extension ResolvedCondition {
    /// The conjunction of conditions; nil if there are no conditions.
    static func joined(_ conjuncts: [ResolvedCondition]) -> ResolvedCondition? {
        conjuncts.count > 1 ? .all(conjuncts) : conjuncts.first
    }

    /// The values that the condition allows for the attribute at a position; nil if it does not limit them.
    fileprivate func keys(at position: Int) -> [StoredValue]? {
        for part in conjuncts {
            switch part {
            case .compare(position, .equal, let value): return [value]
            case .among(position, let values): return values
            default: continue
            }
        }
        return nil
    }
}
