// A to-many relationship is changed by changing the references of the related records, a many-to-many one by adding and
// removing links. Both directions are read from the same place, so that they always agree.

extension RelatedRecords {
    /// Relates records to the owner, at the end of the order if there is one. Those that are related already stay where
    /// they are; one that was related to another owner leaves it, unless the relationship is many-to-many.
    ///
    /// All or none. The records are in the store already.
    ///
    /// - Throws: `danglingReference` if the owner or one of the records is not there.
    public func add(_ records: some Sequence<Target>, in context: some Context) throws {
        try add(keys: records.map(\.id), in: context)
    }

    public func add(_ record: Target, in context: some Context) throws { try add(keys: [record.id], in: context) }

    /// The same by keys.
    public func add(keys: [Target.Key], in context: some Context) throws {
        let editor = try Editor(self, context)
        try context.savepoint {
            let existing = try links(in: context)
            let known = Set(existing.map(\.member))
            var place = existing.last?.place.integer ?? -1
            for key in try editor.stored(keys) where !known.contains(key) {
                place += 1
                try editor.link(key, at: place)
            }
        }
    }

    /// Ends the relation of records to the owner; those that are not related to it are passed over. The records stay.
    ///
    /// - Throws: `required` if their reference to the owner cannot be nil: delete the records instead.
    public func remove(_ records: some Sequence<Target>, in context: some Context) throws {
        try remove(keys: records.map(\.id), in: context)
    }

    public func remove(_ record: Target, in context: some Context) throws {
        try remove(keys: [record.id], in: context)
    }

    /// The same by keys.
    public func remove(keys: [Target.Key], in context: some Context) throws {
        let editor = try Editor(self, context)
        try editor.unlink(try editor.stored(keys))
    }

    /// Ends the relation of every related record.
    public func removeAll(in context: some Context) throws {
        let editor = try Editor(self, context)
        try context.savepoint { try editor.unlink(try links(in: context).map(\.member)) }
    }

    /// Makes these, in this order, the related records: relates those that are not, and ends the relation of the others.
    public func replace(with records: some Sequence<Target>, in context: some Context) throws {
        let editor = try Editor(self, context)
        var wanted: [StoredValue] = []
        var listed: Set<StoredValue> = []
        for key in try editor.stored(records.map(\.id)) where listed.insert(key).inserted { wanted.append(key) }
        try context.savepoint {
            try editor.unlink(try links(in: context).map(\.member).filter { !listed.contains($0) })
            let known = Set(try links(in: context).map(\.member))
            for key in wanted where !known.contains(key) { try editor.link(key, at: Int64(wanted.count)) }
            try editor.arrange(wanted)
        }
    }

    /// Relates a record to the owner at a place in the order, or moves it there; places are counted from 0, and one beyond
    /// the end is the end.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order.
    public func insert(_ record: Target, at place: Int, in context: some Context) throws {
        let editor = try Editor(self, context)
        try editor.checkOrdered()
        try context.savepoint {
            try add(record, in: context)
            var members = try links(in: context).map(\.member)
            let key = try StoredValue(encoding: record.id)
            members.removeAll { $0 == key }
            members.insert(key, at: max(0, min(place, members.count)))
            try editor.arrange(members)
        }
    }

    /// Moves the record at one place in the order to another.
    ///
    /// - Throws: `invalidQuery` if the relationship has no order, or no record is at the place.
    public func move(from place: Int, to other: Int, in context: some Context) throws {
        let editor = try Editor(self, context)
        try editor.checkOrdered()
        try context.savepoint {
            var members = try links(in: context).map(\.member)
            guard members.indices.contains(place) else {
                throw GranaryError(
                    .invalidQuery, "\(relationship.name) has \(members.count) records: there is none at \(place).",
                    entity: Root.entityName)
            }
            let moved = members.remove(at: place)
            members.insert(moved, at: max(0, min(other, members.count)))
            try editor.arrange(members)
        }
    }

    /// The writes that a relationship is made of.
    private struct Editor<Writing: Context> {
        let related: RelatedRecords
        let context: Writing
        let source: Int
        let entity: Entity
        let owner: StoredValue
        let attribute: Int
        let through: Int?
        let place: Int?

        init(_ related: RelatedRecords, _ context: Writing) throws {
            self.related = related
            self.context = context
            let relationship = related.relationship
            source = try context.schema.position(ofEntity: relationship.entity)
            entity = context.schema.entities[source]
            owner = try StoredValue(encoding: related.owner)
            attribute = try entity.position(ofAttribute: relationship.attribute)
            through = try relationship.through.map { [entity] in try entity.position(ofAttribute: $0) }
            place = try relationship.orderedBy.map { [entity] in try entity.position(ofAttribute: $0) }
        }

        func stored(_ keys: [Target.Key]) throws -> [StoredValue] { try keys.map { try StoredValue(encoding: $0) } }

        func checkOrdered() throws {
            guard place != nil else {
                throw GranaryError(
                    .invalidQuery,
                    "\(related.relationship.name) has no order. Declare it with `ordered: true` or `orderedBy:`.",
                    entity: Root.entityName)
            }
        }

        func link(_ member: StoredValue, at end: Int64) throws {
            guard let through else {
                let values = [Assignment(position: attribute, value: owner)] + (try placement(end).map { [$0] } ?? [])
                let changed = try context.updateAll(
                    FetchRequest(
                        entity: source, condition: .compare(position: entity.keyPosition, .equal, member)),
                    setting: values)
                guard changed == 1 else {
                    throw GranaryError(
                        .recordNotFound, "There is no \(entity.name) with that key. Insert it first.",
                        entity: entity.name, attributes: [entity.key])
                }
                return
            }
            var values = [StoredValue](repeating: .null, count: entity.attributes.count)
            values[entity.keyPosition] = .integer(0)
            values[attribute] = owner
            values[through] = member
            if let place { values[place] = .integer(end) }
            _ = try context.insert(values, into: source)
        }

        func unlink(_ members: [StoredValue]) throws {
            let sorted = Set(members).sorted()
            guard !sorted.isEmpty else { return }
            let isOwned = ResolvedCondition.compare(position: attribute, .equal, owner)
            guard let through else {
                guard entity.attributes[attribute].isOptional else {
                    throw GranaryError(
                        .required,
                        "\(entity.name).\(entity.attributes[attribute].name) is required. Delete the records, or give them another owner.",
                        entity: entity.name, attributes: [entity.attributes[attribute].name])
                }
                let request = FetchRequest(
                    entity: source, condition: .all([isOwned, .among(position: entity.keyPosition, sorted)]))
                _ = try context.updateAll(request, setting: [Assignment(position: attribute, value: .null)])
                return
            }
            _ = try context.deleteAll(
                FetchRequest(entity: source, condition: .all([isOwned, .among(position: through, sorted)])))
        }

        /// Gives each member its place, writing only what is not there already.
        func arrange(_ members: [StoredValue]) throws {
            guard place != nil else { return }
            let links = Dictionary(try related.links(in: context).map { ($0.member, $0) }) { first, _ in first }
            for (index, member) in members.enumerated() {
                guard let link = links[member], let assignment = try placement(Int64(index)),
                    link.place != assignment.value
                else { continue }
                _ = try context.updateAll(
                    FetchRequest(
                        entity: source, condition: .compare(position: entity.keyPosition, .equal, link.key)),
                    setting: [assignment])
            }
        }

        /// A place as the attribute that holds it has it.
        private func placement(_ index: Int64) throws -> Assignment? {
            guard let place else { return nil }
            let attribute = entity.attributes[place]
            switch attribute.type.storage {
            case .integer: return Assignment(position: place, value: .integer(index))
            case .real: return Assignment(position: place, value: .real(Double(index)))
            case .null, .text, .bytes:
                throw GranaryError(
                    .invalidSchema, "An order is kept in a number, which \(entity.name).\(attribute.name) is not.",
                    entity: entity.name, attributes: [attribute.name])
            }
        }
    }
}

extension StoredValue {
    fileprivate var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.up))
        case .null, .text, .bytes: nil
        }
    }
}
