extension DynamicQuery: Codable {
    /// - Throws: What the decoder throws; `invalidQuery` and `newerFormat` for a condition or an order that cannot be read.
    ///   Whether the schema has the names is looked up when the query is run.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NodeKey.self)
        // Conditions and orders count their depth each for itself, as when they were built.
        self.init(
            try container.decode(String.self, forKey: .entity),
            where: try container.decodeIfPresent(AnyCondition.self, forKey: .condition),
            order: try container.decodeIfPresent([Ordering].self, forKey: .order) ?? [],
            limit: try container.decodeIfPresent(Int.self, forKey: .limit),
            offset: try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0)
    }

    /// An object with the entity's name and what else is asked:
    /// `{"entity": "Song", "condition": {...}, "order": [...], "limit": 20}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        try container.encode(entity, forKey: .entity)
        try container.encodeIfPresent(condition, forKey: .condition)
        if !order.isEmpty { try container.encode(order, forKey: .order) }
        try container.encodeIfPresent(limit, forKey: .limit)
        if offset != 0 { try container.encode(offset, forKey: .offset) }
    }
}
