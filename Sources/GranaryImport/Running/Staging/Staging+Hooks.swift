import GranaryCore

/// A relationship of a row of the batch that has hooks.
struct StagedHook {
    /// The position of the owner's entity.
    let entity: Int
    let row: Int
    let name: String
    let value: ImportValue
    let place: ImportPlace
}

extension Staging {
    /// Notes the relationships of an object that have hooks.
    mutating func noteHooks(of related: [Member], _ object: SourceObject, _ parent: ParentObject) {
        let plan = object.plan
        for member in related where plan.mapping.relationshipHooks[member.name] != nil {
            batch.hooks.append(
                StagedHook(
                    entity: plan.position, row: object.row, name: member.name, value: member.value,
                    place: ImportPlace(member.name, of: parent)))
        }
    }
}
