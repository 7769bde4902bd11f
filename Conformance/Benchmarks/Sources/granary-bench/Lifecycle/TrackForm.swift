import GranaryCore

/// Schemas that a store of tracks is migrated to, one after the other.
enum TrackForm {
    static let original = Schema(Track.self)
    /// With one more attribute, which is optional.
    static let grown = changed(Track.entity) { $0.attributes.append(Attribute("mood", String?.self)) }
    /// The title is named otherwise.
    static let renamed = changed(grown.entities[0]) {
        $0.attributes[1] = Attribute("name", String.self).renamed(from: "title")
    }
    /// Without the index.
    static let unindexed = changed(renamed.entities[0]) { $0.indexes = [] }
    /// Plays are real numbers: each record is rewritten.
    static let converted = changed(Track.entity) { $0.attributes[6] = Attribute("plays", Double.self) }
    /// Allows it: not every whole number is a real one.
    static let conversion = MigrationPolicy.plan(
        MigrationPlan(.inferred("plays become real").converting("Track.plays")))

    private static func changed(_ entity: Entity, _ change: (inout Entity) -> Void) -> Schema {
        var entity = entity
        change(&entity)
        return Schema(entities: [entity])
    }

    /// A hundred entities of ten attributes.
    static let hundred = Schema(
        entities: (1...100).map { number in
            Entity(
                "Entity\(number)", key: "id",
                attributes: [Attribute("id", Int64.self)]
                    + (1...9).map { Attribute("value\($0)", String?.self) }, indexes: [.index("value1")])
        })
}
