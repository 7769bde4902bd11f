/// What a store must know to keep the records of one type: attributes, key, indexes, uniqueness.
///
/// `@Record` writes it; by hand see ``Record``.
public struct Entity: Sendable, Hashable {
    public var name: String
    /// A number that stays when the entity is renamed; 0 until a ``Schema`` gives one.
    public var id: Int
    /// In the order of the record type's declaration: the positions of a ``Row``.
    public var attributes: [Attribute]
    /// The name of the key's attribute.
    public var key: String
    public var keyGeneration: KeyGeneration
    /// The name of the attribute that counts the changes of a record; nil if none does.
    public var version: String?
    public var indexes: [Index]
    /// The to-many relationships, for queries: nothing of them is stored with the entity itself.
    public var relationships: [Relationship]
    private var earlierNames = Uncompared<[String]>([])
    private var lastNumber = Uncompared(0)

    /// The greatest number that an attribute ever had, also one that is gone. Stored, but not part of what makes entities
    /// equal.
    package var lastAttributeID: Int {
        get { max(lastNumber.value, attributes.map(\.id).max() ?? 0) }
        set { lastNumber.value = newValue }
    }

    public init(
        _ name: String, key: String, keyGeneration: KeyGeneration = .explicit, version: String? = nil,
        attributes: [Attribute], indexes: [Index] = [], relationships: [Relationship] = []
    ) {
        self.name = name
        id = 0
        self.attributes = attributes
        self.key = key
        self.keyGeneration = keyGeneration
        self.version = version
        self.indexes = indexes
        self.relationships = relationships
    }

    /// The names that the entity had before. Not stored, and not part of what makes entities equal.
    public var renamedFrom: [String] { earlierNames.value }

    /// The same entity with names that it had before, the newest first: a store that knows it by one of them keeps its
    /// records.
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

    /// The position of the version among the attributes; nil if there is none.
    public var versionPosition: Int? { version.flatMap { version in attributes.firstIndex { $0.name == version } } }

    /// The position of an attribute.
    ///
    /// - Throws: `unknownAttribute`, with a name that is near if there is one.
    public func position(ofAttribute name: String) throws -> Int {
        if let position = attributes.firstIndex(where: { $0.name.hasSameBytes(as: name) }) { return position }
        let known = attributes.map(\.name).joined(separator: ", ")
        throw GranaryError(
            .unknownAttribute, "\(self.name) has no attribute \"\(name)\". It has: \(known).", entity: self.name,
            attributes: [name])
    }

    /// The attributes, by their names in any order, of which the values tell which record is meant: the key, or those of a
    /// unique index, in its order.
    ///
    /// - Throws: `invalidQuery` if they are neither.
    package func identity(over names: [String]) throws -> [Int] {
        let given = Set(try names.map { try position(ofAttribute: $0) })
        for identity in try identities() where Set(identity) == given { return identity }
        throw GranaryError(
            .invalidQuery,
            "\(name) has no unique index over \(names.joined(separator: ", ")). Declare one, or identify records by the key.",
            entity: name, attributes: names)
    }

    /// The attributes of which the values tell which record is meant: the key's first, then those of each unique index, at
    /// last those of unique indexes that overlook case or diacritics.
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

    /// What is overlooked where records are found by an identity.
    package func folding(of identity: [Int]) -> TextFolding {
        guard identity != [keyPosition] else { return [] }
        let given = Set(identity.map { attributes[$0].name })
        let unique = indexes.filter { $0.isUnique && Set($0.attributes) == given }
        return unique.contains(where: \.folding.isEmpty) ? [] : unique.first?.folding ?? []
    }

    /// A to-many or many-to-many relationship.
    ///
    /// - Throws: `unknownAttribute`, with those there are.
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
    /// Whether the bytes are the same: `==` holds of some that differ as well.
    package func hasSameBytes(as other: String) -> Bool {
        // Quick for short names. Of the same bytes it always holds.
        guard self == other, utf8.count == other.utf8.count else { return false }
        let areSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                compareBytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right)) == 0
            }
        }
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

/// Where the keys of new records come from.
public enum KeyGeneration: String, Sendable, Hashable, Codable {
    /// From the record.
    case explicit
    /// From the store, for a record whose key is 0: one more than any key the entity ever had, never used again.
    case assigned
}

/// One attribute of an entity.
public struct Attribute: Sendable, Hashable {
    public var name: String
    /// A number that stays when the attribute is renamed; 0 until a ``Schema`` gives one.
    public var id: Int
    public var type: AttributeType
    public var isOptional: Bool
    /// What records written before the attribute existed hold in it, once it has been added to them.
    public var defaultValue: StoredValue?
    /// What the attribute refers to, if it is a to-one relationship.
    public var reference: Reference?
    /// Whether large values are kept in files of their own: see ``external(_:from:)``.
    public private(set) var isExternal = false
    /// The size in bytes from which on a value of an external attribute is kept in a file. Not part of what makes attributes
    /// equal: it is for values that are written from now on. A store keeps the size that it was made or migrated with, for
    /// programs without the record types.
    public var leastExternalSize: Int { leastSize.value }
    private var leastSize = Uncompared(Attribute.externalSize)
    /// The stored values that are others now, in the order of the old ones: see ``RenamedCases``. Of a stored attribute, those
    /// that the store has exchanged.
    public private(set) var renamedValues: [ValueRenaming] = []
    // How contexts merge it: not part of what is stored.
    private var agreement = Uncompared(false)
    private var earlierNames = Uncompared<[String]>([])
    /// Whether its Swift type takes and writes each value as it is: see ``Record/keepsValues``. Not stored, and not part of what
    /// makes attributes equal.
    package var isPlain: Bool { plain.value }
    private var plain = Uncompared(false)
    /// Why the default that was given cannot be stored: the schema is not valid then. Nil if it can.
    var defaultFault: String? { refusal.value }
    private var refusal = Uncompared<String?>(nil)
    /// How the attribute came into a store that had records of its entity; nil if it was there from the beginning. Stored,
    /// but not part of what makes attributes equal.
    package var addition: Addition? {
        get { added.value }
        set { added.value = newValue }
    }
    private var added = Uncompared<Addition?>(nil)

    /// What a store keeps of an attribute that was added to records.
    package struct Addition: Sendable, Hashable, Codable {
        /// The number of attributes that the entity had before.
        package var count: Int
        /// What the records of that time read: the default as it was then.
        package var value: StoredValue

        package init(count: Int, value: StoredValue) {
            self.count = count
            self.value = value
        }
    }

    /// An attribute as the record type's property has it: `Attribute("name", String.self)`.
    ///
    /// - Parameters:
    ///   - name: The name of the property.
    ///   - type: The type of the property.
    ///   - defaultValue: The value that a record from before the attribute gets; nil for none.
    ///   - onDelete: The delete rule of a reference. Without it a required reference denies the deletion of the record that it
    ///     names, and an optional one becomes nil.
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

    /// Whether two sides that change the attribute to the same value agree, rather than being in conflict
    /// (``MergeConflict/Kind/changedAlike``). Not stored, and not part of what makes attributes equal.
    public var isAgreeing: Bool { agreement.value }

    /// The same attribute where agreement is harmless: a fact that several writers may find out, nothing that is counted.
    public func agreeing() -> Attribute {
        var attribute = self
        attribute.agreement.value = true
        return attribute
    }

    /// The same attribute with its large values in files of the store's folder, where the store has one: an attribute of the
    /// type `Data` that no index has.
    ///
    /// A value of `size` bytes or more is a file named by its content, so that equal values are one file. Smaller ones stay in
    /// the row. Queries ask of the attribute only whether it is nil. Another size is for values that are written from then on,
    /// and is no change of the schema.
    public func external(_ isExternal: Bool = true, from size: Int = externalSize) -> Attribute {
        var attribute = self
        attribute.isExternal = isExternal
        attribute.leastSize.value = max(1, size)
        return attribute
    }

    /// The size in bytes from which on a value of an external attribute is kept in a file, unless the attribute says another.
    public static let externalSize = 16 * 1024

    /// The same attribute, of which stored values are others now. What ``RenamedCases`` does for an enum.
    public func renamingValues(_ values: [ValueRenaming]) -> Attribute {
        var attribute = self
        attribute.renamedValues = values.sorted { "\($0.old)" < "\($1.old)" }
        return attribute
    }

    /// The names that the attribute had before. Not stored, and not part of what makes attributes equal.
    public var renamedFrom: [String] { earlierNames.value }

    /// The same attribute with names that it had before, the newest first: a store that knows it by one of them keeps its
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

    /// A to-one relationship's other end.
    public struct Reference: Sendable, Hashable, Codable {
        public var entity: String
        /// What becomes of this record when the one it refers to is deleted.
        public var onDelete: DeleteRule
        private var given = Uncompared(true)

        private enum CodingKeys: String, CodingKey { case entity, onDelete }

        public init(entity: String, onDelete: DeleteRule) {
            self.entity = entity
            self.onDelete = onDelete
        }

        /// Whether the rule was chosen where the reference is declared, rather than being the default.
        var isRuleGiven: Bool {
            get { given.value }
            set { given.value = newValue }
        }
    }
}

/// What becomes of the records that refer to a deleted one.
public enum DeleteRule: String, Sendable, Hashable, Codable {
    /// The reference becomes nil. The default of an optional reference.
    case nullify
    /// They are deleted too.
    case cascade
    /// The deletion throws `deniedDeletion`. The default of a required reference.
    case deny
    /// Nothing: the reference may dangle, and is not checked on writing either.
    /// Core Data's "No Action". Called `none` where it is stored.
    case noAction = "none"
}
