/// Declares a to-many relationship: the records of another type, or of the same one, that refer to this one.
///
/// ```swift
/// @Record struct Artist {
///     @Key var id: Int64
///     static let songs = ToMany(\Song.Fields.artist, onDelete: .cascade)
///     static let albums = ToMany(\Album.Fields.artist, orderedBy: \.place)
/// }
/// @Record struct Song {
///     @Key var id: Int64
///     var artist: Ref<Artist>?
/// }
/// ```
///
/// Nothing is stored for it: an artist's songs are those whose `artist` names it, so that the two sides always agree.
/// In a query `$0.songs` is a ``Related``, and `artist.songs` is a ``RelatedRecords``.
///
/// The order is that of an attribute of the related records, ties by key. If it is a number, adding and moving records in
/// the relationship writes their places into it: give it no other meaning. Anything else, a title or a date, is only
/// read, and records cannot be moved.
///
/// Making one costs nothing and evaluates nothing, so that two types may declare relationships to each other.
public struct ToMany<Root: Record, Target: Record>: Sendable {
    // A key path is looked up when asked, never here: static properties of two types that wait for each other's first
    // value would wait for ever.
    private let attribute: @Sendable () -> String
    private let order: (@Sendable () -> String)?
    private let onDelete: DeleteRule?

    /// The records whose required reference names this one.
    ///
    /// - Parameters:
    ///   - inverse: the other record's reference to this one.
    ///   - onDelete: what becomes of them when this one is deleted, in place of the reference's default; as the
    ///     reference says, if nil. A reference that is given another rule itself makes the schema invalid.
    ///     ``DeleteRule/nullify`` is for optional references alone.
    public init(
        _ inverse: any KeyPath<Target.Fields, Field<Target, Ref<Root>>> & Sendable, onDelete: DeleteRule? = nil
    ) {
        self.init(attribute: { Target.fields[keyPath: inverse].attributePath }, onDelete: onDelete)
    }

    /// The records whose optional reference names this one.
    public init(
        _ inverse: any KeyPath<Target.Fields, Field<Target, Ref<Root>?>> & Sendable, onDelete: DeleteRule? = nil
    ) {
        self.init(attribute: { Target.fields[keyPath: inverse].attributePath }, onDelete: onDelete)
    }

    /// The records whose required reference names this one, in the order of one of their attributes.
    public init<Value>(
        _ inverse: any KeyPath<Target.Fields, Field<Target, Ref<Root>>> & Sendable, onDelete: DeleteRule? = nil,
        orderedBy order: any KeyPath<Target.Fields, Field<Target, Value>> & Sendable
    ) {
        self.init(
            attribute: { Target.fields[keyPath: inverse].attributePath }, onDelete: onDelete,
            order: { Target.fields[keyPath: order].attributePath })
    }

    /// The records whose optional reference names this one, in the order of one of their attributes.
    public init<Value>(
        _ inverse: any KeyPath<Target.Fields, Field<Target, Ref<Root>?>> & Sendable, onDelete: DeleteRule? = nil,
        orderedBy order: any KeyPath<Target.Fields, Field<Target, Value>> & Sendable
    ) {
        self.init(
            attribute: { Target.fields[keyPath: inverse].attributePath }, onDelete: onDelete,
            order: { Target.fields[keyPath: order].attributePath })
    }

    private init(
        attribute: @escaping @Sendable () -> String, onDelete: DeleteRule?, order: (@Sendable () -> String)? = nil
    ) {
        self.attribute = attribute
        self.onDelete = onDelete
        self.order = order
    }

    /// What a schema is told, for ``Record/relationships``.
    ///
    /// - Parameter name: the relationship's name, that of the static property.
    public func declared(as name: String) -> DeclaredRelationship {
        DeclaredRelationship(relationship(as: name), onDelete: onDelete)
    }

    /// The related records of one record, for its instance member.
    public func records(of owner: Root.Key, as name: String) -> RelatedRecords<Root, Target> {
        RelatedRecords(of: owner, relationship(as: name))
    }

    private func relationship(as name: String) -> Relationship {
        Relationship(name, entity: Target.entityName, attribute: attribute(), orderedBy: order?())
    }
}
