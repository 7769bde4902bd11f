extension AnyRequest: Codable {
    /// - Throws: What the decoder throws; `invalidQuery` and `newerFormat` for a condition or an order that cannot be
    ///   read. Names are looked up in the schema when the request is run.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NodeKey.self)
        // The depths of conditions and orders are counted separately, as when they were built.
        self.init(
            try container.decode(String.self, forKey: .entity),
            where: try container.decodeIfPresent(AnyCondition.self, forKey: .condition),
            order: try container.decodeIfPresent([Ordering].self, forKey: .order) ?? [],
            limit: try container.decodeIfPresent(Int.self, forKey: .limit),
            offset: try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0)
        if let grouping = try container.decodeIfPresent(AnyGrouping.self, forKey: .groups) {
            output = .groups(grouping)
        } else if let columns = try container.decodeIfPresent([AnyExpression].self, forKey: .columns) {
            output = .columns(
                columns, isDistinct: try container.decodeIfPresent(Bool.self, forKey: .isDistinct) ?? false)
        } else {
            output = .records(with: try container.decodeIfPresent([String].self, forKey: .with) ?? [])
        }
    }

    /// An object with the entity's name and the other parts of the request:
    /// `{"entity": "Song", "condition": {...}, "order": [...], "limit": 20}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        try container.encode(entity, forKey: .entity)
        try container.encodeIfPresent(condition, forKey: .condition)
        if !order.isEmpty { try container.encode(order, forKey: .order) }
        try container.encodeIfPresent(limit, forKey: .limit)
        if offset != 0 { try container.encode(offset, forKey: .offset) }
        switch output {
        case .records(let paths): if !paths.isEmpty { try container.encode(paths, forKey: .with) }
        case .columns(let columns, let isDistinct):
            try container.encode(columns, forKey: .columns)
            if isDistinct { try container.encode(true, forKey: .isDistinct) }
        case .groups(let grouping): try container.encode(grouping, forKey: .groups)
        }
    }
}

extension AnyGrouping: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: NodeKey.self)
        self.init(
            by: try container.decode([AnyExpression].self, forKey: .by),
            columns: try container.decode([AnyExpression].self, forKey: .columns))
        having = try container.decodeIfPresent(AnyCondition.self, forKey: .having)
        order = try container.decodeIfPresent([Ordering].self, forKey: .order) ?? []
        limit = try container.decodeIfPresent(Int.self, forKey: .limit)
        offset = try container.decodeIfPresent(Int.self, forKey: .offset) ?? 0
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        try container.encode(groups, forKey: .by)
        try container.encode(columns, forKey: .columns)
        try container.encodeIfPresent(having, forKey: .having)
        if !order.isEmpty { try container.encode(order, forKey: .order) }
        try container.encodeIfPresent(limit, forKey: .limit)
        if offset != 0 { try container.encode(offset, forKey: .offset) }
    }
}
