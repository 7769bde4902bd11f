/// A record without a Swift type: an entity's attributes by name. For tools, migrations, and data whose schema is known
/// only when the program runs.
///
/// ```swift
/// var artist = try DynamicRecord("Artist", in: stack.schema)
/// try artist.set("id", to: 100)
/// try artist.set("name", to: "Jimi Hendrix")
/// try await stack.write { [artist] tx in try tx.insert(artist) }
/// let name = try artist.value("name", as: String.self)
/// ```
public struct DynamicRecord: Sendable, Hashable {
    public let entity: Entity
    /// The stored values, in the order of the entity's attributes.
    public private(set) var values: [StoredValue]

    /// A record with the entity's default values, and nil for the other attributes.
    ///
    /// - Throws: `unknownEntity`.
    public init(_ entityName: String, in schema: Schema) throws {
        self.init(schema.entities[try schema.position(ofEntity: entityName)])
    }

    /// A record with the entity's default values, and nil for the other attributes. A key that the store assigns is 0.
    public init(_ entity: Entity) {
        self.entity = entity
        values = entity.attributes.map { $0.defaultValue ?? .null }
        if entity.keyGeneration == .assigned { values[entity.keyPosition] = .integer(0) }
    }

    package init(_ entity: Entity, _ values: [StoredValue]) {
        self.entity = entity
        self.values = values
    }

    /// A row with every attribute at its position.
    package init(_ entity: Entity, row: borrowing Row) {
        var values: [StoredValue] = []
        values.reserveCapacity(entity.attributes.count)
        for position in entity.attributes.indices { values.append(StoredValue(row[position])) }
        self.init(entity, values)
    }

    /// The key in its stored form.
    public var key: StoredValue { values[entity.keyPosition] }

    /// The stored value of an attribute; nil if the entity has no attribute of that name.
    public subscript(name: String) -> StoredValue? {
        (try? entity.position(ofAttribute: name)).map { values[$0] }
    }

    /// The value of an attribute as a Swift type.
    ///
    /// - Throws: `unknownAttribute`; `typeMismatch` or `range` if the value cannot be read as this type.
    public func value<Value: AttributeValue>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
        let position = try entity.position(ofAttribute: name)
        do {
            return try values[position].value()
        } catch let error as GranaryError {
            throw GranaryError(
                error.code,
                "\(entity.name).\(name) holds \(entity.attributes[position].type), which is not read as \(Value.self).",
                entity: entity.name, attributes: [name])
        }
    }

    /// Sets an attribute to a value of its own type, or of a type with the same stored form.
    ///
    /// - Throws: `unknownAttribute`, `typeMismatch`, `range`, `required`.
    public mutating func set<Value: AttributeValue>(_ name: String, to value: Value) throws {
        try set(name, toStored: try StoredValue(encoding: value))
    }

    /// Sets an attribute to a value in its stored form.
    public mutating func set(_ name: String, toStored value: StoredValue) throws {
        let position = try entity.position(ofAttribute: name)
        try entity.attributes[position].check(value, in: entity)
        values[position] = value
    }

    package mutating func take(key: StoredValue) { values[entity.keyPosition] = key }
}

extension DynamicRecord: Fetchable {
    public typealias Key = StoredValue

    public static var _recordType: (any Record.Type)? { nil }

    public static func _read(_ row: borrowing Row, _ entity: Entity) -> DynamicRecord {
        DynamicRecord(entity, row: row)
    }

    public static func _append(_ row: borrowing Row, _ entity: Entity, to records: inout [DynamicRecord]) {
        records.append(DynamicRecord(entity, row: row))
    }

    public var _storedKey: StoredValue { key }

    public static func _stored(_ key: StoredValue) -> StoredValue { key }

    public static func _key(_ stored: StoredValue) -> StoredValue { stored }
}

extension DynamicRecord: CustomStringConvertible {
    /// `Artist(id: 100, name: "Jimi Hendrix")`: values in their stored form, without nils.
    public var description: String {
        let shown = zip(entity.attributes, values).filter { $0.1 != .null }.map { "\($0.0.name): \($0.1)" }
        return "\(entity.name)(\(shown.joined(separator: ", ")))"
    }
}
