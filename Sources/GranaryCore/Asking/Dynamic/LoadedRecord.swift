/// A record by names with what was loaded with it: see ``Request/with(_:)-(String...)``.
public struct LoadedRecord: Sendable, Hashable {
    public let record: DynamicRecord
    /// The related records, by the name of each relationship that was asked for.
    public let related: [String: [LoadedRecord]]

    /// The related records of a relationship: at most one for a reference; empty if the relationship was not asked for.
    public subscript(relationship: String) -> [LoadedRecord] { related[relationship] ?? [] }
}

extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// The records, each with its related records.
    ///
    /// ```swift
    /// for artist in try Request("Artist").with("genre", "albums.songs").fetch(in: snapshot) {
    ///     for album in artist["albums"] { print(album.record, album["songs"].count) }
    /// }
    /// ```
    ///
    /// A path begins with the name of a to-one, to-many or many-to-many relationship. Further names say what is loaded
    /// with the related records. Each relationship costs one query, a many-to-many one two, however many records there
    /// are. To-many records come in the relationship's order, or else by key. A reference whose record does not exist
    /// gives an empty list.
    ///
    /// Running the request throws `unknownAttribute` for a name that is not a relationship.
    public func with(_ paths: String...) -> Request<DynamicRecord, LoadedRecord> { with(paths) }

    /// The same with paths that are known when the program runs.
    public func with(_ paths: [String]) -> Request<DynamicRecord, LoadedRecord> {
        var untyped = untyped
        untyped.output = .records(with: paths)
        return Request<DynamicRecord, LoadedRecord>(
            untyped,
            .records(
                LoadedRelationships(paths: paths) { batch, context in
                    let resolver = QueryResolver(schema: context.schema)
                    var wanted = LoadingTree()
                    for path in paths { wanted.add(try resolver.parts(ofPath: path, from: batch.entity)[...]) }
                    return try context.loaded(batch, with: wanted, resolver)
                }))
    }
}

extension ReadContext {
    // As deep as the longest path, which is bounded.
    fileprivate func loaded(
        _ batch: RecordBatch<DynamicRecord>, with wanted: LoadingTree, _ resolver: QueryResolver
    ) throws -> [LoadedRecord] {
        var related: [[String: [LoadedRecord]]] = Array(repeating: [:], count: batch.records.count)
        for (name, inner) in wanted.branches.sorted(by: { $0.key < $1.key }) {
            let found = try followed(name, from: batch, resolver)
            let members = try loaded(found.batch, with: inner, resolver)
            for index in found.places.indices { related[index][name] = found.places.map(at: index) { members[$0] } }
        }
        return zip(batch.records, related).map { LoadedRecord(record: $0, related: $1) }
    }

    private func followed(
        _ name: String, from batch: RecordBatch<DynamicRecord>, _ resolver: QueryResolver
    ) throws -> RelatedBatch<DynamicRecord> {
        let entity = schema.entities[batch.entity]
        if let position = entity.attributes.firstIndex(where: { $0.name == name }),
            let reference = entity.attributes[position].reference
        {
            let target = try resolver.position(ofEntity: reference.entity)
            return try RelatedBatch(
                referredToBy: position, of: batch, entity: target, in: self, append: appending(target))
        }
        let relationship = try entity.relationship(named: name)
        let target = try resolver.target(of: relationship)
        return try RelatedBatch(relationship, target, to: batch, in: self, append: appending(target.entity))
    }

    fileprivate func appending(_ entity: Int) -> RecordBatch<DynamicRecord>.Append {
        let entity = schema.entities[entity]
        return { row, records in records.append(DynamicRecord(entity, row: row)) }
    }
}

/// A tree of relationship names: each is loaded, then its children from the loaded records.
private struct LoadingTree {
    private(set) var branches: [String: LoadingTree] = [:]

    mutating func add(_ path: ArraySlice<String>) {
        guard let name = path.first else { return }
        branches[name, default: LoadingTree()].add(path.dropFirst())
    }
}
