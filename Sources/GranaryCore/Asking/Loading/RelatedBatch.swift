// How related records are fetched, for every kind of output: one query for a reference or a to-many relationship, two
// for a many-to-many one.

/// The related records of other records, with the assignment of related records to owners.
struct RelatedBatch<Target: Sendable> {
    var batch: RecordBatch<Target>
    /// For each owner, the positions of its related records in the batch.
    var places: RelatedPlaces
}

extension RelatedBatch {
    /// The records that a reference of the owners names.
    init<Root>(
        referredToBy position: Int, of records: RecordBatch<Root>, entity: Int, in context: ReadContext,
        append: RecordBatch<Target>.Append
    ) throws {
        let references = records.values(at: position)
        let batch = try RecordBatch(
            keys: references.filter { $0 != .null }, of: entity, in: context, hashes: records.hashes?.another,
            append: append)
        let places = batch.places(at: context.schema.entities[entity].keyPosition)
        self.init(batch: batch, places: RelatedPlaces(single: references.map { places[$0] }))
    }

    /// The records of a to-many or many-to-many relationship of the owners, in its order.
    ///
    /// - Parameter part: The condition, order and limit for each owner; nil for all records in the relationship's
    ///   order.
    init<Root>(
        _ relationship: Relationship, _ target: RelationshipTarget, to records: RecordBatch<Root>,
        part: FetchRequest? = nil, in context: ReadContext, append: RecordBatch<Target>.Append
    ) throws {
        let resolver = QueryResolver(schema: context.schema)
        let keys = records.values(at: context.schema.entities[records.entity].keyPosition)
        guard let through = target.through else {
            let request = try relationship.request(records.isWhole ? nil : keys, target, resolver).part(part)
            let hashes = records.hashes?.another
            let batch =
                if let limit = part?.limit {
                    try RecordBatch(
                        first: limit, of: request, byOwnersAt: target.position, Set(keys).sorted(),
                        where: part?.condition, in: context, hashes: hashes, append: append)
                } else {
                    try RecordBatch(request, in: context, hashes: hashes, append: append)
                }
            self.init(batch: batch, places: RelatedPlaces(owners: batch.values(at: target.position), of: keys))
            return
        }
        // The links give the pairs of owners and records, owner by owner. Then the records are fetched.
        var request = FetchRequest(
            entity: target.source, condition: .among(position: target.position, Set(keys).sorted()))
        let owner = FetchRequest.OrderTerm(resolver.attribute(target.position, of: target.source), isDescending: false)
        request.order =
            relationship.orderedBy == nil
            ? [owner, FetchRequest.OrderTerm(resolver.attribute(through, of: target.source), isDescending: false)]
            : [owner] + (try relationship.order(resolver, target.source))
        request.columns =
            [target.position, through].map { resolver.attribute($0, of: target.source) }
            + request.order.dropFirst().map(\.value)
        var walk = OwnerWalk(keys)
        var runs = Array(repeating: 0..<0, count: keys.count)
        var members: [StoredValue] = []
        // Ties are ordered by the records' keys, as in a fetch.
        var (last, tie): ((owner: Int, place: StoredValue)?, Int) = (nil, 0)
        func endTie() { if members.count > tie + 1 { members[tie...].sort() } }
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            guard let owner = walk.place(of: row[0]) else { continue }
            let place = StoredValue(row[2])
            if last?.owner != owner || last?.place != place {
                if relationship.orderedBy != nil { endTie() }
                if last?.owner != owner { runs[owner] = members.count..<members.count }
                (last, tie) = ((owner, place), members.count)
            }
            members.append(StoredValue(row[1]))
            runs[owner] = runs[owner].lowerBound..<members.count
        }
        if relationship.orderedBy != nil { endTie() }
        for (place, first) in walk.finished { runs[place] = runs[first] }
        let batch = try RecordBatch(
            keys: members, of: target.entity, part: part, in: context, hashes: records.hashes?.another, append: append)
        let places = batch.places(at: context.schema.entities[target.entity].keyPosition)
        let isOrdered = !(part?.order.isEmpty ?? true)
        var order: [Int] = []
        order.reserveCapacity(members.count)
        for owner in runs.indices {
            let start = order.count
            order += members[runs[owner]].lazy.compactMap { places[$0] }
            // If the part has its own order, the records come in it.
            if isOrdered { order[start...].sort() }
            if let limit = part?.limit, order.count - start > limit { order.removeLast(order.count - start - limit) }
            runs[owner] = start..<order.count
        }
        self.init(batch: batch, places: RelatedPlaces(runs: runs, of: order))
    }
}

extension RecordBatch {
    /// The records of an entity with these keys.
    fileprivate init(
        keys: [StoredValue], of entity: Int, part: FetchRequest? = nil, in context: ReadContext, hashes: LoadedHashes?,
        append: Append
    ) throws {
        let position = context.schema.entities[entity].keyPosition
        let condition = ResolvedCondition.among(position: position, Set(keys).sorted())
        let request = FetchRequest(entity: entity, condition: condition).part(part)
        try self.init(request, in: context, hashes: hashes, append: append)
    }

    /// The first records of each owner.
    ///
    /// The rows are read owner by owner, and rows beyond the limit are skipped. If far more rows are skipped than kept,
    /// each of the remaining owners gets its own query.
    ///
    /// - Parameters:
    ///   - request: The rows of all owners, ordered by owner first.
    ///   - position: The attribute that refers to the owner.
    ///   - owners: The owners' keys, ascending.
    ///   - condition: The condition of the rows, without that for the owner.
    fileprivate init(
        first limit: Int, of request: FetchRequest, byOwnersAt position: Int, _ owners: [StoredValue],
        where condition: ResolvedCondition?, in context: ReadContext, hashes: LoadedHashes?, append: Append
    ) throws {
        self.init(of: request.entity, isWhole: false, in: context.schema, hashes: hashes)
        var (owner, count, passed): (StoredValue?, Int, Int) = (nil, 0, 0)
        let most = 1_000 + 4 * owners.count
        let cursor = try context.rows(request)
        // A row points into its cursor. This is also true of the row that an error is about.
        defer { withExtendedLifetime(cursor) {} }
        while passed <= most, let row = try cursor.next() {
            let isSame = owner?.withCell { compare($0, row[position]) == 0 } ?? false
            if !isSame { (owner, count) = (StoredValue(row[position]), 0) }
            count += 1
            if count <= limit { try add(row, in: context.schema, append) } else { passed += 1 }
        }
        guard passed > most, let owner else { return }
        for next in owners where owner < next {
            var single = request
            single.condition = .all([.compare(position: position, .equal, next)] + (condition.map { [$0] } ?? []))
            single.order.removeFirst()
            single.limit = limit
            let rows = try context.rows(single)
            defer { withExtendedLifetime(rows) {} }
            while let row = try rows.next() { try add(row, in: context.schema, append) }
        }
    }

    /// The position of each record, by its key.
    fileprivate func places(at keyPosition: Int) -> [StoredValue: Int] {
        Dictionary(zip(values(at: keyPosition), records.indices)) { first, _ in first }
    }
}

extension Relationship {
    /// The related records, owner by owner, then in their order. The index on the reference gives the owners in order
    /// without sorting.
    ///
    /// - Parameter keys: The owners' keys; nil if every record is an owner, so that the keys need not be named.
    func request(
        _ keys: [StoredValue]?, _ target: RelationshipTarget, _ resolver: QueryResolver
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: target.source)
        if let keys {
            request.condition = .among(position: target.position, keys.isAscending ? keys : Set(keys).sorted())
        } else if resolver.schema.entities[target.source].attributes[target.position].isOptional {
            request.condition = .compare(position: target.position, .notEqual, .null)
        }
        let owner = FetchRequest.OrderTerm(resolver.attribute(target.position, of: target.source), isDescending: false)
        request.order = [owner] + (try order(resolver, target.source))
        return request
    }

    fileprivate func order(_ resolver: QueryResolver, _ entity: Int) throws -> [FetchRequest.OrderTerm] {
        try orderedBy.map { [try resolver.orderTerm(Ordering(attribute: $0), of: entity)] } ?? []
    }
}

extension FetchRequest {
    /// The request with the condition and the order of a part. If the request is ordered by owner, that order stays
    /// first.
    func part(_ part: FetchRequest?) -> FetchRequest {
        guard let part else { return self }
        var request = self
        let conditions = [condition, part.condition].compactMap(\.self)
        request.condition = conditions.count > 1 ? .all(conditions) : conditions.first
        if !part.order.isEmpty { request.order = Array(order.prefix(1)) + part.order }
        return request
    }
}

extension [StoredValue] {
    var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
