extension RelatedRecords where Target: Record {
    /// The request for the related records, which can be narrowed, sorted and cut. The records come in the
    /// relationship's order if it has one and the request is not sorted by anything else; otherwise by key.
    ///
    /// ```swift
    /// let first = try playlist.songs.all.limit(10).fetch(in: snapshot)
    /// let known = try playlist.songs.all.where { $0.plays > 100 }.sorted(by: \.title).fetch(in: snapshot)
    /// ```
    ///
    /// Cost: if links hold the order, `fetch` reads the order from the links: for a whole list, for a condition, and
    /// for the first records. For pages, an offset and chosen values the place of each record is looked up.
    public var all: Query<Target> { request(Target.entityName, key: Target.entity.key) }
}

extension RelatedRecords where Target == DynamicRecord {
    /// The request for the related records, by names: like ``RelatedRecords/all`` for record types.
    ///
    /// - Throws: `unknownEntity` if `schema` is not the schema of the record; `typeMismatch` if the owner's key is of
    ///   another type.
    public func all(in schema: Schema) throws -> Query<DynamicRecord> {
        let entity = try related(try links(in: schema), in: schema)
        return request(entity.name, key: entity.key)
    }
}

extension DynamicRecord {
    /// The records related to this one by a to-many or many-to-many relationship.
    ///
    /// - Throws: `unknownAttribute` if the entity has no relationship of that name.
    public func related(_ name: String) throws -> RelatedRecords<DynamicRecord, DynamicRecord> {
        RelatedRecords(of: key, try entity.relationship(named: name))
    }
}

extension RelatedRecords {
    /// Whether a record is related to the owner.
    public func contains(_ record: Target, in context: ReadContext) throws -> Bool {
        let links = try links(in: context.schema)
        return try !links.among(try stored(CollectionOfOne(record), links, in: context.schema), in: context).isEmpty
    }

    /// Whether the record with a key is related to the owner.
    public func contains(key: Target.Key, in context: ReadContext) throws -> Bool {
        let links = try links(in: context.schema)
        return try !links.among(try stored(keys: CollectionOfOne(key), links, in: context.schema), in: context).isEmpty
    }

    private func request(_ entity: String, key: String) -> Query<Target> {
        let stored = Result { try Root._stored(owner) }
        let expression: AnyExpression =
            switch stored {
            case .success(let key): .value(key)
            case .failure(let error as GranaryError): .invalid(error)
            case .failure(let error):
                .invalid(GranaryError(.range, "The owner's key cannot be stored: \(type(of: error))."))
            }
        let related = relationship.related(to: expression, key: key)
        var request = Query<Target>(records: AnyRequest(entity, where: related.condition, order: related.order))
        if relationship.isOrderedByLinks, case .success(let owner) = stored {
            request.list = RequestedList(relationship, of: owner, request.untyped)
        }
        return request
    }

    func links(in schema: Schema) throws -> RelationshipLinks {
        try RelationshipLinks(relationship, of: try Root._stored(owner), in: schema)
    }

    private func related(_ links: RelationshipLinks, in schema: Schema) throws -> Entity {
        schema.entities[try schema.position(ofEntity: links.relatedEntity)]
    }

    /// Keys in stored form.
    ///
    /// - Throws: `typeMismatch` if a key is of another type than the entity's.
    func stored(
        keys: some Sequence<Target.Key>, _ links: RelationshipLinks, in schema: Schema
    ) throws -> [StoredValue] {
        let entity = try related(links, in: schema)
        let key = entity.attributes[entity.keyPosition]
        return try keys.map { value in
            let value = try Target._stored(value)
            try key.check(value, in: entity)
            return value
        }
    }

    /// The keys of records in stored form.
    ///
    /// - Throws: `typeMismatch` for a record by names of another entity.
    func stored(
        _ records: some Sequence<Target>, _ links: RelationshipLinks, in schema: Schema
    ) throws -> [StoredValue] {
        // A record type belongs to one entity and was checked with its schema.
        guard Target._recordType == nil else { return try records.map { try $0._storedKey } }
        let entity = try related(links, in: schema)
        return try records.map { record in
            if let record = record as? DynamicRecord, !record.entity.name.hasSameBytes(as: entity.name) {
                throw GranaryError(
                    .typeMismatch,
                    "\(relationship.name) relates records of \(entity.name), and the record is of \(record.entity.name).",
                    entity: record.entity.name)
            }
            return try record._storedKey
        }
    }
}
