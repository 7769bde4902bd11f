extension Schema {
    /// This schema as a store opens it that was made for another: with the numbers that the store gives to entities and
    /// attributes.
    ///
    /// - Throws: `invalidSchema`; `schemaMismatch` if the two differ in more than the order of declaration.
    public func opening(_ stored: Schema) throws -> Schema {
        try validate()
        guard stored.fingerprint == fingerprint else { throw mismatch(with: stored) }
        return adoptingIDs(from: stored)
    }
}
