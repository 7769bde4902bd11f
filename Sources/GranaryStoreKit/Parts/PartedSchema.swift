/// Where the entities of a schema are kept: the part of each, and its position there.
struct PartedSchema: Sendable {
    struct Place: Sendable {
        var part: Int
        /// The position in the schema of the part.
        var position: Int
    }

    /// The schema of the stack. The entities' attributes are in the order of the parts.
    let schema: Schema
    /// By the position of the entity.
    let places: [Place]
    /// For each part, the position of its entities in the schema of the stack; nil for its notes.
    let positions: [[Int?]]
    /// For each part, the position of its notes; nil if it has none.
    let notes: [Int?]
    /// For each entity, its references to other parts.
    let outgoing: [[ReferenceMap.Outgoing]]
    /// Whether the deletion of an entity's record may reach a record of another part.
    let deletesAcross: [Bool]

    /// - Parameters:
    ///   - program: The schema that the parts were opened for.
    ///   - parts: The schemas of the open parts.
    /// - Throws: `unknownEntity` if no part has an entity.
    init(_ program: Schema, _ parts: [Schema]) throws {
        var places: [Place] = []
        var entities: [Entity] = []
        var positions = parts.map { [Int?](repeating: nil, count: $0.entities.count) }
        for (number, declared) in program.entities.enumerated() {
            let found = parts.indices.lazy.compactMap { part in
                parts[part].entities.firstIndex { $0.name == declared.name }.map { Place(part: part, position: $0) }
            }.first
            guard let place = found else {
                throw GranaryError(
                    .unknownEntity,
                    "No part of the store has the entity \(declared.path). Give all parts that the store was made with.",
                    about: declared)
            }
            places.append(place)
            positions[place.part][place.position] = number
            entities.append(declared.inOrder(of: parts[place.part].entities[place.position]))
        }
        schema = program.replacing(entities)
        (self.places, self.positions) = (places, positions)
        notes = parts.map { $0.entities.firstIndex { $0.name == Entity.partNotesName } }
        let references = ReferenceMap(schema)
        outgoing = references.outgoing.enumerated().map { source, all in
            all.filter { places[$0.target].part != places[source].part }
        }
        deletesAcross = PartedSchema.deletesAcross(references, places)
    }

    private static func deletesAcross(_ references: ReferenceMap, _ places: [Place]) -> [Bool] {
        var across = references.incoming.enumerated().map { target, all in
            all.contains { places[$0.entity].part != places[target].part }
        }
        var isDone = false
        while !isDone {
            isDone = true
            for (target, all) in references.incoming.enumerated() where !across[target] {
                guard all.contains(where: { $0.rule == .cascade && across[$0.entity] }) else { continue }
                across[target] = true
                isDone = false
            }
        }
        return across
    }

    /// - Throws: `unknownEntity`.
    func place(of entity: Int) throws -> Place {
        guard places.indices.contains(entity) else { throw GranaryError.noEntity(at: entity) }
        return places[entity]
    }

    /// Whether a request looks at entities of one part alone.
    func isWithinPart(_ request: FetchRequest) -> Bool {
        guard places.indices.contains(request.entity) else { return true }
        let part = places[request.entity].part
        return !request.looks { !places.indices.contains($0) || places[$0].part != part }
    }

    /// A request within one part, for the store of the part.
    func local(_ request: FetchRequest) -> FetchRequest {
        request.replacingEntities { places.indices.contains($0) ? places[$0].position : $0 }
    }

    /// Changes in the history of a part, as changes of the stack.
    func changes(_ changes: [RecordChange], ofPart part: Int) -> [RecordChange] {
        changes.compactMap { change in
            guard positions[part].indices.contains(change.entity), let entity = positions[part][change.entity] else {
                return nil
            }
            return RecordChange(place: RecordChange.Place(entity: entity, key: change.key), kind: change.kind)
        }
    }

    /// The changes of the stack in a part, as its store knows them.
    func changes(_ changes: [RecordChange], inPart part: Int) -> [RecordChange] {
        changes.compactMap { change in
            guard places.indices.contains(change.entity), places[change.entity].part == part else { return nil }
            let entity = places[change.entity].position
            return RecordChange(place: RecordChange.Place(entity: entity, key: change.key), kind: change.kind)
        }
    }
}

extension Entity {
    /// The declared entity with its attributes in the order that they have in a part.
    fileprivate func inOrder(of stored: Entity) -> Entity {
        var entity = self
        entity.attributes = stored.attributes.map { stored in attributes.first { $0.name == stored.name } ?? stored }
        return entity
    }
}

// MARK: Entities by other positions

extension FetchRequest {
    func replacingEntities(_ position: (Int) -> Int) -> FetchRequest {
        func replaced(_ value: TypedExpression) -> TypedExpression {
            var value = value
            value.expression = value.expression.replacingEntities(position)
            return value
        }
        var request = self
        request.entity = position(entity)
        request.condition = condition?.replacingEntities(position)
        for number in order.indices { request.order[number].value = replaced(order[number].value) }
        request.columns = columns?.map(replaced)
        request.aggregation = aggregation.map { aggregation in
            var aggregation = aggregation
            aggregation.groups = aggregation.groups.map(replaced)
            for number in aggregation.aggregates.indices {
                aggregation.aggregates[number].value = aggregation.aggregates[number].value.map(replaced)
            }
            return aggregation
        }
        return request
    }
}

extension ResolvedCondition {
    func replacingEntities(_ position: (Int) -> Int) -> ResolvedCondition {
        let replaced = map { expression in
            expression.replacingEntities(position)
        } condition: { condition in
            condition.replacingEntities(position)
        } request: { request in
            request.replacingEntities(position)
        }
        return switch replaced {
        case .toOne(let reference, let entity, let inner, let isNegated):
            .toOne(position: reference, entity: position(entity), inner, isNegated: isNegated)
        case .toMany(let entity, let reference, let inner, let isNegated):
            .toMany(entity: position(entity), position: reference, inner, isNegated: isNegated)
        default: replaced
        }
    }
}

extension ResolvedExpression {
    func replacingEntities(_ position: (Int) -> Int) -> ResolvedExpression {
        let replaced = map { expression in
            expression.replacingEntities(position)
        } condition: { condition in
            condition.replacingEntities(position)
        }
        switch replaced {
        case .toOne(let reference, let entity, let inner):
            return .toOne(position: reference, entity: position(entity), inner)
        case .aggregate(var aggregate):
            aggregate.entity = position(aggregate.entity)
            return .aggregate(aggregate)
        default: return replaced
        }
    }
}
