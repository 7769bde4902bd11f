// A broken rule of records gives the same error with the same text in every store and in contexts.

extension GranaryError {
    /// Two records with the same key, or with the same values of a unique index.
    package static func notUnique(_ entity: Entity, _ attributes: [String]) -> GranaryError {
        linkedTwice(entity)
            ?? GranaryError(
                .uniqueness,
                attributes == [entity.key]
                    ? "A record of \(entity.name) with this key exists already. Update or upsert it, or use another key."
                    : "Another record of \(entity.name) has the same \(attributes.joined(separator: ", ")). Change one of them, or update the other.",
                about: entity, attributes)
    }

    package static func noRecord(_ entity: Entity) -> GranaryError {
        GranaryError(
            .recordNotFound,
            "No record of \(entity.path) has that key. Use insert for a new record, or upsert to insert or update.",
            about: entity, [entity.key])
    }

    /// A value that is larger than the store allows.
    package static func tooLarge(_ entity: Entity, _ position: Int, _ size: Int, limit: Int) -> GranaryError {
        let name = entity.attributes[position].name
        return GranaryError(
            .limit,
            "The value for \(entity.path(of: name)) has \(size) bytes; the store holds \(limit). Divide it, or keep it in a file.",
            about: entity, [name])
    }

    /// A record whose values together are larger than the store allows.
    package static func tooLarge(_ entity: Entity, _ size: Int, limit: Int) -> GranaryError {
        GranaryError(
            .limit,
            "A record of \(entity.path) takes \(size) bytes; the store holds \(limit). Divide it, or keep its largest values in files.",
            about: entity)
    }

    /// A stored row that differs from what was written.
    package static func damagedRow(_ entity: Entity) -> GranaryError {
        GranaryError(
            .corrupt,
            "A row of \(entity.path) is damaged: it is not as it was written. Run verify, and restore the store from a backup.",
            about: entity)
    }

    /// A row that was made for another entity.
    package static func cellCount(_ entity: Entity, _ count: Int) -> GranaryError {
        GranaryError(
            .typeMismatch,
            "A row of \(entity.path) has \(entity.attributes.count) values, not \(count). Write one for each attribute.",
            about: entity)
    }

    package static func keyMisfit(_ entity: Entity) -> GranaryError {
        GranaryError(
            .typeMismatch,
            "Keys of \(entity.path) are of type \(entity.attributes[entity.keyPosition].type). Give a key of that type.",
            about: entity, [entity.key])
    }

    package static func noKeyLeft(_ entity: Entity) -> GranaryError {
        GranaryError(
            .limit,
            "\(entity.path) has used the greatest possible key, so that none can be assigned. Give keys yourself.",
            about: entity, [entity.key])
    }

    package static func keyNotSettable(_ entity: Entity) -> GranaryError {
        GranaryError(
            .invalidQuery, "The key of \(entity.path) cannot be set. Insert another record instead.",
            about: entity, [entity.key])
    }

    package static func noAttribute(_ entity: Entity, at position: Int) -> GranaryError {
        GranaryError(
            .unknownAttribute,
            "\(entity.path) has \(entity.attributes.count) attributes, and none at position \(position). Use the schema of this stack.",
            about: entity)
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

    /// A reference to a record that does not exist, if the engine did not report which reference.
    ///
    /// - Parameter entity: The entity of the record that refers; nil if the engine did not report that either.
    package static func dangling(of entity: Entity?) -> GranaryError {
        guard let entity else {
            return GranaryError(
                .danglingReference, "A record refers to a record that does not exist. Insert that record first.")
        }
        return GranaryError(
            .danglingReference,
            "A record of \(entity.path) refers to a record that does not exist. Insert that record first.",
            about: entity)
    }

    /// A deletion that a reference forbids, if the engine did not report which reference.
    ///
    /// - Parameter target: The entity of the record that was to be deleted.
    package static func denied(of target: Entity) -> GranaryError {
        GranaryError(
            .deniedDeletion,
            "A record of \(target.path) cannot be deleted: others refer to it. Delete or change the referring records first.",
            about: target)
    }

    /// A value of its attribute's type that is not one of the attribute's values, if the engine did not report which
    /// attribute.
    package static func valueNotAllowed(_ entity: Entity) -> GranaryError {
        GranaryError(
            .range,
            "A value of \(entity.path) is not one that its attribute takes: a bool is 0 or 1. Use one of these.",
            about: entity)
    }

    /// A value of another type than its attribute's, if the engine did not report which attribute.
    package static func typeNotAllowed(_ entity: Entity) -> GranaryError {
        GranaryError(
            .typeMismatch,
            "A value of \(entity.path) is of another type than its attribute. Give one of its type.",
            about: entity)
    }

    package static func noEntity(at position: Int) -> GranaryError {
        GranaryError(
            .unknownEntity,
            "The schema has no entity at position \(position). Make the request with the schema of this stack.")
    }

    /// A write to a store that was opened for reading only.
    ///
    /// - Parameter path: The store's folder. For the folder of a generation, the error names the store's.
    public static func readOnly(_ path: String) -> GranaryError {
        let store = StoreNames.store(ofGeneration: path)
        return GranaryError(.readOnly, "\(store) is open for reading only. Open it for writing to change it.")
    }

    /// A savepoint is released or rolled back, and no savepoint is open.
    public static var noSavepoint: GranaryError {
        GranaryError(.closed, "No savepoint is open. Begin one before releasing it or rolling it back.")
    }

    /// A transaction is used after its end.
    public static var transactionEnded: GranaryError {
        GranaryError(.closed, "The transaction has ended. Begin another.")
    }

    /// A cursor is used after a write of its transaction or context.
    public static var cursorInvalidated: GranaryError {
        GranaryError(
            .cursorInvalidated,
            "The transaction or context has written since this cursor was made. Read the records before writing, or ask for them again."
        )
    }
}

extension Entity {
    /// The messages that this entity can produce for a broken uniqueness, reference or delete rule over these
    /// attributes. Empty for any other code.
    package func ruleTexts(_ code: GranaryError.Code, _ names: [String]) -> [String] {
        let positions = attributes.indices.filter { named([attributes[$0].name]).attributes == names }
        let referring = positions.filter { attributes[$0].reference != nil }
        let errors: [GranaryError] =
            switch code {
            case .uniqueness: positions.isEmpty && names.count < 2 ? [] : [.notUnique(self, names)]
            case .danglingReference: referring.map { .dangling(self, $0) }
            case .deniedDeletion: referring.map { .denied(by: self, $0) }
            default: []
            }
        return errors.map(\.message)
    }
}
