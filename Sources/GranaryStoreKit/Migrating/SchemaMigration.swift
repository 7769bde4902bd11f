/// What a store must do to be opened with another schema than the stored one: decided once, for every store.
package struct SchemaMigration: Sendable {
    /// What is stored now.
    package let stored: Schema
    /// What is to be stored: the program's meaning with the stored numbers. In each entity the attributes that are stored
    /// come first, in the stored order, as a store may keep values by their place.
    package let target: Schema
    package let difference: SchemaDifference

    /// The migration that a policy allows; nil if the schemas mean the same.
    ///
    /// - Throws: `schemaMismatch` if the policy does not allow what differs, or the store cannot be written to.
    package init?(
        from stored: Schema, to program: Schema, _ policy: MigrationPolicy, access: StoreAccess = .readWrite
    ) throws {
        guard stored.fingerprint != program.fingerprint else { return nil }
        difference = SchemaDifference(from: stored, to: program)
        guard let cost = difference.cost else { return nil }
        guard policy == .automatic else { throw difference.mismatch(.none) }
        guard cost == .instant else { throw difference.mismatch(.costly) }
        guard access == .readWrite else { throw difference.mismatch(.readOnly) }
        self.stored = stored
        target = program.adoptingIDs(from: stored).inStoredOrder
    }
}

extension Schema {
    /// The error for a store that was made for another schema, where nothing is migrated.
    package func mismatch(with stored: Schema) -> GranaryError {
        SchemaDifference(from: stored, to: self).mismatch(.none)
    }

    /// The same schema with the attributes of each entity in the order of their numbers.
    fileprivate var inStoredOrder: Schema {
        Schema(
            entities: entities.map { entity in
                var entity = entity
                entity.attributes.sort { $0.id < $1.id }
                return entity
            })
    }
}

extension SchemaDifference {
    /// Why a store is not migrated.
    fileprivate enum Refusal {
        case none, costly, readOnly
    }

    fileprivate func mismatch(_ refusal: Refusal) -> GranaryError {
        let shown = refusal == .costly ? changes.filter { $0.cost > .instant } : changes
        let words =
            shown.prefix(8).map(\.description).joined(separator: "; ")
            + (shown.count > 8 ? "; and \(shown.count - 8) more" : "")
        let advice =
            switch refusal {
            case .none: "Open it with the schema it was made for, or use another path."
            case .costly:
                "This is not done on opening, as it rewrites records or loses values. Open it with the schema it was made"
                    + " for, or use another path."
            case .readOnly: "Open it for writing once, so that it is migrated."
            }
        var error = GranaryError(.schemaMismatch, "The store was made for another schema: \(words). \(advice)")
        if let entity = shown.first?.entity, shown.allSatisfy({ $0.entity == entity }) { error.entity = entity }
        error.details = self
        return error
    }
}

extension GranaryError {
    /// The error of a stack whose store was migrated by another process since it was opened.
    package static var schemaReplaced: GranaryError {
        GranaryError(
            .schemaMismatch,
            "Another process has changed the schema of the store since this stack opened it. Close the stack, and open the store with the new schema."
        )
    }
}
