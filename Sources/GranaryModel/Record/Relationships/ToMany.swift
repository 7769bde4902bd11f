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
/// Nothing is stored for it: an artist's songs are the songs whose `artist` names it, so the two sides always agree.
/// In a query `$0.songs` is a ``Related``, and `artist.songs` is a ``RelatedRecords``.
///
/// The order is that of an attribute of the related records, with ties by key. If it is a number, adding and moving
/// records in the relationship writes their places into it: do not use it for anything else. Another type, such as a
/// title or a date, is only read, and records cannot be moved.
///
/// Making the value costs nothing and evaluates nothing, so two types may declare relationships to each other.
public struct ToMany<Root: Record, Target: Record>: Sendable {
    // The key path is looked up when needed, never here: static properties of two types that wait for each other's
    // first value would wait for ever.
    private let attribute: @Sendable () -> String
    private let order: (@Sendable () -> String)?
    private let onDelete: DeleteRule?

    /// The records whose required reference names this one.
    ///
    /// - Parameters:
    ///   - inverse: the other record's reference to this one.
    ///   - onDelete: what happens to them when this one is deleted, instead of the reference's default rule. If nil,
    ///     the reference decides. If the reference itself is given another rule, the schema is invalid.
    ///     ``DeleteRule/nullify`` is for optional references only.
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

    /// The declaration for ``Record/relationships``.
    ///
    /// - Parameter name: the relationship's name, the same as the static property's.
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
