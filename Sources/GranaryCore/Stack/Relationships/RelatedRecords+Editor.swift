extension RelatedRecords {
    /// The writes that a relationship is made of.
    struct Editor<Writing: Context> {
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
            guard let place else {
                throw GranaryError(
                    .invalidQuery,
                    "\(related.relationship.name) has no order. Declare it with `ordered: true` or `orderedBy:`.",
                    entity: Root.entityName)
            }
            let attribute = entity.attributes[place]
            guard attribute.type.holdsPlaces else {
                throw GranaryError(
                    .invalidQuery,
                    "\(related.relationship.name) is ordered by \(entity.name).\(attribute.name), which is no number. Change that attribute instead.",
                    entity: Root.entityName, attributes: [attribute.name])
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
            guard let place, entity.attributes[place].type.holdsPlaces else { return }
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

        /// The place after the last, with room for so many more. Where there is none, as after `Int64.max` or infinity,
        /// every member gets a new one.
        func end(of links: [Link], leaving count: Int) throws -> Int64 {
            guard let place, let last = links.last?.place, last != .null else { return 0 }
            if let number = last.wholeNumber, let greatest = entity.attributes[place].type.greatestPlace,
                number < greatest - Int64(count)
            {
                return number + 1
            }
            try arrange(links.map(\.member))
            return Int64(links.count)
        }

        /// A place as the attribute that holds it has it; nil if that is not a number.
        private func placement(_ index: Int64) throws -> Assignment? {
            guard let place, entity.attributes[place].type.holdsPlaces else { return nil }
            let attribute = entity.attributes[place]
            let value: StoredValue = attribute.type.storage == .real ? .real(Double(index)) : .integer(index)
            try attribute.check(value, in: entity)
            return Assignment(position: place, value: value)
        }
    }
}

extension AttributeType {
    /// Whether a place in an order can be written into it.
    fileprivate var holdsPlaces: Bool { greatestPlace != nil }

    /// The greatest whole number up to which it holds every one; nil of what is no number, or is one with a unit.
    fileprivate var greatestPlace: Int64? {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: integerRange?.upperBound
        case .float: 1 << 24
        case .double: 1 << 53
        case .bool, .scaledDecimal, .decimal, .string, .data, .date, .uuid, .url, .json: nil
        }
    }
}

extension StoredValue {
    /// The number, rounded up.
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.up))
        case .null, .text, .bytes: nil
        }
    }
}
