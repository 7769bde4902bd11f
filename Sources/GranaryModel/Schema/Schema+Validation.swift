extension Schema {
    public static let maximumEntities = 1000
    public static let maximumAttributes = 500
    /// The greatest number of searchable attributes of an entity.
    public static let maximumSearchedAttributes = 50
    public static let maximumNameLength = 63

    /// Checks names, old names, keys, indexes, references, relationships, and that no reference gets two delete rules.
    ///
    /// - Throws: `invalidSchema` with the first error and what to do.
    public func validate() throws { try known.validating(check) }

    private func check() throws {
        guard !entities.isEmpty else {
            throw GranaryError(.invalidSchema, "The schema has no entities. Pass your record types to Schema(...).")
        }
        let notes = entities.contains { $0.name == Entity.partNotesName } ? 1 : 0
        guard entities.count - notes <= Schema.maximumEntities else {
            throw GranaryError(
                .invalidSchema, "The schema has \(entities.count) entities; the limit is \(Schema.maximumEntities).")
        }
        var names: Set<String> = []
        let links = linkOwners
        for entity in entities {
            let owners = links[entity.name.lowercased()] ?? []
            if let owner = owners.first { try Schema.checkLinkName(entity.name, of: owner) }
            try Schema.checkName(entity.name, of: "entity", entity: entity.name)
            guard names.insert(entity.name.lowercased()).inserted else {
                throw Schema.doubleEntity(entity.name, linkOwners: owners)
            }
            try validate(entity)
        }
        for entity in entities { try validateRelationships(of: entity) }
        try validateTokenizers()
        try validateRenames()
        try validateLinkPairs()
        try validateDeleteRules()
    }

    private func validate(_ entity: Entity) throws {
        func fail(_ message: String, _ attributes: [String] = []) -> GranaryError {
            GranaryError(.invalidSchema, message, entity: entity.name, attributes: attributes)
        }
        guard entity.attributes.count <= Schema.maximumAttributes else {
            throw fail(
                "\(entity.name) has \(entity.attributes.count) attributes; the limit is \(Schema.maximumAttributes).")
        }
        var names: Set<String> = []
        for attribute in entity.attributes {
            try Schema.checkName(attribute.name, of: "attribute", entity: entity.name)
            guard names.insert(attribute.name.lowercased()).inserted else {
                throw fail("Two attributes are named \(attribute.name) but for case.", [attribute.name])
            }
            if let reference = attribute.reference { try validate(reference, of: attribute, in: entity) }
            if case .scaledDecimal(let places) = attribute.type, !(0...18).contains(places) {
                throw fail("A scaled decimal has 0 to 18 places.", [attribute.name])
            }
            if attribute.isExternal, attribute.type != .data || attribute.reference != nil {
                throw fail(
                    "\(entity.name).\(attribute.name) is external, which only Data can be. Remove `.external`, or keep the value as Data.",
                    [attribute.name])
            }
            if let weight = attribute.searchWeight {
                guard attribute.type.storage == .text, attribute.reference == nil else {
                    throw fail(
                        "\(entity.name).\(attribute.name) is searchable, which only a text can be. Remove `@Searchable`, or keep the words as a text.",
                        [attribute.name])
                }
                guard weight > 0, weight <= 1_000_000 else {
                    throw fail(
                        "The weight of \(entity.name).\(attribute.name) in searches is \(weight). Give a number above 0, at most 1 000 000.",
                        [attribute.name])
                }
                if let group = attribute.searchGroup {
                    try Schema.checkName(group, of: "group", entity: entity.name)
                    guard !entity.attributes.contains(where: { $0.name.lowercased() == group.lowercased() }) else {
                        throw fail(
                            "\(entity.name) has a group of searchable attributes and an attribute that are both named \(group). Rename the group.",
                            [attribute.name])
                    }
                }
            }
            if let fault = attribute.defaultFault {
                throw fail("The default of \(attribute.name) cannot be stored. \(fault)", [attribute.name])
            }
            if let value = attribute.defaultValue, value != .null,
                !value.withCell({ ValueRule(attribute).holds($0) })
            {
                throw fail("The default of \(attribute.name) is not a \(attribute.type).", [attribute.name])
            }
        }
        try Schema.validate(entity.words, of: entity)
        guard entity.searchedPositions.count <= Schema.maximumSearchedAttributes else {
            throw fail("\(entity.name) has more than \(Schema.maximumSearchedAttributes) searchable attributes.")
        }
        guard let key = entity.attributes.first(where: { $0.name == entity.key }) else {
            throw fail("\(entity.name) has no attribute \"\(entity.key)\" to be its key. Mark one property with @Key.")
        }
        guard !key.isOptional else { throw fail("A key cannot be optional.", [key.name]) }
        guard key.type.isKeyType else {
            throw fail("A key is an Int64, Int, UUID or String, not \(key.type).", [key.name])
        }
        guard entity.keyGeneration == .explicit || key.type == .int64 else {
            throw fail("Only an Int64 or Int key can be assigned by the store.", [key.name])
        }
        if let name = entity.version {
            guard let version = entity.attributes.first(where: { $0.name == name }) else {
                throw fail("\(entity.name) has no attribute \"\(name)\" to be its version.")
            }
            guard version.type.isVersionType, !version.isOptional, version.reference == nil, name != entity.key else {
                throw fail("A version is an integer that is not optional, and not the key.", [name])
            }
        }
        for attribute in entity.attributes where attribute.stamp != nil {
            guard attribute.type == .date, attribute.isOptional else {
                throw fail(
                    "A time that the stack sets is an optional date: \(attribute.name): Date?.", [attribute.name])
            }
        }
        for index in entity.indexes {
            guard !index.attributes.isEmpty, Set(index.attributes).count == index.attributes.count else {
                throw fail("An index names each of its attributes once, and at least one.", index.attributes)
            }
            guard index.attributes.count <= 16 else {
                throw fail("An index has at most 16 attributes.", index.attributes)
            }
            let positions = try index.attributes.map { try entity.position(ofAttribute: $0) }
            if let position = positions.first(where: { entity.attributes[$0].isExternal }) {
                let name = entity.attributes[position].name
                throw fail(
                    "\(entity.name).\(name) is external, so no index can have it. Index an attribute with its size or a hash of it instead.",
                    [name])
            }
            guard index.folding.isEmpty || positions.contains(where: { entity.attributes[$0].type.storage == .text })
            else { throw fail("An index without regard to case or diacritics is for texts.", index.attributes) }
        }
        guard Set(entity.indexes).count == entity.indexes.count else { throw fail("Two indexes are the same.") }
    }

    private func validate(_ reference: Attribute.Reference, of attribute: Attribute, in entity: Entity) throws {
        if reference.isOutside { return }
        guard let target = entities.first(where: { $0.name == reference.entity }) else {
            throw GranaryError(
                .invalidSchema,
                "\(entity.name).\(attribute.name) refers to \(reference.entity), which the schema lacks. Add it to Schema(...).",
                entity: entity.name, attributes: [attribute.name])
        }
        let key = target.attributes.first { $0.name == target.key }
        guard key?.type.storage == attribute.type.storage else {
            throw GranaryError(
                .invalidSchema, "\(entity.name).\(attribute.name) is not of the type of \(target.name)'s key.",
                entity: entity.name, attributes: [attribute.name])
        }
        guard reference.onDelete != .nullify || attribute.isOptional else {
            throw GranaryError(
                .invalidSchema, "\(entity.name).\(attribute.name) is required, so a deletion cannot set it to nil.",
                entity: entity.name, attributes: [attribute.name])
        }
    }

    private static func validate(_ rules: WordRules, of entity: Entity) throws {
        func fail(_ message: String) -> GranaryError { GranaryError(.invalidSchema, message, entity: entity.name) }
        guard rules == WordRules() || !entity.searchedPositions.isEmpty else {
            throw fail(
                "\(entity.name) says how words are found, and has no searchable attribute. Declare one `@Searchable`.")
        }
        guard let name = rules.tokenizer else { return }
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F].contains(byte)
        }
        guard isName, (1...maximumNameLength).contains(name.utf8.count) else {
            throw fail(
                "The tokenizer of \(entity.name) has the name \"\(name)\". Name it with 1 to \(maximumNameLength) letters, digits, `_`, `-` and `.`."
            )
        }
        guard rules.version.map({ (0...Int(Int32.max)).contains($0) }) ?? true else {
            throw fail("The tokenizer \"\(name)\" has a version that is not from 0 to \(Int32.max).")
        }
    }

    /// Two tokenizers may not have one name.
    private func validateTokenizers() throws {
        var types: [String: ObjectIdentifier] = [:]
        for entity in entities {
            guard let name = entity.words.tokenizer, let type = entity.words.type else { continue }
            guard types.updateValue(type, forKey: name) ?? type == type else {
                throw GranaryError(
                    .invalidSchema,
                    "Two tokenizers have the name \"\(name)\", by which stores know them. Rename one of them.",
                    entity: entity.name)
            }
        }
    }

    /// A letter or `_`, then letters, digits and `_`, at most 63 bytes; names that SQLite reserves are refused.
    static func checkName(_ name: String, of what: String, entity: String) throws {
        let utf8 = Array(name.utf8)
        func isLetter(_ byte: UInt8) -> Bool {
            (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        let lower = name.lowercased()
        guard let first = utf8.first, utf8.count <= maximumNameLength, isLetter(first),
            utf8.allSatisfy({ isLetter($0) || isDigit($0) })
        else {
            throw GranaryError(
                .invalidSchema,
                "The \(what) name \"\(name)\" is not a letter or _ followed by letters, digits and _, 63 at most.",
                entity: entity)
        }
        guard !lower.hasPrefix("sqlite_"), !["rowid", "oid", "_rowid_"].contains(lower) else {
            throw GranaryError(
                .invalidSchema, "The \(what) name \"\(name)\" is reserved. Choose another.", entity: entity)
        }
    }
}

extension AttributeType {
    /// Whether the type can be a key's.
    var isKeyType: Bool { self == .int64 || self == .uuid || self == .string }
}

extension AttributeType {
    fileprivate var isVersionType: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: true
        default: false
        }
    }
}
