import GranaryCore

/// A value in the course of encoding. Containers add to it until the type has encoded itself.
final class EncodedNode {
    fileprivate enum Content {
        case value(ImportValue)
        case array([EncodedNode])
        case object([(key: String, node: EncodedNode)])
    }

    fileprivate var content = Content.object([])

    var value: ImportValue {
        switch content {
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let members): .object(ImportObject(members.map { ImportObject.Member($0.key, $0.node.value) }))
        }
    }

    fileprivate func append() -> EncodedNode {
        let node = EncodedNode()
        var nodes: [EncodedNode] = []
        if case .array(let given) = content { nodes = given }
        // The array is released here, so that it is unique and grows in place.
        content = .array([])
        nodes.append(node)
        content = .array(nodes)
        return node
    }

    /// If a type encodes a key twice, the last value counts, as in every object.
    fileprivate func append(_ key: String) -> EncodedNode {
        let node = EncodedNode()
        var members: [(key: String, node: EncodedNode)] = []
        if case .object(let given) = content { members = given }
        content = .object([])
        members.append((key, node))
        content = .object(members)
        return node
    }

    fileprivate var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }
}

/// Encodes types as trees of values. Values of attribute types are written as exports write them.
struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    private let node: EncodedNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: EncodedNode, at codingPath: [any CodingKey] = []) { (self.node, self.codingPath) = (node, codingPath) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(EncodedObject(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if node.count == 0 { node.content = .array([]) }
        return EncodedArray(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { node.content = .value(.null) }

    // It also replaces the separate functions for each type of number.
    func encode<T: Encodable>(_ value: T) throws {
        if let value = value as? any FixedWidthInteger {
            node.content = .value(Int64(exactly: value).map { .integer($0) } ?? .decimal("\(value)"))
        } else if let value = value as? any AttributeValue, type(of: value).attributeType != .json {
            node.content = .value(try ValueEncoder.value(value))
        } else {
            try value.encode(to: self)
        }
    }

    private static func value<T: AttributeValue>(_ value: T) throws -> ImportValue {
        let attribute = Attribute("value", T.attributeType, isOptional: T.isOptional)
        let writer = ValueWriter(attribute, ImportMapping())
        return try StoredValue(encoding: value).withCell { try writer.value(of: $0).imported }
    }
}

private struct EncodedObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodedNode
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) { inner(key).encodeNil() }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try inner(key).encode(value) }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> { inner(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { inner(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { inner(ValueKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { inner(key) }

    private func inner(_ key: some CodingKey) -> ValueEncoder {
        ValueEncoder(node.append(key.stringValue), at: codingPath + [key])
    }
}

private struct EncodedArray: UnkeyedEncodingContainer {
    let node: EncodedNode
    let codingPath: [any CodingKey]

    var count: Int { node.count }

    func encodeNil() { inner().encodeNil() }
    func encode<T: Encodable>(_ value: T) throws { try inner().encode(value) }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
        inner().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { inner().unkeyedContainer() }
    func superEncoder() -> any Encoder { inner() }

    private func inner() -> ValueEncoder {
        ValueEncoder(node.append(), at: codingPath + [ValueKey(intValue: node.count - 1)])
    }
}
