/// A value type whose records a store keeps.
///
/// `@Record` writes the conformance. This is all of it, and it works as well by hand:
///
/// ```swift
/// struct Genre: Record {
///     var id: Int64
///     var name: String
///
///     static let entityName = "Genre"
///     static let entity = Entity(entityName, key: "id", attributes: [
///         Attribute("id", Int64.self),
///         Attribute("name", String.self),
///     ], indexes: [.unique("name")])
///
///     init(row: borrowing Row) throws {
///         id = try row.decode(at: 0)
///         name = try row.decode(at: 1)
///     }
///     func encode(into row: inout RowWriter) throws {
///         try row.encode(id, at: 0)
///         try row.encode(name, at: 1)
///     }
///
///     struct Fields: Sendable {
///         let id = Field<Genre, Int64>("id")
///         let name = Field<Genre, String>("name")
///     }
///     static let fields = Fields()
/// }
/// ```
///
/// A to-many relationship is declared by a ``ToMany`` or ``ManyToMany`` and listed in ``relationships``, under the name
/// that it has in `Fields` and, if you want one, in an instance member:
///
/// ```swift
/// static let songs = ToMany(\Song.Fields.genre)
/// static var relationships: [DeclaredRelationship] { [songs.declared(as: "songs")] }
/// var songs: RelatedRecords<Genre, Song> { Self.songs.records(of: id, as: "songs") }
/// // and in Fields
/// var songs: Related<Genre, Song> { Related("songs") }
/// ```
///
/// Positions are those of ``entity``'s attributes. The key of a record never changes: a record with another ``id`` is
/// another record.
public protocol Record: Fetchable, Identifiable where Key: RecordKey, Key == ID {
    /// The attributes by name, for queries: `$0.name` is `fields.name`.
    associatedtype Fields: Sendable

    /// The entity's name. It is separate from ``entity``, so that entities can name each other in a circle.
    static var entityName: String { get }
    /// The description that a store needs to keep such records.
    static var entity: Entity { get }
    static var fields: Fields { get }
    /// The to-many relationships, as the type's `static let songs = ToMany(...)` declare them. Empty by default.
    static var relationships: [DeclaredRelationship] { get }

    /// Whether ``init(row:)`` and ``encode(into:)`` only move values between attributes and properties, so that a
    /// record that is read and written again is the same row. If the type also has no rules and no hooks, imports write
    /// rows of numbers, booleans and texts without making records of them. False by default; `@Record` declares it for
    /// the code that it writes.
    static var keepsValues: Bool { get }

    /// The condition for stale records, which `purgeStale()` of a stack deletes; nil by default. It is evaluated at
    /// each purge, so it may depend on the time: `fields.expires < Date()`.
    static var staleCondition: Condition<Self>? { get }

    /// The record's own rules, beyond those of attributes and indexes; none by default. Throw an error for an invalid
    /// record: `GranaryError(.invalidRecord, "...", entity: Self.entityName, attributes: ["name"])` or an error of your
    /// own.
    ///
    /// Called on every insert, update and upsert of a record in a transaction. In a context it is called when the
    /// context is saved, so a draft may be incomplete. Also called for a record whose reference becomes nil because the
    /// record that it refers to is deleted: if it throws, nothing is deleted. Not called for writes without the type:
    /// sets of records, records by name, SQL. The save of a context also validates records that were written by name in
    /// it, except those with a value that the type cannot read.
    func validate() throws

    /// The record's key.
    var id: Key { get }

    /// Reads a record from a row, by position.
    init(row: borrowing Row) throws
    /// Writes each attribute into a row, by position.
    func encode(into row: inout RowWriter) throws
    /// Reads a record from a row and appends it to others. Do not implement it: the default is compiled in the module
    /// of the record type, for that type alone, and so is faster than code of this library for any type.
    static func _append(_ row: borrowing Row, to records: inout [Self]) throws
    /// Takes the key that the store assigned. Called only for entities whose key is ``KeyGeneration/assigned``.
    mutating func take(assignedKey: Key)
}

extension Record {
    public static var relationships: [DeclaredRelationship] { [] }
    public static var staleCondition: Condition<Self>? { nil }
    public static var keepsValues: Bool { false }

    public func validate() throws { DefaultRules.ran(for: Self.self) }

    @inlinable public static func _append(_ row: borrowing Row, to records: inout [Self]) throws {
        records.append(try Self(row: row))
    }

    public mutating func take(assignedKey: Key) {}
}

/// A type that can be a record's key: `Int64`, `Int`, `UUID`, `String`, or a wrapper around one of them.
///
/// ```swift
/// struct ArtistID: RawRepresentable, RecordKey { var rawValue: Int64 }
/// ```
public protocol RecordKey: AttributeValue, Hashable, StoredKeyConvertible {}

/// The key of a record by names: a value of the key's type, or its stored form.
///
/// ```swift
/// try context.find("Artist", 7)
/// try context.find("Artist", song["artist"] ?? .null)
/// ```
public protocol StoredKeyConvertible: Sendable {
    /// The key in its stored form.
    ///
    /// - Throws: `range` for a value that cannot be stored.
    var storedKey: StoredValue { get throws }
}

extension StoredValue: StoredKeyConvertible {
    public var storedKey: StoredValue { self }
}

extension RecordKey {
    public var storedKey: StoredValue { get throws { try StoredValue(encoding: self) } }
}

extension Int64: RecordKey {}
extension Int: RecordKey {}
extension String: RecordKey {}
