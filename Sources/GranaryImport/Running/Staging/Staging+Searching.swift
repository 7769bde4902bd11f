import GranaryCore

/// What an object has for a relationship whose records are looked for at the end.
struct FoundNames {
    /// The place among the plan's final connections.
    let connection: Int
    /// The values of the attributes, for each record or records that the object names.
    let names: [[StoredValue]]
}

/// A relationship of a row of the batch whose records are looked for at the end.
struct StagedSearch {
    let entity: Int
    let row: Int
    let found: FoundNames
    /// The record of the source that says so, by its place in the batch.
    let item: Int
    let place: ImportPlace
}

extension Staging {
    /// Takes the values of an object that name records by attributes which do not identify them.
    mutating func takeSearch(_ index: Int, _ value: ImportValue, _ object: inout SourceObject) throws {
        let (plan, place) = (object.plan, object.place)
        let connection = plan.finalConnections[index]
        guard case .search(let positions, _) = connection.way else { return }
        let target = try plans.plan(connection.target)
        var elements = [value]
        var isList = false
        if case .array(let all) = value {
            elements = all
            isList = true
        }
        var names: [[StoredValue]] = []
        for element in elements {
            guard case .object(let members) = element else { continue }
            let values = positions.map { members[target.entity.attributes[$0].name] ?? .null }
            guard !values.contains(.null) else { continue }
            let row = target.stage.addRow()
            defer { target.stage.removeLast() }
            var refused: (String, ImportValue)?
            for (position, value) in zip(positions, values) where refused == nil {
                let reason = value.withScalar { scalar in
                    if let scalar {
                        target.converters[position].convert(scalar, into: target.stage, row, position)
                    } else {
                        target.converters[position].convert(value, into: target.stage, row, position)
                    }
                }
                refused = reason.map { ($0, value) }
            }
            if let (reason, value) = refused {
                // The relationship stays as it is.
                return try account.keepValue(RefusedValue(reason, value, connection.name), of: plan.entity, at: place)
            }
            names.append(positions.map { StoredValue(target.stage[row, $0]) })
        }
        guard isList || !names.isEmpty else { return }
        object.searches.append(FoundNames(connection: index, names: names))
    }

    /// Notes what an object has for relationships whose records are looked for at the end.
    mutating func noteSearches(of object: SourceObject, _ row: Int) {
        guard !object.origin.isNamedOnly, !(object.origin.depth == 0 && batch.skippedItems.contains(object.item)) else {
            return
        }
        for found in object.searches {
            batch.searches.append(
                StagedSearch(
                    entity: object.plan.position, row: row, found: found, item: object.item, place: object.place))
        }
    }
}
