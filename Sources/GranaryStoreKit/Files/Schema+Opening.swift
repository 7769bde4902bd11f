extension Schema {
    /// This schema for opening a store that was made for another schema: with the numbers that the store gives to
    /// entities and attributes.
    ///
    /// - Throws: `invalidSchema`; `schemaMismatch` if the two differ in more than the order of declaration.
    public func opening(_ stored: Schema) throws -> Schema {
        try validate()
        guard stored.fingerprint == fingerprint else { throw mismatch(with: stored) }
        return adoptingIDs(from: stored)
    }
}
