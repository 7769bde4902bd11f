extension Condition: Codable {
    /// - Throws: `DecodingError.typeMismatch` if it is a condition of another entity, which the error names; also what
    ///   decoding an ``AnyCondition`` throws.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NodeKey.self)
        try Root.expect(try container.decode(String.self, forKey: .entity), Condition.self, decoder)
        self.init(try container.decode(AnyCondition.self, forKey: .condition))
    }

    /// An object with the entity's name and the condition: `{"entity": "Song", "condition": {...}}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        try container.encode(Root.entityName, forKey: .entity)
        try container.encode(untyped, forKey: .condition)
    }
}

extension Record {
    /// Throws if the encoded value belongs to another entity.
    package static func expect(_ entity: String, _ type: Any.Type, _ decoder: any Decoder) throws {
        guard entity == entityName else {
            throw DecodingError.typeMismatch(
                type,
                DecodingError.Context(
                    codingPath: decoder.codingPath + [NodeKey.entity],
                    debugDescription: "It is of the entity \"\(entity)\", and one of \(entityName) is read."))
        }
    }
}
