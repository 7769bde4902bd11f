import GranaryCore

/// Decodes types from a tree of values. Values of attribute types are converted like those of attributes.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: ImportValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    /// A row with one attribute, in which values are converted. All decoders of a tree share it.
    private let stage: RowStage

    init(_ value: ImportValue) {
        self.value = value
        codingPath = []
        stage = RowStage(width: 1)
    }

    private init(_ value: ImportValue, at key: any CodingKey, in parent: ValueDecoder) {
        self.value = value
        codingPath = parent.codingPath + [key]
        stage = parent.stage
    }

    /// The decoder of a value within this one.
    func inner(_ value: ImportValue, at key: any CodingKey) -> ValueDecoder { ValueDecoder(value, at: key, in: self) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else { throw mismatch(ImportObject.self, "an object") }
        return KeyedDecodingContainer(DecodedObject(decoder: self, object: object))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw mismatch([ImportValue].self, "an array") }
        return DecodedArray(decoder: self, elements: elements)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { if case .null = value { true } else { false } }

    // It also replaces the separate functions for each type of number.
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let type = type as? any FixedWidthInteger.Type, let number = text.flatMap({ type.init($0, radix: 10) }) as? T
        {
            return number
        }
        if let type = type as? any AttributeValue.Type, type.attributeType != .json,
            let decoded = try attribute(type) as? T
        {
            return decoded
        }
        // An integer type that is no attribute type would call this container again.
        if type is any FixedWidthInteger.Type { throw mismatch(type, "\(type)") }
        return try T(from: self)
    }

    private func attribute<T: AttributeValue>(_ type: T.Type) throws -> T {
        if decodeNil(), !type.isOptional {
            throw DecodingError.valueNotFound(type, context("It is null, where \(type) is expected."))
        }
        stage.removeAll()
        let row = stage.addRow()
        let converter = Converter(type: type.attributeType, dates: ImportDateFormat.standard, data: .base64)
        let refused = value.withScalar { scalar in
            scalar.map { converter.convert($0, into: stage, row, 0) } ?? converter.convert(value, into: stage, row, 0)
        }
        if let refused { throw DecodingError.typeMismatch(type, context("It \(refused).")) }
        do {
            return try type.decode(stage[row, 0])
        } catch {
            throw DecodingError.typeMismatch(type, context("It is not one that \(type) has."))
        }
    }

    private var text: String? {
        switch value {
        case .integer(let value): "\(value)"
        case .decimal(let text), .string(let text): text
        default: nil
        }
    }

    private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        .typeMismatch(type, context("It is \(value.kindName), where \(expected) is expected."))
    }

    private func context(_ text: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath, debugDescription: text)
    }
}

private struct DecodedObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let object: ImportObject

    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try inner(key).decodeNil() }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try inner(key).decode(type) }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> { try inner(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try inner(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try inner(ValueKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try inner(key) }

    private func inner(_ key: some CodingKey) throws -> ValueDecoder {
        guard let value = object[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "There is no key \"\(key.stringValue)\"."))
        }
        return decoder.inner(value, at: key)
    }
}

private struct DecodedArray: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let elements: [ImportValue]
    private(set) var currentIndex = 0

    init(decoder: ValueDecoder, elements: [ImportValue]) { (self.decoder, self.elements) = (decoder, elements) }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try inner().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type
    ) throws -> KeyedDecodingContainer<Inner> { try next { try $0.container(keyedBy: type) } }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    /// Moves on only if the element could be decoded.
    private mutating func next<T>(_ body: (ValueDecoder) throws -> T) throws -> T {
        let decoded = try body(try inner())
        currentIndex += 1
        return decoded
    }

    private func inner() throws -> ValueDecoder {
        let key = ValueKey(intValue: currentIndex)
        guard elements.indices.contains(currentIndex) else {
            throw DecodingError.valueNotFound(
                ImportValue.self,
                .init(codingPath: codingPath + [key], debugDescription: "The array has \(elements.count) elements."))
        }
        return decoder.inner(elements[currentIndex], at: key)
    }
}

/// A key that no type declares, or a place in an array.
struct ValueKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}
