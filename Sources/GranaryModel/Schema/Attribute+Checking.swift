extension Attribute {
    /// Refuses a value that the attribute cannot hold: one that a record's own encoding could not have produced.
    package func check(_ value: StoredValue, in entity: Entity) throws {
        try value.withCell { cell in
            guard ContentRule(self).holds(cell) else { throw GranaryError.refused(cell, entity, self) }
        }
    }
}
