/// A to-one relationship: the key of a record of another entity, or of the same one.
///
/// `Ref<Genre>` is required, `Ref<Genre>?` optional. It is a plain value, never a record that may be "not loaded":
/// `try context.find(artist.genre)` fetches the record.
public struct Ref<Target: Record>: AttributeValue, Hashable {
    /// The key of the record that it refers to.
    public var key: Target.Key

    public init(_ key: Target.Key) { self.key = key }
    public init(_ target: Target) { key = target.id }

    public static var attributeType: AttributeType { Target.Key.attributeType }
    public static var referencedEntity: String? { Target.entityName }

    @inlinable public static func decode(_ cell: Cell) throws -> Ref<Target> {
        Ref(try Target.Key.decode(cell))
    }

    @inlinable public func encode(into writer: inout RowWriter, at position: Int) throws {
        try key.encode(into: &writer, at: position)
    }
}

/// Coded as the key.
extension Ref: Codable where Target.Key: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(Target.Key.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(key)
    }
}

/// A ``Ref`` or an optional one: the type of a to-one relationship.
public protocol ReferenceValue: AttributeValue {
    /// The type of the record that it refers to.
    associatedtype Target: Record
    /// The record itself; optional if the reference is.
    associatedtype Resolved: Sendable
    /// The record in the form for the caller; nil if the record of a required reference does not exist.
    static func resolved(_ record: Target?) -> Resolved?
}

extension Ref: ReferenceValue {
    public typealias Resolved = Target

    public static func resolved(_ record: Target?) -> Target? { record }
}

extension Optional: ReferenceValue where Wrapped: ReferenceValue {
    public typealias Target = Wrapped.Target
    public typealias Resolved = Wrapped.Target?

    public static func resolved(_ record: Wrapped.Target?) -> Wrapped.Target?? { .some(record) }
}
