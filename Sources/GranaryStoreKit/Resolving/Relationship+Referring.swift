// Any reference can be followed backwards, with or without a declared relationship: the links of a many-to-many
// relationship are requested in this way, to come in order. No declared name contains a slash.

extension Relationship {
    /// The name for the records that refer by an attribute: `Playlist_songs/target`.
    package static func referringName(_ entity: String, _ attribute: String) -> String { "\(entity)/\(attribute)" }

    /// The records of an entity that refer to another one by an attribute; nil if the name does not have this form.
    ///
    /// - Throws: `unknownEntity`, `unknownAttribute`; `invalidQuery` if the attribute refers to something else.
    init?(referringName name: String, to target: Entity, in schema: Schema) throws {
        guard let slash = name.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let entity = schema.entities[try schema.position(ofEntity: String(name[..<slash]))]
        let attribute = entity.attributes[
            try entity.position(ofAttribute: String(name[name.utf8.index(after: slash)...]))]
        guard attribute.reference?.entity == target.name else {
            throw GranaryError(
                .invalidQuery, "\(entity.name).\(attribute.name) does not refer to \(target.name).",
                entity: entity.name, attributes: [attribute.name])
        }
        self.init(name, entity: entity.name, attribute: attribute.name)
    }
}
