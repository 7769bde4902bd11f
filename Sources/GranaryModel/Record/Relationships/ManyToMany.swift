/// Declares a many-to-many relationship, on both of its sides.
///
/// ```swift
/// @Record struct Playlist {
///     @Key var id: Int64
///     static let songs = ManyToMany(Song.self, ordered: true)
/// }
/// @Record struct Song {
///     @Key var id: Int64
///     static let playlists = ManyToMany(\Playlist.Fields.songs)
/// }
/// ```
///
/// The side that names the other's type owns the links; the other side, which may be left out, names the owner's field.
/// The links are records of an entity that comes with the owner into the schema, here `Playlist_songs`:
///
/// | attribute | |
/// |---|---|
/// | `id` | the key, assigned by the store |
/// | `source` | a reference to the owner |
/// | `target` | a reference to the other side |
/// | `position` | the place among the owner's links, an `int64`; only if ordered |
///
/// Two records are linked once or not at all, also if two contexts link them. A link goes when either of its records is
/// deleted. The order is the owner's; the other side has none. Errors name the relationship and its owner, not the entity of
/// the links. `Owner_name` is an entity's name like any other: at most 63 bytes, and no other entity has it.
///
/// Of two types that each own such a relationship to the other's type, at least one declares the inverse: without, neither
/// side would show what the other has linked, and the schema is refused.
///
/// Making one costs nothing and evaluates nothing, so that two types may declare relationships to each other.
public struct ManyToMany<Root: Record, Target: Record>: Sendable {
    private let side: Side

    private enum Side: Sendable {
        case owner(isOrdered: Bool, onDelete: LinkDeleteRule, earlierNames: [String])
        /// The name of the owner's relationship, looked up when asked as in ``ToMany``.
        case inverse(@Sendable () -> String)
    }

    /// The side that owns the links.
    ///
    /// - Parameters:
    ///   - target: the records on the other side.
    ///   - ordered: whether each owner's links have an order of their own.
    ///   - onDelete: what becomes of a record's links when it is deleted. A record on the other side can always be
    ///     deleted, and its links go with it.
    ///   - renamedFrom: the names that the relationship had before, the newest first: a store that knows the links by one
    ///     of them keeps them. A reference of the record by one of them, or by the relationship's own name, becomes the
    ///     links.
    public init(
        _ target: Target.Type, ordered: Bool = false, onDelete: LinkDeleteRule = .nullify, renamedFrom: String...
    ) {
        side = .owner(isOrdered: ordered, onDelete: onDelete, earlierNames: renamedFrom)
    }

    /// The other side.
    ///
    /// - Parameter inverse: the owner's relationship.
    public init(_ inverse: any KeyPath<Target.Fields, Related<Target, Root>> & Sendable) {
        side = .inverse { Target.fields[keyPath: inverse].path }
    }

    /// What a schema is told, for ``Record/relationships``.
    ///
    /// - Parameter name: the relationship's name, that of the static property.
    public func declared(as name: String) -> DeclaredRelationship {
        let relationship = relationship(as: name)
        guard case .owner(_, let onDelete, _) = side else { return DeclaredRelationship(relationship) }
        // The entities are named, not asked for: a static property that waits for this may be making them.
        let link = Entity.link(
            relationship, from: (Root.entityName, Ref<Root>.attributeType),
            to: (Target.entityName, Ref<Target>.attributeType), onDelete: onDelete)
        return DeclaredRelationship(relationship, link: link)
    }

    /// The related records of one record, for its instance member.
    public func records(of owner: Root.Key, as name: String) -> RelatedRecords<Root, Target> {
        RelatedRecords(of: owner, relationship(as: name))
    }

    private func relationship(as name: String) -> Relationship {
        switch side {
        case .owner(let isOrdered, _, let earlierNames):
            .linked(name, of: Root.entityName, isOrdered: isOrdered).renamed(fromAll: earlierNames)
        case .inverse(let ownerName): .inverse(name, of: ownerName(), ownedBy: Target.entityName)
        }
    }
}

/// What the deletion of a record does that owns links of a many-to-many relationship.
public enum LinkDeleteRule: String, Sendable, Hashable, Codable {
    /// The links go with it; the records on the other side stay.
    case nullify
    /// The deletion throws `deniedDeletion` while there are links.
    case deny
}

extension Record {
    /// In a record's own declarations the owner need not be written: `static let songs = ManyToMany(Song.self)`.
    public typealias ManyToMany<Target: Record> = GranaryModel.ManyToMany<Self, Target>
}
