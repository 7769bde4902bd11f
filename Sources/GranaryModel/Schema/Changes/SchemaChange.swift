/// One difference between the schema of a store and the schema of a program.
///
/// | change | cost | effect on existing records |
/// |---|---|---|
/// | entity or many-to-many relationship added, renamed | instant | nothing |
/// | entity or many-to-many relationship removed | lossy | the records, or the links, are deleted |
/// | attribute added, optional or with a default | instant | they read nil or the default |
/// | attribute added, required without a default | rewriting | each record needs a value |
/// | attribute renamed | instant | nothing |
/// | attribute removed | lossy | its values are deleted |
/// | type changed to one that holds every value of the old type | rewriting | each value is converted |
/// | type changed otherwise | lossy | the first value that the new type cannot hold throws `range` |
/// | required attribute made optional | instant | nothing |
/// | optional attribute made required | rewriting | each nil needs a value |
/// | default changed | instant | nothing: values that were read from the old default stay |
/// | key, key generation | rewriting | keys and references to them are converted, or checked |
/// | version attribute chosen, changed, or given up | instant | nothing |
/// | index added, removed, made unique or not, given another folding | instant | they are indexed; uniqueness is checked |
/// | large values moved to files of their own, or back | rewriting | each value is written where it belongs |
/// | attribute searchable, no longer searchable, of another weight, in another group; words found by other rules | instant | nothing |
/// | stored values renamed | rewriting | each renamed value is replaced |
/// | renamings of values removed | instant | nothing |
/// | reference made a plain attribute | instant | nothing |
/// | attribute made a reference | rewriting | each value is checked |
/// | target of a reference changed | lossy | each value is checked, and may name another record than before |
/// | delete rule changed | instant | nothing |
/// | delete rule changed from `noAction` | rewriting | each reference is checked |
/// | links ordered | rewriting | each link gets a place, in the order in which they were made |
/// | links no longer ordered, target of links changed | lossy | the order, or the links, are deleted |
/// | reference made a many-to-many relationship | rewriting | each reference becomes a link |
/// | many-to-many relationship made a reference | lossy | a record with several links cannot keep them |
/// | to-many relationship declared, changed, removed, without its reference | instant | nothing: related records are found by the reference |
///
/// The links of a many-to-many relationship are an entity that no program declares. Its changes are reported as changes
/// of the relationship.
public enum SchemaChange: Sendable, Hashable, Codable {
    case entityAdded(String)
    case entityRemoved(String)
    case entityRenamed(String, from: String)
    case keyChanged(entity: String, from: String, to: String)
    case keyGenerationChanged(entity: String, from: KeyGeneration, to: KeyGeneration)
    /// Nil means that no attribute counts the changes of a record.
    case versionChanged(entity: String, from: String?, to: String?)

    case attributeAdded(entity: String, Attribute)
    case attributeRemoved(entity: String, Attribute)
    case attributeRenamed(entity: String, attribute: String, from: String)
    case typeChanged(entity: String, attribute: String, from: AttributeType, to: AttributeType)
    case optionalityChanged(entity: String, attribute: String, isOptional: Bool)
    /// Nil means that there is no default.
    case defaultChanged(entity: String, attribute: String, from: StoredValue?, to: StoredValue?)
    /// Whether large values are kept in files of their own: ``Attribute/external(_:from:)``.
    case externalChanged(entity: String, attribute: String, isExternal: Bool)
    /// How much the words of an attribute count in searches; nil if they are no longer searched:
    /// ``Attribute/searchable(_:weight:)``.
    case searchChanged(entity: String, attribute: String, weight: Double?)
    /// The group of a searchable attribute; nil if it is no longer in one.
    case searchGroupChanged(entity: String, attribute: String, group: String?)
    /// How the words of an entity are found. An index of words is made anew when the store is opened for writing.
    case wordRulesChanged(entity: String, from: WordRules, to: WordRules)
    /// The renamings that the store has done, and those that the program declares: ``RenamedCases``.
    case valuesRenamed(entity: String, attribute: String, from: [ValueRenaming], to: [ValueRenaming])
    case referenceAdded(entity: String, attribute: String, target: String)
    case referenceRemoved(entity: String, attribute: String, target: String)
    case targetChanged(entity: String, attribute: String, from: String, to: String)
    case deleteRuleChanged(entity: String, attribute: String, from: DeleteRule, to: DeleteRule)

    case indexAdded(entity: String, Index)
    case indexRemoved(entity: String, Index)
    /// The index as the program declares it.
    case uniquenessChanged(entity: String, Index)
    case foldingChanged(entity: String, from: Index, to: Index)

    case relationshipAdded(entity: String, relationship: String)
    case relationshipRemoved(entity: String, relationship: String)
    case relationshipRenamed(entity: String, relationship: String, from: String)
    case relationshipTargetChanged(entity: String, relationship: String, from: String, to: String)
    case relationshipOrderChanged(entity: String, relationship: String, isOrdered: Bool)
    case relationshipRuleChanged(entity: String, relationship: String, from: DeleteRule, to: DeleteRule)
    /// A reference, `from`, becomes a many-to-many relationship with the same name, or with `from` as an earlier name.
    case referenceBecameLinks(entity: String, relationship: String, from: String)
    /// A many-to-many relationship, `from`, becomes a reference with the same name, or with `from` as an earlier name.
    case linksBecameReference(entity: String, attribute: String, from: String)
    /// A to-many relationship over a reference, or over the links of the other side, that both schemas have. Nil means
    /// that it is not declared. No policy refuses the change, because no stored data depends on it. The stored schema
    /// takes it over when the store is next opened for writing, unless the policy is ``MigrationPolicy/refuse``.
    case relationshipDeclarationChanged(entity: String, from: Relationship?, to: Relationship?)

    /// The cost of a change, in ascending order.
    public enum Cost: String, Sendable, Hashable, Codable, Comparable, CaseIterable {
        /// No record is written. An added index is built, in time that grows with the number of records.
        case instant
        /// Every record of the entity is read, and written if it must change.
        case rewriting
        /// Stored data is lost, or may be lost.
        case lossy

        public static func < (left: Cost, right: Cost) -> Bool { left.rank < right.rank }
        private var rank: Int { Cost.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The cost of the change: see the table of ``SchemaChange``.
    public var cost: Cost {
        switch self {
        case .entityRemoved, .attributeRemoved, .relationshipRemoved, .relationshipTargetChanged, .targetChanged,
            .linksBecameReference:
            .lossy
        case .keyChanged, .keyGenerationChanged, .externalChanged, .referenceAdded, .referenceBecameLinks:
            .rewriting
        case .attributeAdded(_, let attribute): attribute.canBeAbsent ? .instant : .rewriting
        case .valuesRenamed(_, _, let old, let new): Set(new).isSubset(of: old) ? .instant : .rewriting
        case .typeChanged(_, _, let old, let new): new.holdsEvery(old) ? .rewriting : .lossy
        case .optionalityChanged(_, _, let isOptional): isOptional ? .instant : .rewriting
        case .deleteRuleChanged(_, _, let old, let new), .relationshipRuleChanged(_, _, let old, let new):
            old == .noAction && new != .noAction ? .rewriting : .instant
        case .relationshipOrderChanged(_, _, let isOrdered): isOrdered ? .rewriting : .lossy
        case .entityAdded, .entityRenamed, .versionChanged, .attributeRenamed, .defaultChanged, .referenceRemoved,
            .indexAdded, .indexRemoved, .uniquenessChanged, .foldingChanged, .relationshipAdded, .relationshipRenamed,
            .relationshipDeclarationChanged, .searchChanged, .searchGroupChanged, .wordRulesChanged:
            .instant
        }
    }

    /// The changed entity, by the program's name if it has one.
    public var entity: String {
        switch self {
        case .entityAdded(let name), .entityRemoved(let name), .entityRenamed(let name, _): name
        case .keyChanged(let entity, _, _), .keyGenerationChanged(let entity, _, _), .versionChanged(let entity, _, _),
            .attributeAdded(let entity, _), .attributeRemoved(let entity, _), .attributeRenamed(let entity, _, _),
            .typeChanged(let entity, _, _, _), .optionalityChanged(let entity, _, _),
            .defaultChanged(let entity, _, _, _), .externalChanged(let entity, _, _),
            .searchChanged(let entity, _, _), .searchGroupChanged(let entity, _, _),
            .wordRulesChanged(let entity, _, _), .valuesRenamed(let entity, _, _, _),
            .referenceAdded(let entity, _, _),
            .referenceRemoved(let entity, _, _), .targetChanged(let entity, _, _, _),
            .deleteRuleChanged(let entity, _, _, _), .indexAdded(let entity, _), .indexRemoved(let entity, _),
            .uniquenessChanged(let entity, _), .foldingChanged(let entity, _, _), .relationshipAdded(let entity, _),
            .relationshipRemoved(let entity, _), .relationshipRenamed(let entity, _, _),
            .relationshipTargetChanged(let entity, _, _, _), .relationshipOrderChanged(let entity, _, _),
            .relationshipRuleChanged(let entity, _, _, _), .referenceBecameLinks(let entity, _, _),
            .linksBecameReference(let entity, _, _), .relationshipDeclarationChanged(let entity, _, _):
            entity
        }
    }
}

extension Attribute {
    /// Whether records without the attribute can read a value: nil, or a default that needs no check.
    fileprivate var canBeAbsent: Bool {
        guard let defaultValue, defaultValue != .null else { return isOptional }
        return reference == nil
    }
}
