/// The names in the encoded form of conditions and expressions.
///
/// Each node is an object with its `kind` and its parts:
///
/// ```json
/// {"kind": "compare", "attribute": "rating", "operator": ">=", "value": {"integer": 4}}
/// ```
enum NodeKey: String, CodingKey {
    case kind, attribute, relationship, `operator`, function
    case value, values, number, string, date, path, type, offset, limit, folding
    case left, right, search, expression, expressions, condition, conditions, match, query
    case entity, order, direction, nils, givesWay, isDistinct
    case with, columns, groups, by, having
    case code, message
}

/// A node that is being read: its parts, and its depth in the tree.
///
/// Nested containers are read by one function for each level, and not by callbacks of the decoder, so that the depth is
/// known and bounded for any input.
struct NodeReader {
    let container: KeyedDecodingContainer<NodeKey>
    let depth: Int

    init(_ decoder: any Decoder) throws {
        container = try decoder.container(keyedBy: NodeKey.self)
        depth = 1
    }

    private init(_ container: KeyedDecodingContainer<NodeKey>, depth: Int) throws {
        guard depth <= AnyCondition.maximumDepth else {
            throw GranaryError(
                .invalidQuery, "An encoded condition is nested more than \(AnyCondition.maximumDepth) deep.")
        }
        self.container = container
        self.depth = depth
    }

    func has(_ key: NodeKey) -> Bool { (try? container.decodeNil(forKey: key)) == false }

    func decode<Value: Decodable>(_ key: NodeKey, as type: Value.Type = Value.self) throws -> Value {
        try container.decode(type, forKey: key)
    }

    func decodeIfPresent<Value: Decodable>(_ key: NodeKey, as type: Value.Type = Value.self) throws -> Value? {
        try container.decodeIfPresent(type, forKey: key)
    }

    /// The node in a part of this node.
    func child(_ key: NodeKey) throws -> NodeReader {
        try NodeReader(container.nestedContainer(keyedBy: NodeKey.self, forKey: key), depth: depth + 1)
    }

    func childIfPresent(_ key: NodeKey) throws -> NodeReader? { has(key) ? try child(key) : nil }

    func children<Value>(_ key: NodeKey, _ read: (NodeReader) throws -> Value) throws -> [Value] {
        var list = try container.nestedUnkeyedContainer(forKey: key)
        var values: [Value] = []
        while !list.isAtEnd {
            values.append(try read(NodeReader(list.nestedContainer(keyedBy: NodeKey.self), depth: depth + 1)))
        }
        return values
    }

    func unknownKind(_ kind: String) -> GranaryError {
        GranaryError(
            .newerFormat, "A condition has a part of the kind \"\(kind)\", which this version of Granary does not know."
        )
    }
}
