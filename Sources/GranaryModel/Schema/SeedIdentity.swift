/// Identifies the seed that a store was made from. Stored with the schema.
package struct SeedIdentity: Sendable, Hashable, Codable {
    /// `store` or `json`.
    package let kind: String
    /// The fingerprint of the seed's own schema; nil for a seed without one.
    package let schema: String?
    /// Differs if the contents differ, as far as the kind of seed examines them.
    package let content: String

    package init(kind: String, schema: String? = nil, content: String) {
        (self.kind, self.schema, self.content) = (kind, schema, content)
    }
}

extension GranaryError {
    /// The error of a reset to another seed than the store was made from.
    package static func otherSeed(_ known: SeedIdentity, _ given: SeedIdentity) -> GranaryError {
        let isSameKind = known.kind == given.kind && known.schema == given.schema
        return GranaryError(
            .seedMismatch,
            isSameKind
                ? "The seed has changed since the store was made from it. Reset to .anySeed to take what it has now."
                : "The store was made from another seed. Open it with that one, or reset to .anySeed to take this one.")
    }
}
