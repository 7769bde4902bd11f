// The program does not declare the entity of a many-to-many relationship's links, so no error names it: an error about
// a link names the relationship and the record type that owns it.

/// The many-to-many relationship that a link entity belongs to.
package struct LinkedRelationship: Sendable, Hashable {
    /// The entity that owns the relationship.
    package var owner: String
    package var name: String
    /// The entity on the other side.
    package var target: String

    /// The owner and the name: `Playlist.songs`.
    package var path: String { "\(owner).\(name)" }
}

extension Entity {
    /// The relationship whose links are this entity's records; nil for a declared entity.
    package var linkedRelationship: LinkedRelationship? {
        guard keyGeneration == .assigned,
            let source = attributes.first(where: { $0.name == Relationship.source })?.reference?.entity,
            let target = attributes.first(where: { $0.name == Relationship.target })?.reference?.entity
        else { return nil }
        let prefix = Relationship.linkEntity(of: source, "")
        guard name.count > prefix.count, name.hasPrefix(prefix) else { return nil }
        return LinkedRelationship(owner: source, name: String(name.dropFirst(prefix.count)), target: target)
    }

    /// The entity and the attributes that errors name: for links the owner and its relationship.
    package func named(_ attributes: [String]) -> (entity: String, attributes: [String]) {
        linkedRelationship.map { ($0.owner, [$0.name]) } ?? (name, attributes)
    }

    /// The name in messages: for links the relationship, `Playlist.songs`.
    package var path: String { linkedRelationship?.path ?? name }

    /// The position of the key in errors about a record: for a link, of the key of the record that owns it.
    package var positionOfKeyInErrors: Int {
        guard linkedRelationship != nil else { return keyPosition }
        return attributes.firstIndex { $0.name == Relationship.source } ?? keyPosition
    }

    /// The name of an attribute in messages: for links the relationship, as users do not see its attributes.
    package func path(of attribute: String) -> String { linkedRelationship?.path ?? "\(name).\(attribute)" }
}

extension GranaryError {
    /// An error about an entity's records, or some of their attributes. Every error of a store or a context about an
    /// entity is made here, so that no error names the entity of links. Messages use ``Entity/path`` and
    /// ``Entity/path(of:)``.
    package init(_ code: Code, _ message: String, about entity: Entity, _ attributes: [String] = []) {
        let name = entity.named(attributes)
        self.init(code, message, entity: name.entity, attributes: name.attributes)
    }

    /// The error for two links between the same records; nil if the entity does not hold links.
    package static func linkedTwice(_ entity: Entity) -> GranaryError? {
        entity.linkedRelationship.map {
            GranaryError(
                .uniqueness,
                "A \($0.target) is linked twice to the same \($0.owner) by \($0.path). Link it once.",
                entity: $0.owner, attributes: [$0.name])
        }
    }

    /// The error for a link to a record that does not exist; nil if the entity does not hold links.
    package static func danglingLink(_ entity: Entity, _ position: Int) -> GranaryError? {
        guard let link = entity.linkedRelationship, let end = entity.attributes[position].reference?.entity else {
            return nil
        }
        return GranaryError(
            .danglingReference, "\(link.path) would link a \(end) that does not exist. Insert that one first.",
            entity: link.owner, attributes: [link.name])
    }

    /// The error for a deletion that links forbid; nil if the entity does not hold links.
    package static func deniedByLinks(_ entity: Entity) -> GranaryError? {
        entity.linkedRelationship.map {
            GranaryError(
                .deniedDeletion,
                "A record of \($0.owner) cannot be deleted: \($0.path) links it. Remove these links first.",
                entity: $0.owner, attributes: [$0.name])
        }
    }
}

extension GranaryError {
    /// The same error with the entity, and with the attribute if there is one.
    package func about(_ entity: Entity, _ attribute: String? = nil) -> GranaryError {
        var error = self
        (error.entity, error.attributes) = entity.named(attribute.map { [$0] } ?? attributes)
        return error
    }
}
