/// What a request can be about: a ``Record`` type, or ``DynamicRecord`` for records by names.
///
/// There is nothing to write for it.
public protocol Fetchable: Sendable {
    /// The type of its keys.
    associatedtype Key: Sendable, Hashable

    /// The record type, whose entity a schema must have as the type declares it; nil of records by names.
    static var _recordType: (any Record.Type)? { get }
    /// Reads one from a row that holds every attribute in its place.
    static func _read(_ row: borrowing Row, _ entity: Entity) throws -> Self
    /// Reads one from a row and puts it behind others.
    static func _append(_ row: borrowing Row, _ entity: Entity, to records: inout [Self]) throws
    /// Its key in stored form.
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
