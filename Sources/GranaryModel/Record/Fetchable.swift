/// The subject of a request: a ``Record`` type, or ``DynamicRecord`` for records by names.
///
/// The conformance needs no code.
public protocol Fetchable: Sendable {
    /// The type of the keys.
    associatedtype Key: Sendable, Hashable

    /// The record type. A schema must have its entity as the type declares it. Nil for records by names.
    static var _recordType: (any Record.Type)? { get }
    /// Reads a record from a row with every attribute at its position.
    static func _read(_ row: borrowing Row, _ entity: Entity) throws -> Self
    /// Reads a record from a row and appends it to others.
    static func _append(_ row: borrowing Row, _ entity: Entity, to records: inout [Self]) throws
    /// The record's key in stored form.
    var _storedKey: StoredValue { get throws }
    /// A key in stored form.
    static func _stored(_ key: Key) throws -> StoredValue
    /// A key from its stored form.
    static func _key(_ stored: StoredValue) throws -> Key
}

extension Record {
    public static var _recordType: (any Record.Type)? { Self.self }

    @inlinable public static func _read(_ row: borrowing Row, _ entity: Entity) throws -> Self { try Self(row: row) }

    @inlinable public static func _append(
        _ row: borrowing Row, _ entity: Entity, to records: inout [Self]
    ) throws { try _append(row, to: &records) }

    public var _storedKey: StoredValue { get throws { try StoredValue(encoding: id) } }

    public static func _stored(_ key: Key) throws -> StoredValue { try StoredValue(encoding: key) }

    public static func _key(_ stored: StoredValue) throws -> Key { try stored.withCell { try Key.decode($0) } }
}
