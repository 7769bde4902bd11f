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
/// | `position` | the place among the owner's links, an `int64`; only if ordered. Only the order of these numbers means something: between them are gaps |
///
/// Two records are linked once or not at all, even if two contexts link them. A link is deleted with either of its
/// records. The order belongs to the owner; the other side has none. Errors name the relationship and its owner, not
/// the entity of the links. The name `Owner_name` follows the rules of entity names: at most 63 bytes, and no other
/// entity has it.
///
/// If two types each own such a relationship to the other's type, at least one of them must declare the inverse.
/// Otherwise neither side would show the other's links, and the schema is refused.
///
/// Making the value costs nothing and evaluates nothing, so two types may declare relationships to each other.
public struct ManyToMany<Root: Record, Target: Record>: Sendable {
    private let side: Side

    private enum Side: Sendable {
        case owner(isOrdered: Bool, onDelete: LinkDeleteRule, earlierNames: [String])
        /// The name of the owner's relationship, looked up when needed as in ``ToMany``.
        case inverse(@Sendable () -> String)
    }

    /// The side that owns the links.
    ///
    /// - Parameters:
    ///   - target: the records on the other side.
    ///   - ordered: whether each owner's links have an order of their own.
    ///   - onDelete: what happens to a record's links when it is deleted. A record on the other side can always be
    ///     deleted, together with its links.
    ///   - renamedFrom: earlier names of the relationship, the newest first: a store keeps links under such a name. A
    ///     reference of the record with such a name, or with the relationship's own name, becomes the links.
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

    /// The declaration for ``Record/relationships``.
    ///
    /// - Parameter name: the relationship's name, the same as the static property's.
    public func declared(as name: String) -> DeclaredRelationship {
        let relationship = relationship(as: name)
        guard case .owner(_, let onDelete, _) = side else { return DeclaredRelationship(relationship) }
        // The entities are only named here, not read: a static property that waits for this one may be making them.
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

/// What happens when a record that owns links of a many-to-many relationship is deleted.
public enum LinkDeleteRule: String, Sendable, Hashable, Codable {
    /// Its links are deleted; the records on the other side stay.
    case nullify
    /// The deletion throws `deniedDeletion` while links exist.
    case deny
}

extension Record {
    /// In a record's own declarations the owner type can be left out: `static let songs = ManyToMany(Song.self)`.
    public typealias ManyToMany<Target: Record> = GranaryModel.ManyToMany<Self, Target>
}
