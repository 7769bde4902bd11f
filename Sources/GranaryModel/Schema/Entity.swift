/// The description that a store needs to keep the records of one type: attributes, key, indexes, uniqueness.
///
/// `@Record` writes it; by hand see ``Record``.
public struct Entity: Sendable, Hashable {
    public var name: String
    /// A number that stays the same when the entity is renamed; 0 until a ``Schema`` assigns one.
    public var id: Int
    /// The attributes in the order of the record type's declaration: the positions of a ``Row``.
    public var attributes: [Attribute]
    /// The name of the key's attribute.
    public var key: String
    public var keyGeneration: KeyGeneration
    /// The name of the attribute that counts the changes of a record; nil if the entity has none.
    public var version: String?
    public var indexes: [Index]
    /// The to-many relationships, for queries: nothing of them is stored with the entity itself.
    public var relationships: [Relationship]
    /// How the words of the searchable attributes are found.
    public var words = WordRules()
    private var earlierNames = Uncompared<[String]>([])
    private var lastNumber = Uncompared(0)

    /// The greatest number that an attribute ever had, including removed ones. Stored, but ignored when entities are
    /// compared.
    package var lastAttributeID: Int {
        get { max(lastNumber.value, attributes.map(\.id).max() ?? 0) }
        set { lastNumber.value = newValue }
    }

    public init(
        _ name: String, key: String, keyGeneration: KeyGeneration = .explicit, version: String? = nil,
        attributes: [Attribute], indexes: [Index] = [], relationships: [Relationship] = [],
        words: WordRules = WordRules()
    ) {
        self.name = name
        id = 0
        self.attributes = attributes
        self.key = key
        self.keyGeneration = keyGeneration
        self.version = version
        self.indexes = indexes
        self.relationships = relationships
        self.words = words
    }

    /// The name of the entity that a part of a stack has beside its records.
    package static let partNotesName = "GranaryPartNote"

    /// The earlier names of the entity. Not stored, and ignored when entities are compared.
    public var renamedFrom: [String] { earlierNames.value }

    /// The same entity with earlier names, the newest first: a store with an entity of such a name keeps its records.
    public func renamed(from names: String...) -> Entity {
        renamed(fromAll: names)
    }

    package func renamed(fromAll names: [String]) -> Entity {
        var entity = self
        entity.earlierNames.value = names
        return entity
    }

    /// The position of the key among the attributes. Valid in a validated schema.
    public var keyPosition: Int { attributes.firstIndex { $0.name == key } ?? 0 }

    /// The positions of the attributes whose words are searched, in the order of the attributes' numbers, which is the
    /// same for every program that opens a store.
    package var searchedPositions: [Int] {
        attributes.indices.filter { attributes[$0].searchWeight != nil }
            .sorted { (attributes[$0].id, $0) < (attributes[$1].id, $1) }
    }

    /// The indexes, among ``searchedPositions``, of the searchable attribute with a name or of those in a group with the
    /// name.
    ///
    /// - Throws: `invalidQuery` for an attribute that is not searchable, `unknownAttribute`.
    package func searchedTexts(named name: String) throws -> [Int] {
        let searched = searchedPositions.map { attributes[$0] }
        let group = searched.indices.filter { searched[$0].searchGroup?.hasSameBytes(as: name) ?? false }
        if !group.isEmpty { return group }
        let position = try position(ofAttribute: name)
        if let text = searchedPositions.firstIndex(of: position) { return [text] }
        throw GranaryError(
            .invalidQuery,
            "\(self.name).\(name) is not searchable. Declare it `@Searchable`, or search in: \(searched.map(\.name).joined(separator: ", ")).",
            about: self, [name])
    }

    /// The position of the version among the attributes; nil if the entity has none.
    public var versionPosition: Int? { version.flatMap { version in attributes.firstIndex { $0.name == version } } }

    /// The position of an attribute.
    ///
    /// - Throws: `unknownAttribute`, with a similar name if there is one.
    public func position(ofAttribute name: String) throws -> Int {
        if let position = attributes.firstIndex(where: { $0.name.hasSameBytes(as: name) }) { return position }
        let known = attributes.map(\.name).joined(separator: ", ")
        throw GranaryError(
            .unknownAttribute, "\(self.name) has no attribute \"\(name)\". It has: \(known).", entity: self.name,
            attributes: [name])
    }

    /// The positions of attributes that identify a record, given by their names in any order: the key, or the
    /// attributes of a unique index, in its order.
    ///
    /// - Throws: `invalidQuery` for any other attributes.
    package func identity(over names: [String]) throws -> [Int] {
        let given = Set(try names.map { try position(ofAttribute: $0) })
        for identity in try identities() where Set(identity) == given { return identity }
        throw GranaryError(
            .invalidQuery,
            "\(name) has no unique index over \(names.joined(separator: ", ")). Declare one, or identify records by the key.",
            entity: name, attributes: names)
    }

    /// The lists of attributes that identify a record: the key first, then those of each unique index, and last those
    /// of unique indexes that ignore case or diacritics.
    package func identities() throws -> [[Int]] {
        let unique = indexes.filter(\.isUnique)
        let exact = unique.filter(\.folding.isEmpty).map(\.attributes)
        let folded = unique.filter { !$0.folding.isEmpty }.map(\.attributes)
        var identities: [[Int]] = []
        for names in [[key]] + exact + folded {
            let identity = try names.map { try position(ofAttribute: $0) }
            if !identities.contains(where: { Set($0) == Set(identity) }) { identities.append(identity) }
        }
        return identities
    }

    /// The folding with which records are found by an identity.
    package func folding(of identity: [Int]) -> TextFolding {
        guard identity != [keyPosition] else { return [] }
        let given = Set(identity.map { attributes[$0].name })
        let unique = indexes.filter { $0.isUnique && Set($0.attributes) == given }
        return unique.contains(where: \.folding.isEmpty) ? [] : unique.first?.folding ?? []
    }

    /// A to-many or many-to-many relationship.
    ///
    /// - Throws: `unknownAttribute`, with the list of relationships.
    package func relationship(named name: String) throws -> Relationship {
        if let found = relationships.first(where: { $0.name == name }) { return found }
        let known = relationships.map(\.name).joined(separator: ", ")
        throw GranaryError(
            .unknownAttribute,
            "\(self.name) has no to-many relationship \"\(name)\". It has: \(known.isEmpty ? "none" : known).",
            entity: self.name, attributes: [name])
    }
}

extension String {
    /// Whether the bytes are the same. `==` is also true for some texts with different bytes.
    package func hasSameBytes(as other: String) -> Bool {
        // A quick check for short names. It is always true for the same bytes.
        guard self == other, utf8.count == other.utf8.count else { return false }
        let areSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                compareBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) == 0
            }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

/// The source of keys for new records.
public enum KeyGeneration: String, Sendable, Hashable, Codable {
    /// The record has its key.
    case explicit
    /// The store assigns a key if it is 0: one more than any key the entity ever had, never used again.
    case assigned
}

/// One attribute of an entity.
public struct Attribute: Sendable, Hashable {
    public var name: String
    /// A number that stays the same when the attribute is renamed; 0 until a ``Schema`` assigns one.
    public var id: Int
    public var type: AttributeType
    public var isOptional: Bool
    /// The value in records that were written before the attribute was added.
    public var defaultValue: StoredValue?
    /// The target, if the attribute is a to-one relationship.
    public var reference: Reference?
    /// Whether large values are kept in files of their own: see ``external(_:from:)``.
    public private(set) var isExternal = false
    /// The least size in bytes of a value of an external attribute that is kept in a file. Ignored when attributes are
    /// compared: it applies to values that are written from now on. A store remembers the size that it was made or
    /// migrated with, for programs without the record types.
    public var leastExternalSize: Int { leastSize.value }
    private var leastSize = Uncompared(Attribute.externalSize)
    /// The renamed stored values, in the order of the old ones: see ``RenamedCases``. In a stored attribute, the
    /// renamings that the store has done.
    public private(set) var renamedValues: [ValueRenaming] = []
    /// How much its words count in a search; nil if its words are not searched: see ``searchable(_:weight:)``.
    public private(set) var searchWeight: Double?
    /// The group of searchable attributes that it belongs to; nil for none: see ``searchable(_:weight:)``.
    public private(set) var searchGroup: String?
    // How contexts merge it. Not stored.
    private var agreement = Uncompared(false)
    private var givenStamp = Uncompared<Stamp?>(nil)
    private var earlierNames = Uncompared<[String]>([])
    /// Whether its Swift type reads and writes each value unchanged: see ``Record/keepsValues``. Not stored, and
    /// ignored when attributes are compared.
    package var isPlain: Bool { plain.value }
    private var plain = Uncompared(false)
    /// Why the given default cannot be stored, which makes the schema invalid; nil if it can.
    var defaultFault: String? { refusal.value }
    private var refusal = Uncompared<String?>(nil)
    /// How the attribute was added to a store that had records of its entity; nil if it was there from the beginning.
    /// Stored, but ignored when attributes are compared.
    package var addition: Addition? {
        get { added.value }
        set { added.value = newValue }
    }
    private var added = Uncompared<Addition?>(nil)

    /// A store's information about an attribute that was added to existing records.
    package struct Addition: Sendable, Hashable, Codable {
        /// The number of attributes that the entity had before.
        package var count: Int
        /// The value that the records of that time read: the default when the attribute was added.
        package var value: StoredValue

        package init(count: Int, value: StoredValue) {
            self.count = count
            self.value = value
        }
    }

    /// The attribute of a property: `Attribute("name", String.self)`.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - defaultValue: The value for records that were stored before the attribute existed; nil for none.
    ///   - onDelete: The delete rule of a reference. By default a required reference denies the deletion of its record,
    ///     and an optional one becomes nil.
    public init<Value: AttributeValue>(
        _ name: String, _ type: Value.Type, default defaultValue: Value? = nil, onDelete: DeleteRule? = nil
    ) {
        let given = Result { try defaultValue.map { try StoredValue(encoding: $0) } }
        let rule = onDelete ?? (Value.isOptional ? .nullify : .deny)
        self.init(
            name, Value.attributeType, isOptional: Value.isOptional, defaultValue: try? given.get(),
            reference: Value.referencedEntity.map { Reference(entity: $0, onDelete: rule) })
        self = renamingValues(Value.renamedValues)
        reference?.isRuleGiven = onDelete != nil
        plain.value = Value.Unwrapped.self is any PlainAttributeValue.Type
        if case .failure(let error) = given { refusal.value = (error as? GranaryError)?.message ?? "\(error)" }
    }

    /// Whether two sides that change the attribute to the same value agree, instead of being in conflict
    /// (``MergeConflict/Kind/changedAlike``). Not stored, and ignored when attributes are compared.
    public var isAgreeing: Bool { agreement.value }

    /// The same attribute for which agreement is harmless: for facts that several writers may find out, not for
    /// counters.
    public func agreeing() -> Attribute {
        var attribute = self
        attribute.agreement.value = true
        return attribute
    }

    /// What the time in the attribute tells, if a stack sets it. Not stored, and ignored when attributes are compared.
    public var stamp: Stamp? { givenStamp.value }

    /// What a time tells that a stack sets itself, by its clock.
    public enum Stamp: Sendable, Hashable {
        /// When the record was inserted.
        case created
        /// When the record was inserted or last changed.
        case updated
    }

    /// The same attribute, set by the stack at the end of a write: for an optional date.
    public func stamped(_ stamp: Stamp) -> Attribute {
        var attribute = self
        attribute.givenStamp.value = stamp
        return attribute
    }

    /// The same attribute with its large values in files of the store's folder, if the store has one: for an attribute
    /// of the type `Data` without an index.
    ///
    /// A value of `size` bytes or more is a file named by its content, so equal values share one file. Smaller values
    /// stay in the row. Queries can only test whether the attribute is nil. Another size applies to values that are
    /// written from then on, and is not a change of the schema.
    public func external(_ isExternal: Bool = true, from size: Int = externalSize) -> Attribute {
        var attribute = self
        attribute.isExternal = isExternal
        attribute.leastSize.value = max(1, size)
        return attribute
    }

    /// The same attribute with words that ``SearchText`` finds: for a text, a URL, or JSON, whose strings are searched.
    ///
    /// - Parameters:
    ///   - group: The name of a group of attributes that can be searched together, with ``SearchText/in(_:)``; no
    ///     attribute of the entity may have the name.
    ///   - weight: How much a word in it counts for the rank, beside 1 for other attributes: more than 0, and at most
    ///     1 000 000. Nil for an attribute whose words are not searched.
    public func searchable(_ group: String? = nil, weight: Double? = 1) -> Attribute {
        var attribute = self
        attribute.searchWeight = weight
        attribute.searchGroup = weight == nil ? nil : group
        return attribute
    }

    /// The default least size in bytes of a value of an external attribute that is kept in a file.
    public static let externalSize = 16 * 1024

    /// The same attribute with renamed stored values. ``RenamedCases`` does this for an enum.
    public func renamingValues(_ values: [ValueRenaming]) -> Attribute {
        var attribute = self
        attribute.renamedValues = values.sorted { "\($0.old)" < "\($1.old)" }
        return attribute
    }

    /// The earlier names of the attribute. Not stored, and ignored when attributes are compared.
    public var renamedFrom: [String] { earlierNames.value }

    /// The same attribute with earlier names, the newest first: a store with an attribute of such a name keeps its
    /// values.
    public func renamed(from names: String...) -> Attribute { renamed(fromAll: names) }

    func renamed(fromAll names: [String]) -> Attribute {
        var attribute = self
        attribute.earlierNames.value = names
        return attribute
    }

    /// An attribute without a Swift type.
    public init(
        _ name: String, _ type: AttributeType, isOptional: Bool = false, defaultValue: StoredValue? = nil,
        reference: Reference? = nil
    ) {
        self.name = name
        id = 0
        self.type = type
        self.isOptional = isOptional
        self.defaultValue = defaultValue
        self.reference = reference
    }

    /// The target of a to-one relationship.
    public struct Reference: Sendable, Hashable, Codable {
        public var entity: String
        /// What happens to this record when the record that it refers to is deleted.
        public var onDelete: DeleteRule
        private var given = Uncompared(true)
        /// Whether the entity is in another part of the stack, whose store has the records: then this store does not
        /// check the reference. A stack over several parts does.
        public package(set) var isOutside = false
        /// The earlier names of an entity in another part. Not stored.
        var earlierNames: [String] {
            get { earlier.value }
            set { earlier.value = newValue }
        }
        private var earlier = Uncompared<[String]>([])

        private enum CodingKeys: String, CodingKey {
            case entity, onDelete
            case isOutside = "outside"
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.init(
                entity: try container.decode(String.self, forKey: .entity),
                onDelete: try container.decode(DeleteRule.self, forKey: .onDelete))
            isOutside = try container.decodeIfPresent(Bool.self, forKey: .isOutside) ?? false
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(entity, forKey: .entity)
            try container.encode(onDelete, forKey: .onDelete)
            if isOutside { try container.encode(true, forKey: .isOutside) }
        }

        public init(entity: String, onDelete: DeleteRule) {
            self.entity = entity
            self.onDelete = onDelete
        }

        /// Whether the rule is given in the declaration of the reference, and is not the default.
        var isRuleGiven: Bool {
            get { given.value }
            set { given.value = newValue }
        }
    }
}

/// What happens to the records that refer to a deleted record.
public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// The reference becomes nil. The default of an optional reference.
    case nullify
    /// The records are deleted too.
    case cascade
    /// The deletion throws `deniedDeletion`. The default of a required reference.
    case deny
    /// Nothing happens: the reference may dangle, and is not checked on writing either. Core Data's "No Action". It is
    /// stored as `none`.
    case noAction = "none"
}
