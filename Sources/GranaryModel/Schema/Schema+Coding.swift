import GranaryPlatform
import GranaryText

extension Schema: Codable {
    private enum CodingKeys: String, CodingKey { case format, entities, appliedSteps, lastID, seed }

    /// The newest format of the JSON that is known here. The first format has no number. The second one has rules of
    /// words, without which searches would be answered wrong.
    private static let format = 2

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let format = try container.decodeIfPresent(Int.self, forKey: .format), format > Schema.format {
            throw GranaryError(
                .newerFormat,
                "The schema has format \(format); this version of Granary reads up to \(Schema.format). Use a newer version."
            )
        }
        self.init(entities: try container.decode([Entity].self, forKey: .entities))
        appliedSteps = try container.decodeIfPresent([AppliedStep].self, forKey: .appliedSteps) ?? []
        lastEntityID = try container.decodeIfPresent(Int.self, forKey: .lastID) ?? 0
        seed = try container.decodeIfPresent(SeedIdentity.self, forKey: .seed)
    }

    /// Members that have their default value are left out.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if entities.contains(where: { $0.words != WordRules() }) { try container.encode(2, forKey: .format) }
        try container.encode(entities, forKey: .entities)
        if !appliedSteps.isEmpty { try container.encode(appliedSteps, forKey: .appliedSteps) }
        if lastEntityID > entities.map(\.id).max() ?? 0 { try container.encode(lastEntityID, forKey: .lastID) }
        try container.encodeIfPresent(seed, forKey: .seed)
    }

    /// The schema as JSON with sorted keys, in the form that a store keeps. It does not contain `renamedFrom`.
    public func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(withoutEarlierNames))
        } catch {
            throw GranaryError(.invalidSchema, "The schema cannot be encoded: \(type(of: error)).")
        }
    }

    /// A schema from its JSON. An entity, an attribute and a relationship may also have `renamedFrom`, a list of
    /// earlier names: a store that is migrated to the schema keeps data under such a name.
    ///
    /// - Throws: `corrupt` if it is not a schema, `newerFormat` if it contains an unknown attribute type.
    public init(json: [UInt8]) throws {
        self = try Schema.decoded.value(json, Schema.decode)
    }

    private static let decoded = RecentlyDecoded<Schema>()

    private static func decode(_ json: [UInt8]) throws -> Schema {
        // A decoder may replace invalid UTF-8 by U+FFFD: names and defaults would then differ from the stored ones.
        guard json.withUnsafeBytes({ UTF8Scan.endOfValid($0) }) == json.count else {
            throw GranaryError(
                .corrupt, "The schema kept in the store is not UTF-8. Restore the store from a backup.")
        }
        do {
            let schema = try JSONDecoder().decode(Schema.self, from: Data(json))
            try schema.validateNumbers()
            return schema
        } catch let error as GranaryError {
            throw error
        } catch {
            throw GranaryError(.corrupt, "The schema kept in the store cannot be read.")
        }
    }
}

extension Entity: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, id, attributes, key, keyGeneration, version, indexes, relationships, words, lastID, renamedFrom
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name), key: try container.decode(String.self, forKey: .key),
            keyGeneration: try container.decodeIfPresent(KeyGeneration.self, forKey: .keyGeneration) ?? .explicit,
            version: try container.decodeIfPresent(String.self, forKey: .version),
            attributes: try container.decode([Attribute].self, forKey: .attributes),
            indexes: try container.decodeIfPresent([Index].self, forKey: .indexes) ?? [],
            relationships: try container.decodeIfPresent([Relationship].self, forKey: .relationships) ?? [],
            words: try container.decodeIfPresent(WordRules.self, forKey: .words) ?? WordRules())
        // JSON that a person has written may lack it: then the schema assigns it.
        id = try container.decodeIfPresent(Int.self, forKey: .id) ?? 0
        lastAttributeID = try container.decodeIfPresent(Int.self, forKey: .lastID) ?? 0
        self = renamed(fromAll: try container.decodeIfPresent([String].self, forKey: .renamedFrom) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(id, forKey: .id)
        if lastAttributeID > attributes.map(\.id).max() ?? 0 { try container.encode(lastAttributeID, forKey: .lastID) }
        try container.encode(attributes, forKey: .attributes)
        try container.encode(key, forKey: .key)
        try container.encode(keyGeneration, forKey: .keyGeneration)
        try container.encodeIfPresent(version, forKey: .version)
        try container.encode(indexes, forKey: .indexes)
        if !relationships.isEmpty { try container.encode(relationships, forKey: .relationships) }
        if words != WordRules() { try container.encode(words, forKey: .words) }
        if !renamedFrom.isEmpty { try container.encode(renamedFrom, forKey: .renamedFrom) }
    }
}

extension Attribute: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, id, type, isOptional, defaultValue, reference, addition, renamedFrom
        case isExternal = "external"
        case externalFrom, renamedValues, searchWeight, searchGroup
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name), try container.decode(AttributeType.self, forKey: .type),
            isOptional: try container.decodeIfPresent(Bool.self, forKey: .isOptional) ?? false,
            defaultValue: try container.decodeIfPresent(StoredValue.self, forKey: .defaultValue),
            reference: try container.decodeIfPresent(Reference.self, forKey: .reference))
        id = try container.decodeIfPresent(Int.self, forKey: .id) ?? 0
        addition = try container.decodeIfPresent(Addition.self, forKey: .addition)
        let size = try container.decodeIfPresent(Int.self, forKey: .externalFrom) ?? Attribute.externalSize
        self = external(try container.decodeIfPresent(Bool.self, forKey: .isExternal) ?? false, from: size)
            .searchable(
                try container.decodeIfPresent(String.self, forKey: .searchGroup),
                weight: try container.decodeIfPresent(Double.self, forKey: .searchWeight)
            )
            .renamingValues(try container.decodeIfPresent([ValueRenaming].self, forKey: .renamedValues) ?? [])
            .renamed(fromAll: try container.decodeIfPresent([String].self, forKey: .renamedFrom) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(id, forKey: .id)
        try container.encode(type, forKey: .type)
        try container.encode(isOptional, forKey: .isOptional)
        try container.encodeIfPresent(defaultValue, forKey: .defaultValue)
        try container.encodeIfPresent(reference, forKey: .reference)
        try container.encodeIfPresent(addition, forKey: .addition)
        if isExternal {
            try container.encode(true, forKey: .isExternal)
            if leastExternalSize != Attribute.externalSize {
                try container.encode(leastExternalSize, forKey: .externalFrom)
            }
        }
        try container.encodeIfPresent(searchWeight, forKey: .searchWeight)
        try container.encodeIfPresent(searchGroup, forKey: .searchGroup)
        if !renamedValues.isEmpty { try container.encode(renamedValues, forKey: .renamedValues) }
        if !renamedFrom.isEmpty { try container.encode(renamedFrom, forKey: .renamedFrom) }
    }
}

extension Relationship: Codable {
    private enum CodingKeys: String, CodingKey { case name, entity, attribute, through, orderedBy, renamedFrom }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(String.self, forKey: .name),
            entity: try container.decode(String.self, forKey: .entity),
            attribute: try container.decode(String.self, forKey: .attribute),
            through: try container.decodeIfPresent(String.self, forKey: .through),
            orderedBy: try container.decodeIfPresent(String.self, forKey: .orderedBy))
        self = renamed(fromAll: try container.decodeIfPresent([String].self, forKey: .renamedFrom) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(entity, forKey: .entity)
        try container.encode(attribute, forKey: .attribute)
        try container.encodeIfPresent(through, forKey: .through)
        try container.encodeIfPresent(orderedBy, forKey: .orderedBy)
        if !renamedFrom.isEmpty { try container.encode(renamedFrom, forKey: .renamedFrom) }
    }
}

extension StoredValue: Codable {
    private enum CodingKeys: String, CodingKey { case integer, real, number, text, bytes }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let value = try container.decodeIfPresent(Int64.self, forKey: .integer) {
            self = .integer(value)
        } else if let bits = try container.decodeIfPresent(UInt64.self, forKey: .real) {
            self = .real(Double(bitPattern: bits))
        } else if let number = try container.decodeIfPresent(Double.self, forKey: .number) {
            // JSON that a person has written may have a plain number.
            self = .real(number)
        } else if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            self = .text(Array(text.utf8))
        } else if let bytes = try container.decodeIfPresent(Data.self, forKey: .bytes) {
            self = .bytes(Array(bytes))
        } else {
            self = .null
        }
    }

    /// A double is coded by its bits, which preserves infinities.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .null: break
        case .integer(let value): try container.encode(value, forKey: .integer)
        case .real(let value): try container.encode(value.bitPattern, forKey: .real)
        case .text(let utf8):
            // A default must never be stored as a different text.
            guard let text = String(validating: utf8, as: UTF8.self) else { throw GranaryError.invalidText() }
            try container.encode(text, forKey: .text)
        case .bytes(let bytes): try container.encode(Data(bytes), forKey: .bytes)
        }
    }
}
