/// A value type that a store keeps.
///
/// `@Record` writes the conformance; by hand it is this much and works as well:
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
/// that `Fields` and, if you want one, a member of each record have too:
///
/// ```swift
/// static let songs = ToMany(\Song.Fields.genre)
/// static var relationships: [DeclaredRelationship] { [songs.declared(as: "songs")] }
/// var songs: RelatedRecords<Genre, Song> { Self.songs.records(of: id, as: "songs") }
/// // and in Fields
/// var songs: Related<Genre, Song> { Related("songs") }
/// ```
///
/// Positions are those of ``entity``'s attributes. A record's key never changes: ``id`` with another value is another record.
public protocol Record: Fetchable, Identifiable where Key: RecordKey, Key == ID {
    /// The attributes by name, for queries: `$0.name` is `fields.name`.
    associatedtype Fields: Sendable

    /// The entity's name. Apart from ``entity``, so that entities can name each other in a circle.
    static var entityName: String { get }
    /// What the store must know to keep such records.
    static var entity: Entity { get }
    static var fields: Fields { get }
    /// The to-many relationships: what the type's `static let songs = ToMany(...)` say. None by default.
    static var relationships: [DeclaredRelationship] { get }

    /// Whether ``init(row:)`` and ``encode(into:)`` only move values between attributes and properties, so that a record which is
    /// read and written again is the same row. Imports then write rows of numbers, booleans and texts without making records of
    /// them, if the type has no rules and no hooks either. False by default; `@Record` says it of what it writes.
    static var keepsValues: Bool { get }

    /// Which records are stale, to be deleted by `purgeStale()` of a stack; none by default. Asked anew at each purge, so that
    /// it may depend on the time: `fields.expires < Date()`.
    static var staleCondition: Condition<Self>? { get }

    /// The record's own rules, beyond what attributes and indexes say; none by default. Throw what is wrong with it:
    /// `GranaryError(.invalidRecord, "...", entity: Self.entityName, attributes: ["name"])` or an error of your own.
    ///
    /// Asked on every insert, update and upsert of a record in a transaction; in a context when it is saved, so that a
    /// draft may be incomplete. Also asked of a record whose reference becomes nil because the record that it refers to is
    /// deleted: if it refuses, nothing is deleted. Not asked for other things that are written without the type: sets of records, records by name, SQL. A save of a
    /// context also asks the records that were written by name in it, but those that hold a value that the type cannot read.
    func validate() throws

    /// The record's key.
    var id: Key { get }

    /// Reads a record from a row, by position.
    init(row: borrowing Row) throws
    /// Writes each attribute into a row, by position.
    func encode(into row: inout RowWriter) throws
    /// Reads a record from a row and puts it behind others. There is nothing to write for it: the default is compiled in
    /// the module of the record type, for that type alone, and so is faster than code of this library for any type.
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

/// A key of a record by names: a value of the key's type, or its stored form.
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
