extension AnyCondition.Node: Codable {
    public init(from decoder: any Decoder) throws { self = try AnyCondition.Node.read(try NodeReader(decoder)) }

    static func read(_ reader: NodeReader) throws -> AnyCondition.Node {
        let kind: String = try reader.decode(.kind)
        switch kind {
        case "always": return .always(try reader.decode(.value))
        case "compare":
            return .compare(
                attribute: try reader.decode(.attribute), try reader.decode(.operator), try reader.decode(.value))
        case "among": return .among(attribute: try reader.decode(.attribute), try reader.decode(.values))
        case "relation":
            return .relation(
                try .read(try reader.child(.left)), try reader.decode(.operator), try .read(try reader.child(.right)))
        case "listed":
            return .listed(
                try .read(try reader.child(.expression)),
                try reader.children(.expressions) { try AnyExpression.Node.read($0) })
        case "text": return .text(try .read(try reader.child(.expression)), try reader.decode(.match))
        case "exists":
            return .exists(
                relationship: try reader.decode(.relationship),
                try reader.childIfPresent(.condition).map { try AnyCondition.Node.read($0) })
        case "amongRows":
            return .amongRows(
                try .read(try reader.child(.expression)), try AnySubquery.read(try reader.child(.query)))
        case "search": return .search(path: try reader.decode(.path), try reader.decode(.search))
        case "all": return .all(try reader.children(.conditions) { try AnyCondition.Node.read($0) })
        case "any": return .any(try reader.children(.conditions) { try AnyCondition.Node.read($0) })
        case "not": return .not(try read(try reader.child(.condition)))
        case "invalid":
            return .invalid(
                code: try reader.decode(.code), message: try reader.decode(.message),
                attribute: try reader.decodeIfPresent(.attribute))
        default: throw reader.unknownKind(kind)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        func set(_ kind: String) throws { try container.encode(kind, forKey: .kind) }
        switch self {
        case .always(let value):
            try set("always")
            try container.encode(value, forKey: .value)
        case .compare(let attribute, let comparison, let value):
            try set("compare")
            try container.encode(attribute, forKey: .attribute)
            try container.encode(comparison, forKey: .operator)
            try container.encode(value, forKey: .value)
        case .among(let attribute, let values):
            try set("among")
            try container.encode(attribute, forKey: .attribute)
            try container.encode(values, forKey: .values)
        case .relation(let left, let comparison, let right):
            try set("relation")
            try container.encode(left, forKey: .left)
            try container.encode(comparison, forKey: .operator)
            try container.encode(right, forKey: .right)
        case .listed(let expression, let values):
            try set("listed")
            try container.encode(expression, forKey: .expression)
            try container.encode(values, forKey: .expressions)
        case .text(let expression, let match):
            try set("text")
            try container.encode(expression, forKey: .expression)
            try container.encode(match, forKey: .match)
        case .exists(let relationship, let inner):
            try set("exists")
            try container.encode(relationship, forKey: .relationship)
            try container.encodeIfPresent(inner, forKey: .condition)
        case .amongRows(let expression, let query):
            try set("amongRows")
            try container.encode(expression, forKey: .expression)
            try container.encode(query, forKey: .query)
        case .search(let path, let search):
            try set("search")
            try container.encode(path, forKey: .path)
            try container.encode(search, forKey: .search)
        case .all(let nodes):
            try set("all")
            try container.encode(nodes, forKey: .conditions)
        case .any(let nodes):
            try set("any")
            try container.encode(nodes, forKey: .conditions)
        case .not(let inner):
            try set("not")
            try container.encode(inner, forKey: .condition)
        case .invalid(let code, let message, let attribute):
            try set("invalid")
            try container.encode(code, forKey: .code)
            try container.encode(message, forKey: .message)
            try container.encodeIfPresent(attribute, forKey: .attribute)
        }
    }
}

extension AnySubquery: Codable {
    public init(from decoder: any Decoder) throws { self = try AnySubquery.read(try NodeReader(decoder)) }

    static func read(_ reader: NodeReader) throws -> AnySubquery {
        var query = AnySubquery(
            try reader.decode(.entity), column: AnyExpression(rebuilding: try .read(try reader.child(.expression))),
            limit: try reader.decodeIfPresent(.limit), offset: try reader.decodeIfPresent(.offset) ?? 0,
            isDistinct: try reader.decodeIfPresent(.isDistinct) ?? false)
        query.condition = try reader.childIfPresent(.condition).map { try AnyCondition.Node.read($0) }
        if reader.has(.order) { query.order = try reader.children(.order) { try Ordering.read($0) } }
        return query
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        try container.encode(entity, forKey: .entity)
        try container.encode(column, forKey: .expression)
        try container.encodeIfPresent(condition, forKey: .condition)
        if !order.isEmpty { try container.encode(order, forKey: .order) }
        try container.encodeIfPresent(limit, forKey: .limit)
        if offset != 0 { try container.encode(offset, forKey: .offset) }
        if isDistinct { try container.encode(true, forKey: .isDistinct) }
    }
}

extension Ordering: Codable {
    public init(from decoder: any Decoder) throws { self = try Ordering.read(try NodeReader(decoder)) }

    static func read(_ reader: NodeReader) throws -> Ordering {
        var ordering = Ordering(
            AnyExpression(rebuilding: try .read(try reader.child(.expression))),
            try reader.decodeIfPresent(.direction) ?? .ascending, nils: try reader.decodeIfPresent(.nils))
        ordering.givesWay = try reader.decodeIfPresent(.givesWay) ?? false
        return ordering
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        try container.encode(expression, forKey: .expression)
        try container.encode(direction, forKey: .direction)
        try container.encodeIfPresent(nils, forKey: .nils)
        if givesWay { try container.encode(true, forKey: .givesWay) }
    }
}
