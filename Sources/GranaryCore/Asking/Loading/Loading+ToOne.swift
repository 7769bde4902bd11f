extension Field: Loading where Value: ReferenceValue, Value.Target: Sendable {
    public typealias Loaded = Value.Resolved

    public var paths: [String] { [attributePath] }

    public func load(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [Value.Resolved] {
        let related = try targets(of: records, in: context)
        records.hashes?.add(related)
        return try related.places.indices.map { owner in
            guard let resolved = Value.resolved(related.places.first(at: owner).map { related.batch.records[$0] })
            else {
                throw dangling()
            }
            return resolved
        }
    }

    func targets(of records: RecordBatch<Root>, in context: ReadContext) throws -> RelatedBatch<Value.Target> {
        let entity = context.schema.entities[records.entity]
        guard !attributePath.contains(".") else {
            throw GranaryError(
                .invalidQuery,
                "\"\(attributePath)\" is loaded step by step: load the first relationship, and `with` it the next.",
                entity: entity.name)
        }
        let position = try entity.position(ofAttribute: attributePath)
        let target = try context.schema.position(ofEntity: Value.Target.entityName)
        return try RelatedBatch(referredToBy: position, of: records, entity: target, in: context) { row, records in
            try Value.Target._append(row, to: &records)
        }
    }

    fileprivate func dangling() -> GranaryError {
        GranaryError(
            .danglingReference,
            "\(Root.entityName).\(attributePath) refers to a record that does not exist. Set it to an existing record, or declare it optional.",
            entity: Root.entityName,
            attributes: [attributePath])
    }
}

/// A to-one relationship with what is loaded with its record; nil if the record does not exist.
public struct LoadedOne<Root: Record, Value: ReferenceValue, Output: Sendable>: Loading where Value.Target: Sendable {
    let field: Field<Root, Value>
    let inner: LoadedRelationships<Value.Target, Output>

    init(_ field: Field<Root, Value>, _ inner: LoadedRelationships<Value.Target, Output>) {
        self.field = field
        self.inner = inner
    }

    public var paths: [String] { inner.paths(below: field.attributePath) }

    public func load(_ records: RecordBatch<Root>, in context: ReadContext) throws -> [Output?] {
        let related = try field.targets(of: records, in: context)
        let joined = try inner.joined(related.batch, in: context)
        records.hashes?.add(related)
        return related.places.indices.map { related.places.first(at: $0).map { joined[$0] } }
    }
}
