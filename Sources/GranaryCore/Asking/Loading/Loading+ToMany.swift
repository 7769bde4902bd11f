/// How much room at most is made in a group before there are records for it.
private let mostReserved = 32

extension Related: Loading {
    public var paths: [String] { [path] }

    public func load(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [[Target]] {
        let (resolver, relationship, target) = try resolved(for: records, in: context)
        guard target.through == nil, records.hashes == nil else {
            let related = try targets(of: records, in: context)
            records.hashes?.add(related)
            return related.indices.map { $0.map { related.batch.records[$0] } }
        }
        let keys = records.values(at: context.schema.entities[records.entity].keyPosition)
        let request = try relationship.request(records.isWhole ? nil : keys, target, resolver)
        // The rows come owner by owner, in the order of their keys.
        var owners = OwnerWalk(keys)
        var loaded: [[Target]] = Array(repeating: [], count: keys.count)
        var (group, owner): ([Target], Int?) = ([], nil)
        let cursor = try context.rows(request)
        // A row points into its cursor: also the one that an error is about.
        defer { withExtendedLifetime(cursor) {} }
        while let row = try cursor.next() {
            guard let next = owners.place(of: row[target.position]) else { continue }
            if next != owner {
                // Most groups are about as large as the one before.
                let expected = min(group.count, mostReserved)
                if let owner { loaded[owner] = group }
                (group, owner) = ([], next)
                group.reserveCapacity(expected)
            }
            do {
                try Target._append(row, to: &group)
            } catch {
                throw context.schema.explain(error, target.source, row)
            }
        }
        if let owner { loaded[owner] = group }
        for (place, first) in owners.repeated { loaded[place] = loaded[first] }
        return loaded
    }

    func targets(of records: RecordBatch<Root>, in context: ReadContext) throws -> RelatedBatch<Target> {
        let (_, relationship, target) = try resolved(for: records, in: context)
        return try RelatedBatch(relationship, target, to: records, in: context) { row, records in
            try Target._append(row, to: &records)
        }
    }

    private func resolved(
        for records: RecordBatch<Root>, in context: ReadContext
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
}

/// Finds the owners of rows that come in the order of their owners' keys.
private struct OwnerWalk {
    private let keys: [StoredValue]
    /// The places of the keys in ascending order; nil where that is their own order.
    private let order: [Int]?
    private var next = 0
    /// Places of a key that has been at another place before, and that one.
    private(set) var repeated: [(place: Int, first: Int)] = []

    init(_ keys: [StoredValue]) {
        self.keys = keys
        guard !keys.isAscending else {
            order = nil
            return
        }
        let order = keys.indices.sorted { keys[$0] < keys[$1] }
        self.order = order
        var first = order.first ?? 0
        for place in order.dropFirst() {
            if keys[place] == keys[first] { repeated.append((place, first)) } else { first = place }
        }
    }

    /// Where among the keys the owner's is, first; nil if it is none of them. To be asked in ascending order.
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

/// A to-many relationship, and what is loaded with its records.
public struct LoadedMany<Root: Record, Target: Record, Output: Sendable>: Loading {
    let relationship: Related<Root, Target>
    let inner: LoadedRelationships<Target, Output>

    init(_ relationship: Related<Root, Target>, _ inner: LoadedRelationships<Target, Output>) {
        self.relationship = relationship
        self.inner = inner
    }

    public var paths: [String] { inner.paths(below: relationship.path) }

    public func load(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [[Output]] {
        let related = try relationship.targets(of: records, in: context)
        let joined = try inner.joined(related.batch, in: context)
        records.hashes?.add(related)
        return related.indices.map { $0.map { joined[$0] } }
    }
}
