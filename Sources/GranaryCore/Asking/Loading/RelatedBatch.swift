// How related records are asked for, whatever is made of their rows: a reference is one query, a to-many relationship one,
// a many-to-many one two.

/// The records that others are related to, and which are whose.
struct RelatedBatch<Target: Sendable> {
    var batch: RecordBatch<Target>
    /// For each record asked about, where in the batch those related to it are.
    var indices: [[Int]]
}

extension RelatedBatch {
    /// The records of an entity that a reference of others names.
    init<Root>(
        referredToBy position: Int, of records: RecordBatch<Root>, entity: Int, in context: ReadContext,
        append: RecordBatch<Target>.Append
    ) throws {
        let references = records.values(at: position)
        let batch = try RecordBatch(
            keys: references.filter { $0 != .null }, of: entity, in: context, hashes: records.hashes?.another,
            append: append)
        let places = batch.places(at: context.schema.entities[entity].keyPosition)
        self.init(batch: batch, indices: references.map { places[$0].map { [$0] } ?? [] })
    }

    /// The records that others have by a to-many or many-to-many relationship, in its order.
    init<Root>(
        _ relationship: Relationship, _ target: RelationshipTarget, to records: RecordBatch<Root>,
        in context: ReadContext, append: RecordBatch<Target>.Append
    ) throws {
        let resolver = QueryResolver(schema: context.schema)
        let keys = records.values(at: context.schema.entities[records.entity].keyPosition)
        guard let through = target.through else {
            let request = try relationship.request(records.isWhole ? nil : keys, target, resolver)
            let batch = try RecordBatch(request, in: context, hashes: records.hashes?.another, append: append)
            self.init(batch: batch, indices: grouped(batch.values(at: target.position), keys))
            return
        }
        // Through the link entity: which records are whose, then the records.
        var request = FetchRequest(
            entity: target.source, condition: .among(position: target.position, Set(keys).sorted()))
        request.order =
            relationship.orderedBy == nil
            ? [FetchRequest.OrderTerm(resolver.attribute(through, of: target.source), isDescending: false)]
            : try relationship.order(resolver, target.source)
        request.columns =
            [target.position, through].map { resolver.attribute($0, of: target.source) } + request.order.map(\.value)
        var links: [(owner: StoredValue, member: StoredValue, place: StoredValue)] = []
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            links.append((StoredValue(row[0]), StoredValue(row[1]), StoredValue(row[2])))
        }
        // Ties are broken by the records' keys, as where they are fetched.
        if relationship.orderedBy != nil { links.sortTies() }
        let (owners, members) = (links.map(\.owner), links.map(\.member))
        let batch = try RecordBatch(
            keys: members, of: target.entity, in: context, hashes: records.hashes?.another, append: append)
        let places = batch.places(at: context.schema.entities[target.entity].keyPosition)
        self.init(
            batch: batch, indices: grouped(owners, keys).map { $0.compactMap { places[members[$0]] } })
    }
}

extension [(owner: StoredValue, member: StoredValue, place: StoredValue)] {
    /// Sorts links that are next to each other and have the same place by their members.
    fileprivate mutating func sortTies() {
        var start = 0
        while start < count {
            let place = self[start].place
            let end = self[start...].firstIndex { $0.place != place } ?? count
            if end > start + 1 { self[start..<end].sort { $0.member < $1.member } }
            start = end
        }
    }
}

extension RecordBatch {
    /// The records of an entity with some keys.
    fileprivate init(
        keys: [StoredValue], of entity: Int, in context: ReadContext, hashes: LoadedHashes?, append: Append
    ) throws {
        let position = context.schema.entities[entity].keyPosition
        let condition = ResolvedCondition.among(position: position, Set(keys).sorted())
        try self.init(
            FetchRequest(entity: entity, condition: condition), in: context, hashes: hashes, append: append)
    }

    /// Where the record with a key is.
    fileprivate func places(at keyPosition: Int) -> [StoredValue: Int] {
        Dictionary(zip(values(at: keyPosition), records.indices)) { first, _ in first }
    }
}

extension Relationship {
    /// The related records owner by owner, which the index on the reference gives without sorting, then in their order.
    ///
    /// - Parameter keys: Nil for those of every owner there is, which need not be named.
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

/// For each key the places at which it is the owner.
private func grouped(_ owners: [StoredValue], _ keys: [StoredValue]) -> [[Int]] {
    var places: [StoredValue: [Int]] = [:]
    for (place, owner) in owners.enumerated() { places[owner, default: []].append(place) }
    return keys.map { places[$0] ?? [] }
}

extension [StoredValue] {
    var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
