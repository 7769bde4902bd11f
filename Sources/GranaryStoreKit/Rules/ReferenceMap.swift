/// The references that stores enforce, seen from both of their ends.
package struct ReferenceMap: Sendable {
    /// A reference that is checked when a record of its entity is written.
    package struct Outgoing: Sendable {
        package var position: Int
        package var target: Int
    }

    /// A reference that the deletion of a record must follow.
    package struct Incoming: Sendable {
        /// The entity whose records refer.
        package var entity: Int
        package var position: Int
        package var rule: DeleteRule
    }

    /// For each entity, its references in the order of its attributes.
    package private(set) var outgoing: [[Outgoing]]
    /// For each entity, the references to it, in the order of the schema.
    package private(set) var incoming: [[Incoming]]

    /// A reference with the rule `noAction` may dangle: it is in neither list.
    package init(_ schema: Schema) {
        outgoing = Array(repeating: [], count: schema.entities.count)
        incoming = outgoing.map { _ in [] }
        let positions = Dictionary(schema.entities.enumerated().map { ($1.name, $0) }) { first, _ in first }
        for (source, entity) in schema.entities.enumerated() {
            for (position, attribute) in entity.attributes.enumerated() {
                guard let reference = attribute.reference, reference.onDelete != .noAction,
                    let target = positions[reference.entity]
                else { continue }
                outgoing[source].append(Outgoing(position: position, target: target))
                incoming[target].append(Incoming(entity: source, position: position, rule: reference.onDelete))
            }
        }
    }
}
