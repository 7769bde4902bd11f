// What breaks a rule of records is the same error with the same text in every store and in contexts.

extension GranaryError {
    /// Two records with one key, or with the same values of a unique index.
    package static func notUnique(_ entity: Entity, _ attributes: [String]) -> GranaryError {
        linkedTwice(entity)
            ?? GranaryError(
                .uniqueness,
                attributes == [entity.key]
                    ? "A record of \(entity.name) with this key exists already. Update or upsert it, or use another key."
                    : "Another record of \(entity.name) has the same \(attributes.joined(separator: ", ")). Change one of them, or update the other.",
                entity: entity.name, attributes: attributes)
    }

    package static func noRecord(_ entity: Entity) -> GranaryError {
        GranaryError(
            .recordNotFound,
            "No record of \(entity.name) has that key. Use insert for a new record, or upsert to insert or update.",
            entity: entity.name, attributes: [entity.key])
    }

    package static func required(_ entity: Entity, _ position: Int) -> GranaryError {
        let name = entity.attributes[position].name
        return GranaryError(
            .required, "\(entity.name).\(name) is required and would be nil. Give it a value, or make it optional.",
            entity: entity.name, attributes: [name])
    }

    /// A value of another type than its attribute, or one that the type does not hold.
    package static func misfit(_ kind: Cell.Kind, _ entity: Entity, _ position: Int) -> GranaryError {
        let attribute = entity.attributes[position]
        let isOutOfRange = kind == attribute.type.storage && attribute.type != .uuid
        return GranaryError(
            isOutOfRange ? .range : .typeMismatch,
            isOutOfRange
                ? "The value does not fit \(entity.name).\(attribute.name), whose type is \(attribute.type). Use a value in its range, or a wider type."
                : "The value for \(entity.name).\(attribute.name) is not of its type, \(attribute.type). Give a value of that type.",
            entity: entity.name, attributes: [attribute.name])
    }

    package static func keyMisfit(_ entity: Entity, _ type: AttributeType) -> GranaryError {
        GranaryError(
            .typeMismatch, "Keys of \(entity.name) are of type \(type). Give a key of that type.", entity: entity.name,
            attributes: [entity.key])
    }

    package static func noKeyLeft(_ entity: Entity) -> GranaryError {
        GranaryError(
            .limit,
            "\(entity.name) has used the greatest possible key, so that none can be assigned. Give keys yourself.",
            entity: entity.name, attributes: [entity.key])
    }

    package static func keyNotSettable(_ entity: Entity) -> GranaryError {
        GranaryError(
            .invalidQuery, "The key of \(entity.name) cannot be set. Insert another record instead.",
            entity: entity.name, attributes: [entity.key])
    }

    package static func noAttribute(_ entity: Entity, at position: Int) -> GranaryError {
        GranaryError(
            .unknownAttribute,
            "\(entity.name) has \(entity.attributes.count) attributes, and none at position \(position). Use the schema of this stack.",
            entity: entity.name)
    }

    package static func dangling(_ entity: Entity, _ position: Int) -> GranaryError {
        if let dangling = danglingLink(entity, position) { return dangling }
        let attribute = entity.attributes[position]
        return GranaryError(
            .danglingReference,
            "\(entity.name).\(attribute.name) refers to a record of \(attribute.reference?.entity ?? "another entity") that does not exist. Insert that record first.",
            entity: entity.name, attributes: [attribute.name])
    }

    /// - Parameter source: The entity whose reference forbids the deletion.
    package static func denied(by source: Entity, _ position: Int) -> GranaryError {
        if let denied = deniedByLinks(source) { return denied }
        let attribute = source.attributes[position]
        return GranaryError(
            .deniedDeletion,
            "A record of \(attribute.reference?.entity ?? "another entity") cannot be deleted: \(source.name).\(attribute.name) refers to it. Delete or change the referring records first.",
            entity: source.name, attributes: [attribute.name])
    }

    package static func noEntity(at position: Int) -> GranaryError {
        GranaryError(
            .unknownEntity,
            "The schema has no entity at position \(position). Make the request with the schema of this stack.")
    }

    package static var noSavepoint: GranaryError {
        GranaryError(.closed, "No savepoint is open. Begin one before releasing it or rolling it back.")
    }

    package static var transactionEnded: GranaryError {
        GranaryError(.closed, "The transaction has ended. Begin another.")
    }

    package static var cursorInvalidated: GranaryError {
        GranaryError(
            .cursorInvalidated,
            "The transaction has written since this cursor was made. Read the records before writing, or ask for them again."
        )
    }
}
