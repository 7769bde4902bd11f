extension AnyExpression: Codable {
    /// Decodes a tree of nodes, and measures and checks it as if it were built.
    public init(from decoder: any Decoder) throws {
        let node = try Node(from: decoder)
        self.init(rebuilding: node)
        if case .invalid(let code, let message, _) = root, root != node { throw GranaryError(code, message) }
    }

    public func encode(to encoder: any Encoder) throws { try root.encode(to: encoder) }
}

extension AnyExpression.Node: Codable {
    public init(from decoder: any Decoder) throws { self = try AnyExpression.Node.read(try NodeReader(decoder)) }

    static func read(_ reader: NodeReader) throws -> AnyExpression.Node {
        let kind: String = try reader.decode(.kind)
        switch kind {
        case "attribute": return .attribute(try reader.decode(.attribute))
        case "value": return .value(try reader.decode(.value))
        case "literal": return .literal(try literal(reader))
        case "arithmetic":
            return .arithmetic(
                try reader.decode(.operator), try read(try reader.child(.left)), try read(try reader.child(.right)))
        case "ifNil": return .ifNil(try read(try reader.child(.left)), try read(try reader.child(.right)))
        case "function": return .function(try function(reader), try read(try reader.child(.expression)))
        case "aggregate":
            return .aggregate(
                try reader.decode(.function), of: try reader.childIfPresent(.expression).map { try read($0) },
                over: try reader.decodeIfPresent(.relationship),
                where: try reader.childIfPresent(.condition).map { try AnyCondition.Node.read($0) },
                isDistinct: try reader.decodeIfPresent(.isDistinct) ?? false)
        case "rank": return .rank(try reader.decodeIfPresent(.search))
        case "invalid":
            return .invalid(
                code: try reader.decode(.code), message: try reader.decode(.message),
                attribute: try reader.decodeIfPresent(.attribute))
        default: throw reader.unknownKind(kind)
        }
    }

    private static func literal(_ reader: NodeReader) throws -> AnyExpression.Literal {
        if let number: String = try reader.decodeIfPresent(.number) { return .number(number) }
        if let text: String = try reader.decodeIfPresent(.string) { return .string(text) }
        if let date: StoredValue = try reader.decodeIfPresent(.date) {
            guard case .real(let seconds) = date else { throw reader.unknownKind("date") }
            return .date(seconds)
        }
        return try reader.decodeIfPresent(.value).map { .bool($0) } ?? .null
    }

    private static func function(_ reader: NodeReader) throws -> AnyExpression.Function {
        let name: String = try reader.decode(.function)
        if let plain = AnyExpression.Function(plain: name) { return plain }
        switch name {
        case "folded": return .folded(try reader.decode(.folding))
        case "json": return .json(try reader.decode(.path), try reader.decode(.type))
        default:
            guard let component = DateComponent(rawValue: name) else { throw reader.unknownKind(name) }
            return .date(component, offset: try reader.decodeIfPresent(.offset) ?? 0)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: NodeKey.self)
        func set(_ kind: String) throws { try container.encode(kind, forKey: .kind) }
        switch self {
        case .attribute(let path):
            try set("attribute")
            try container.encode(path, forKey: .attribute)
        case .value(let value):
            try set("value")
            try container.encode(value, forKey: .value)
        case .literal(let literal):
            try set("literal")
            switch literal {
            case .null: break
            case .bool(let value): try container.encode(value, forKey: .value)
            case .number(let text): try container.encode(text, forKey: .number)
            case .string(let text): try container.encode(text, forKey: .string)
            case .date(let seconds): try container.encode(StoredValue.real(seconds), forKey: .date)
            }
        case .arithmetic(let operation, let left, let right):
            try set("arithmetic")
            try container.encode(left, forKey: .left)
            try container.encode(operation, forKey: .operator)
            try container.encode(right, forKey: .right)
        case .ifNil(let first, let second):
            try set("ifNil")
            try container.encode(first, forKey: .left)
            try container.encode(second, forKey: .right)
        case .function(let function, let argument):
            try set("function")
            try function.encode(into: &container)
            try container.encode(argument, forKey: .expression)
        case .aggregate(let function, let inner, let relationship, let condition, let isDistinct):
            try set("aggregate")
            try container.encode(function, forKey: .function)
            try container.encodeIfPresent(inner, forKey: .expression)
            try container.encodeIfPresent(relationship, forKey: .relationship)
            try container.encodeIfPresent(condition, forKey: .condition)
            if isDistinct { try container.encode(true, forKey: .isDistinct) }
        case .rank(let search):
            try set("rank")
            try container.encodeIfPresent(search, forKey: .search)
        case .invalid(let code, let message, let attribute):
            try set("invalid")
            try container.encode(code, forKey: .code)
            try container.encode(message, forKey: .message)
            try container.encodeIfPresent(attribute, forKey: .attribute)
        }
    }
}

extension AnyExpression.Function {
    fileprivate func encode(into container: inout KeyedEncodingContainer<NodeKey>) throws {
        try container.encode(word, forKey: .function)
        switch self {
        case .folded(let folding): try container.encode(folding, forKey: .folding)
        case .json(let path, let type):
            try container.encode(path, forKey: .path)
            try container.encode(type, forKey: .type)
        case .date(_, let offset): if offset != 0 { try container.encode(offset, forKey: .offset) }
        default: break
        }
    }
}
