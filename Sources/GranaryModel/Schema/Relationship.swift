/// A to-many relationship of an entity: the records of another entity that refer to its records.
///
/// A many-to-many relationship goes through a link entity. Each record of that entity refers to one record on either
/// side. Nothing is stored twice, so the two directions always agree.
public struct Relationship: Sendable, Hashable {
    public var name: String
    /// The entity whose records refer to the owner: the related entity, or the link entity.
    public var entity: String
    /// Its attribute that refers to the owner.
    public var attribute: String
    /// The link entity's attribute that refers to the other side; nil unless the relationship is many-to-many.
    public var through: String?
    /// An attribute of ``entity`` that holds the order; nil for a relationship without one.
    public var orderedBy: String?
    private var earlierNames = Uncompared<[String]>([])

    public init(
        _ name: String, entity: String, attribute: String, through: String? = nil, orderedBy: String? = nil
    ) {
        self.name = name
        self.entity = entity
        self.attribute = attribute
        self.through = through
        self.orderedBy = orderedBy
    }

    /// The earlier names of the relationship. Not stored, and ignored when relationships are compared.
    public var renamedFrom: [String] { earlierNames.value }

    /// The same relationship with earlier names, the newest first: a store keeps the links of a many-to-many
    /// relationship under such a name, and a reference with such a name becomes the links. For other relationships
    /// nothing is stored under their names.
    public func renamed(from names: String...) -> Relationship {
        renamed(fromAll: names)
    }

    func renamed(fromAll names: [String]) -> Relationship {
        var relationship = self
        relationship.earlierNames.value = names
        return relationship
    }
}
