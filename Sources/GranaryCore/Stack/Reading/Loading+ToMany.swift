/// How much room at most is made in a group before there are records for it.
private let mostReserved = 32

extension Related: Loading {
    public func load(_ records: RecordBatch<Root>, in context: any ReadContext) throws -> [[Target]] {
        let (resolver, relationship, target) = try resolved(for: records, in: context)
        guard target.through == nil else {
            let related = try targets(of: records, in: context)
            return related.indices.map { $0.map { related.batch.records[$0] } }
        }
        let keys = records.values(at: context.schema.entities[records.entity].keyPosition)
        let request = try Related.request(records.isWhole ? nil : keys, target, relationship, resolver)
        // The rows come owner by owner, in the order of their keys.
        var owners = OwnerWalk(keys)
        var loaded: [[Target]] = Array(repeating: [], count: keys.count)
        var (group, owner): ([Target], Int?) = ([], nil)
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            guard let next = owners.place(of: row[target.position]) else { continue }
            if next != owner {
                // Most groups are about as large as the one before.
                let expected = min(group.count, mostReserved)
                if let owner { loaded[owner] = group }
                (group, owner) = ([], next)
                group.reserveCapacity(expected)
            }
            try Target._append(row, to: &group)
        }
        if let owner { loaded[owner] = group }
        return loaded
    }

    /// Loads more with the related records.
    public func with<each L: Loading>(
        _ related: repeat (Target.Fields) -> each L
    ) -> LoadedMany<Root, Target, repeat each L> {
        LoadedMany(relationship: self, inner: (repeat (each related)(Target.fields)))
    }

    func targets(of records: RecordBatch<Root>, in context: any ReadContext) throws -> RelatedBatch<Target> {
        let (resolver, relationship, target) = try resolved(for: records, in: context)
        let keys = records.values(at: context.schema.entities[records.entity].keyPosition)
        if let through = target.through {
            return try linked(target, through, relationship, keys, in: context)
        }
        let request = try Related.request(records.isWhole ? nil : keys, target, relationship, resolver)
        let batch = try RecordBatch<Target>(request, in: context)
        return RelatedBatch(batch: batch, indices: Related.grouped(batch.values(at: target.position), keys))
    }

    private func resolved(
        for records: RecordBatch<Root>, in context: any ReadContext
    ) throws -> (QueryResolver, Relationship, RelationshipTarget) {
        let resolver = QueryResolver(schema: context.schema)
        let (references, _, relationship) = try resolver.relationship(path, from: records.entity)
        guard references.isEmpty else {
            throw GranaryError(
                .invalidQuery,
                "\"\(path)\" is loaded step by step: load the first relationship, and `with` it the next.",
                entity: Root.entityName)
        }
        return (resolver, relationship, try resolver.target(of: relationship))
    }

    /// The related records owner by owner, which the index on the reference gives without sorting, then in their order.
    ///
    /// - Parameter keys: Nil for those of every owner there is, which need not be named.
    private static func request(
        _ keys: [StoredValue]?, _ target: RelationshipTarget, _ relationship: Relationship, _ resolver: QueryResolver
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: target.source)
        if let keys {
            request.condition = .among(position: target.position, keys.isAscending ? keys : Set(keys).sorted())
        } else if resolver.schema.entities[target.source].attributes[target.position].isOptional {
            request.condition = .compare(position: target.position, .notEqual, .null)
        }
        let owner = FetchRequest.OrderTerm(resolver.attribute(target.position, of: target.source), isDescending: false)
        request.order = [owner] + (try order(of: relationship, resolver, target.source))
        return request
    }

    /// Through the link entity: which records are whose, then the records.
    private func linked(
        _ target: RelationshipTarget, _ through: Int, _ relationship: Relationship, _ keys: [StoredValue],
        in context: any ReadContext
    ) throws -> RelatedBatch<Target> {
        let resolver = QueryResolver(schema: context.schema)
        var request = FetchRequest(
            entity: target.source, condition: .among(position: target.position, Set(keys).sorted()))
        request.order =
            relationship.orderedBy == nil
            ? [FetchRequest.OrderTerm(resolver.attribute(through, of: target.source), isDescending: false)]
            : try Related.order(of: relationship, resolver, target.source)
        request.columns = [target.position, through].map { resolver.attribute($0, of: target.source) }
        var owners: [StoredValue] = []
        var members: [StoredValue] = []
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            owners.append(StoredValue(row[0]))
            members.append(StoredValue(row[1]))
        }
        let keyPosition = context.schema.entities[target.entity].keyPosition
        let batch = try RecordBatch<Target>(
            FetchRequest(
                entity: target.entity,
                condition: .among(position: keyPosition, Set(members).sorted())), in: context)
        let places = Dictionary(zip(batch.values(at: keyPosition), batch.records.indices)) { first, _ in first }
        let links = Related.grouped(owners, keys)
        return RelatedBatch(batch: batch, indices: links.map { $0.compactMap { places[members[$0]] } })
    }

    private static func order(
        of relationship: Relationship, _ resolver: QueryResolver, _ entity: Int
    ) throws -> [FetchRequest.OrderTerm] {
        try relationship.orderedBy.map { [try resolver.orderTerm(Ordering(attribute: $0), of: entity)] } ?? []
    }

    /// For each key the places at which it is the owner.
    private static func grouped(_ owners: [StoredValue], _ keys: [StoredValue]) -> [[Int]] {
        var places: [StoredValue: [Int]] = [:]
        for (place, owner) in owners.enumerated() { places[owner, default: []].append(place) }
        return keys.map { places[$0] ?? [] }
    }
}

extension [StoredValue] {
    fileprivate var isAscending: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}

/// Finds the owners of rows that come in the order of their owners' keys.
private struct OwnerWalk {
    private let keys: [StoredValue]
    /// The places of the keys in ascending order; nil where that is their own order.
    private let order: [Int]?
    private var next = 0

    init(_ keys: [StoredValue]) {
        self.keys = keys
        order = keys.isAscending ? nil : keys.indices.sorted { keys[$0] < keys[$1] }
    }

    /// Where among the keys the owner's is; nil if it is none of them. To be asked in ascending order.
    mutating func place(of owner: Cell) -> Int? {
        while next < keys.count {
            let place = order?[next] ?? next
            let difference = keys[place].withCell { compare($0, owner) }
            if difference == 0 { return place }
            if difference > 0 { return nil }
            next += 1
        }
        return nil
    }
}

/// A to-many relationship loaded with more.
public struct LoadedMany<Root: Record, Target: Record, each L: Loading>: Loading {
    let relationship: Related<Root, Target>
    let inner: (repeat each L)

    public func load(
        _ records: RecordBatch<Root>, in context: any ReadContext
    ) throws -> [[(Target, repeat (each L).Loaded)]] {
        let related = try relationship.targets(of: records, in: context)
        let joined = try related.batch.joined(repeat each inner, in: context)
        return related.indices.map { $0.map { joined[$0] } }
    }
}
