/// The greatest capacity that is reserved for a group before its records are read.
private let mostReserved = 32

extension Related: LoadedList {
    public var part: RelatedPart<Root, Target> { RelatedPart(self) }
}

/// The related records of a to-many relationship, whole or in part, as they are loaded with the records that have them.
///
/// ```swift
/// Post.all.with { $0.comments.where { !$0.isHidden }.sorted(by: \.sent, .descending).limit(3) }
/// ```
///
/// The limit counts for each owner. Cost: one query, however many records there are; for what is loaded with the related
/// records, one for each 10 000 of these. If most of the lists are far
/// longer than the limit, an index over the reference and the order is instead searched once for each owner.
public protocol LoadedList<Root, Target>: Loading where Loaded == [Target] {
    associatedtype Target: Record

    /// The relationship, and which of its records are loaded.
    var part: RelatedPart<Root, Target> { get }
}

/// Some of the records of a to-many relationship: see ``LoadedList``.
public struct RelatedPart<Root: Record, Target: Record>: LoadedList {
    let relationship: Related<Root, Target>
    var request = AnyRequest(Target.entityName)

    init(_ relationship: Related<Root, Target>) { self.relationship = relationship }

    public var part: RelatedPart { self }
}

extension LoadedList {
    public var paths: [String] { [part.relationship.path] }

    public func load(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [[Target]] {
        try part.loaded(records, in: context)
    }

    /// Only related records for which the condition holds, in addition to earlier conditions.
    public func `where`(
        @ConditionBuilder<Target> _ condition: (Target.Fields) -> Condition<Target>
    ) -> RelatedPart<Root, Target> {
        var part = part
        part.request.narrow(condition(Target.fields).untyped)
        return part
    }

    /// Orders the related records of each record by a field or an expression, in place of the relationship's order; a
    /// further call orders what the earlier ones leave equal.
    public func sorted<Value: QueryExpression>(
        by value: (Target.Fields) -> Value, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> RelatedPart<Root, Target> where Value.Root == Target {
        var part = part
        part.request.order.append(Ordering(value(Target.fields).untyped, direction, nils: nils))
        return part
    }

    /// At most `count` related records of each record. A negative count throws `invalidQuery` when the request is run.
    public func limit(_ count: Int) -> RelatedPart<Root, Target> {
        var part = part
        part.request.limit = count
        return part
    }
}

extension RelatedPart {
    fileprivate func loaded(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [[Target]] {
        let (resolver, relationship, target) = try resolved(for: records, in: context)
        guard target.through == nil, records.hashes == nil, request.limit == nil else {
            let related = try targets(of: records, in: context)
            records.hashes?.add(related)
            return related.places.mapped { related.batch.records[$0] }
        }
        let keys = records.values(at: context.schema.entities[records.entity].keyPosition)
        let wanted = try FetchRequest(request, in: context.schema)
        let fetch = try relationship.request(records.isWhole ? nil : keys, target, resolver).part(wanted)
        // The rows come owner by owner, in the order of their keys.
        var owners = OwnerWalk(keys)
        var loaded: [[Target]] = Array(repeating: [], count: keys.count)
        var (group, owner): ([Target], Int?) = ([], nil)
        let cursor = try context.rows(fetch)
        // A row points into its cursor. This is also true of the row that an error is about.
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
        for (place, first) in owners.finished { loaded[place] = loaded[first] }
        return loaded
    }

    func targets(of records: RecordBatch<Root>, in context: ReadContext) throws -> RelatedBatch<Target> {
        let (_, relationship, target) = try resolved(for: records, in: context)
        return try RelatedBatch(
            relationship, target, to: records, part: try FetchRequest(request, in: context.schema), in: context
        ) { row, records in
            try Target._append(row, to: &records)
        }
    }

    private func resolved(
        for records: RecordBatch<Root>, in context: ReadContext
    ) throws -> (QueryResolver, Relationship, RelationshipTarget) {
        let path = relationship.path
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

/// A to-many relationship with what is loaded with each of its records.
public struct LoadedMany<Root: Record, Target: Record, Output: Sendable>: Loading {
    let list: RelatedPart<Root, Target>
    let inner: LoadedRelationships<Target, Output>

    init(_ list: RelatedPart<Root, Target>, _ inner: LoadedRelationships<Target, Output>) {
        self.list = list
        self.inner = inner
    }

    public var paths: [String] { inner.paths(below: list.relationship.path) }

    public func load(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [[Output]] {
        if let loaded = try list.loaded(records, with: inner, in: context) { return loaded }
        let related = try list.targets(of: records, in: context)
        let joined = try inner.joined(related.batch, in: context)
        records.hashes?.add(related)
        return related.places.mapped { joined[$0] }
    }
}

/// The number of records whose own relationships are loaded at once.
private let batchSize = 10_000

extension RelatedPart {
    /// Related records with what is loaded with each, in batches: of one batch at a time the keys and references are kept
    /// beside the result. Nil for a many-to-many relationship, a limit or an observer: these need all records at once.
    fileprivate func loaded<Output>(
        _ records: RecordBatch<Root>, with inner: LoadedRelationships<Target, Output>, in context: ReadContext
    ) throws -> [[Output]]? {
        let (resolver, relationship, target) = try resolved(for: records, in: context)
        guard target.through == nil, records.hashes == nil, request.limit == nil else { return nil }
        let keys = records.values(at: context.schema.entities[records.entity].keyPosition)
        let wanted = try FetchRequest(request, in: context.schema)
        let fetch = try relationship.request(records.isWhole ? nil : keys, target, resolver).part(wanted)
        var owners = OwnerWalk(keys)
        var loaded: [[Output]] = Array(repeating: [], count: keys.count)
        let cursor = try context.rows(fetch)
        // A row points into its cursor. This is also true of the row that an error is about.
        defer { withExtendedLifetime(cursor) {} }
        var (isFirst, isAtEnd) = (true, false)
        while !isAtEnd {
            var batch = RecordBatch<Target>(of: fetch.entity, isWhole: isFirst && fetch.isWhole, in: context.schema)
            // The places of the batch's owners, each with the number of its records.
            var runs: [(owner: Int, count: Int)] = []
            while batch.records.count < batchSize {
                guard let row = try cursor.next() else {
                    isAtEnd = true
                    break
                }
                guard let owner = owners.place(of: row[target.position]) else { continue }
                try batch.add(row, in: context.schema) { row, records in try Target._append(row, to: &records) }
                if runs.last?.owner == owner { runs[runs.count - 1].count += 1 } else { runs.append((owner, 1)) }
            }
            // A batch that is not the only one must name its records' keys.
            if !isAtEnd { batch.isWhole = false }
            if batch.records.isEmpty && !isFirst { break }
            isFirst = false
            let joined = try inner.joined(batch, in: context)
            var start = 0
            for (owner, count) in runs {
                loaded[owner] += joined[start..<start + count]
                start += count
            }
        }
        for (place, first) in owners.finished { loaded[place] = loaded[first] }
        return loaded
    }
}
