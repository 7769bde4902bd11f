import GranaryCore

/// How objects become rows of one entity, looked up once an import, and the rows of the batch.
final class EntityPlan {
    let position: Int
    let entity: Entity
    let handler: (any RecordHandler)?
    /// Whether rows become records before they are written; nil until the first one is.
    @exclusivity(unchecked) private var needsRecords: Bool?
    /// Whether the record type has hooks.
    let hasHooks: Bool
    let mapping: ImportMapping
    /// Which objects are written.
    let policy: ImportPolicy
    let converters: [Converter]
    let transformers: [ImportTransformer?]
    /// Attributes and relationships that are read by paths.
    let computed: [(slot: Slot, name: String, paths: [ImportPath])]
    /// The attributes by which a record can be found: those that the mapping identifies objects by, if it says so, the key's,
    /// and those of each unique index.
    let identities: [[Int]]
    /// For each identity whose index overlooks something, such as case: what it overlooks.
    let foldings: [[Int]: TextFolding]
    /// The key's attribute alone: one array for all that name records by it.
    let keyPositions: [Int]
    /// Whether only the first identity tells which record an object is. Values name records by the others as well.
    let identifiesByFirst: Bool
    /// The attribute of the key, if records are found by it alone and it is an integer.
    let integerKey: Int?
    /// Whether objects have been new so far, their keys being beyond the greatest in the store.
    @exclusivity(unchecked) var expectsNewKeys = true
    /// The rule of each attribute that is a reference, and of each to-many relationship.
    let referenceRules: [RelationshipRule]
    let relationshipRules: [RelationshipRule]
    let absent: [(slot: Slot, name: String, absence: ImportAbsence)]
    let modification: Int?
    let connections: [(slot: Slot, name: String, connection: ImportConnection)]
    /// Relationships whose records are chosen from what is at one path.
    let choices: [(slots: [(slot: Slot, name: String)], choice: ImportChoice)]
    /// Values that code of the mapping imports.
    let takeovers: [ImportTakeover]
    /// The known keys within the values of keys that are read by paths alone.
    let within: [String: KnownKeys]
    /// What is left out of the values of keys.
    let pruned: [ImportPath]
    /// The attributes that refer to records; those of them that must, and those that are part of an identity.
    let referring: [Int]
    let requiring: Set<Int>
    let identifying: Set<Int>
    /// For each attribute that refers to records, the position of their entity.
    let targets: [Int?]
    /// Where the members of each to-many relationship are.
    let links: [LinkLayout]
    /// The attributes that tell in whose lists a record is, and where.
    let linking: [Int]
    /// The position of the entity that keeps pending references; nil if the schema has none.
    let pendingEntity: Int?

    /// Whether the whole object is asked, so that a tree of it is needed.
    let needsTree: Bool
    /// Whether a value that is no object may be a record, because the whole value is mapped.
    let takesWhole: Bool
    /// How each attribute takes a plain value where it lies.
    let lanes: [Lane]

    /// Takes the plain values of objects.
    @exclusivity(unchecked) var decoder: PlainDecoder

    /// The keys of records that the import has inserted or updated so far, and of those that it has counted as unchanged.
    @exclusivity(unchecked) var changedKeys = CountedKeys()
    @exclusivity(unchecked) var unchangedKeys = CountedKeys()

    /// The attributes and relationships that the mapping takes from paths that no object has had so far.
    @exclusivity(unchecked) var unfound: Set<String>
    /// Whether the source has had an object of this entity.
    @exclusivity(unchecked) var hasObjects = false

    // The batch.
    // Exclusivity is not checked as the program runs, here and where else it is marked so: the run, its plans and its stages
    // belong to one thread, and no call that changes such a property calls back.
    let stage: RowStage
    let rows = StagedRows()
    @exclusivity(unchecked) var references: [StagedReference] = []
    @exclusivity(unchecked) var tables: [IdentityTable]
    /// Whether the record type has left the attributes as they are that tell in whose lists the records are.
    @exclusivity(unchecked) var keepsLinks = true

    init(_ position: Int, _ schema: Schema, _ importer: Importer, isTop: Bool) throws {
        let entity = schema.entities[position]
        self.position = position
        self.entity = entity
        handler = schema.handler(of: entity.name)
        hasHooks = handler?.hasHooks ?? false
        let mapping = schema.importMapping(
            of: entity.name, over: importer.mappings[entity.name], isTop ? importer.mapping : nil)
        self.mapping = mapping
        policy = importer.policy
        unfound = Set(mapping.paths.keys)
        for name in mapping.names where !entity.relationships.contains(where: { $0.name.hasSameBytes(as: name) }) {
            _ = try entity.position(ofAttribute: name)
        }
        try mapping.checkPaths(of: entity)
        try mapping.checkRelationships(of: entity, in: schema)
        try mapping.checkDates(of: entity)
        converters = entity.attributes.map { attribute in
            Converter(
                type: attribute.type,
                dates: mapping.dateFormats(of: attribute.name),
                data: mapping.dataFormats[attribute.name] ?? .base64)
        }
        transformers = entity.attributes.map { mapping.transformers[$0.name] }
        // Which record the object is that a target is given for need not be asked.
        let chosen = isTop && importer.target != nil ? nil : mapping.identity
        identities = try EntityPlan.identities(entity, chosen)
        foldings = Dictionary(uniqueKeysWithValues: identities.map { ($0, entity.folding(of: $0)) })
            .filter { !$0.value.isEmpty }
        keyPositions = [entity.keyPosition]
        identifiesByFirst = chosen != nil
        tables = identities.map { _ in IdentityTable() }
        let key = entity.attributes[entity.keyPosition]
        let isFoundByKey = identities == [[entity.keyPosition]] && key.type.storage == .integer
        integerKey = isFoundByKey && key.reference == nil ? entity.keyPosition : nil
        referenceRules = entity.attributes.map { mapping.relationships[$0.name] ?? RelationshipRule() }
        relationshipRules = entity.relationships.map { mapping.relationships[$0.name] ?? RelationshipRule() }
        modification = try mapping.modification.map { try entity.position(ofAttribute: $0) }
        stage = RowStage(width: entity.attributes.count)

        pruned = mapping.ignored.filter { $0.singleKey == nil && $0.firstKey != nil }
        referring = entity.attributes.indices.filter { entity.attributes[$0].reference != nil }
        requiring = Set(
            referring.filter {
                !entity.attributes[$0].isOptional && entity.attributes[$0].reference?.onDelete != .noAction
            })
        identifying = Set(identities.joined()).intersection(referring)
        targets = try entity.attributes.map { try $0.reference.map { try schema.position(ofEntity: $0.entity) } }
        links = try entity.relationships.map { try LinkLayout($0, in: schema) }
        let places = schema.entities.flatMap(\.relationships).filter { $0.entity.hasSameBytes(as: entity.name) }
            .compactMap(\.orderedBy)
        linking = entity.attributes.indices.filter {
            entity.attributes[$0].reference != nil || places.contains(entity.attributes[$0].name)
        }
        pendingEntity = schema.pendingEntity(of: entity)
        let kept =
            mapping.relationships.filter { $0.value.missing == .keep }.map(\.key)
            + mapping.connections.filter { $0.value.missing == .keep }.map(\.key)
        if pendingEntity == nil, let name = kept.min() {
            throw GranaryError(
                .invalidQuery,
                "\(entity.name).\(name) keeps references to records that come later, for which the schema has no room. Add PendingReference<\(entity.name)>.self to Schema(...).",
                entity: entity.name, attributes: [name])
        }

        absent = mapping.absence.compactMap { name, absence in entity.slot(named: name).map { ($0, name, absence) } }
            .filter { $0.2 != .keep }.sorted { $0.1 < $1.1 }
        connections = mapping.connections.compactMap { name, connection in
            entity.slot(named: name).map { ($0, name, connection) }
        }.sorted { $0.1 < $1.1 }
        choices = mapping.choices.map { choice in
            (choice.names.compactMap { name in entity.slot(named: name).map { ($0, name) } }, choice)
        }
        takeovers = mapping.takeovers
        var computed: [(slot: Slot, name: String, paths: [ImportPath])] = []
        var known: [String: Slot] = [:]
        for key in mapping.ignored.compactMap(\.singleKey) { known[key] = .passedOver }
        var mapped: Set<String> = []
        for (name, paths) in mapping.paths.sorted(by: { $0.key < $1.key }) {
            guard let found = entity.slot(named: name) else { continue }
            if paths.count == 1, let key = paths[0].singleKey, known[key] == nil {
                known[key] = found
                mapped.insert(name)
            } else {
                computed.append((found, name, paths))
            }
            for key in paths.compactMap(\.flatKey) where known[key] == nil { known[key] = found.inferred }
        }
        let inferred = mapping.infersKeys ? EntityPlan.inferred(entity, schema, mapped) : [:]
        // A key that begins a path may mean an attribute as well.
        let inner = mapping.takeovers.map(\.path).filter { $0.singleKey == nil }
        let paths = computed.flatMap(\.paths) + mapping.choices.map(\.path) + inner
        for key in paths.compactMap(\.firstKey) where known[key] == nil {
            known[key] = inferred[key.normalizedKey] ?? .passedOver
        }
        // So may a key that connects, unless it means the relationship itself, which the connection is to decide.
        for (found, _, connection) in connections {
            for key in connection.paths.compactMap(\.firstKey) where known[key] == nil {
                let slot = inferred[key.normalizedKey] ?? .passedOver
                known[key] = slot.isSame(as: found) ? .passedOver : slot
            }
        }
        self.computed = computed
        takesWhole = computed.contains { $0.paths.contains(where: \.isWhole) }
        let ignored = Set(mapping.ignored.compactMap(\.singleKey))
        within = KnownKeys.byFirstKey(of: paths + connections.flatMap(\.connection.paths))
            .filter { !ignored.contains($0.key) }
        needsTree =
            !pruned.isEmpty || !mapping.order.isEmpty || !computed.isEmpty || !connections.isEmpty
            || !choices.isEmpty || !takeovers.isEmpty
        lanes = entity.attributes.map { Lane($0, mapping) }
        let meanings = KeyMeanings(entity, exact: known, inferred: inferred)
        decoder = PlainDecoder(keys: KeyChain(meanings), lanes: lanes, converters: converters)
    }

    private static func identities(_ entity: Entity, _ names: [String]?) throws -> [[Int]] {
        let declared = try entity.identities()
        guard let names else { return declared }
        let chosen = try entity.identity(over: names)
        return [chosen] + declared.filter { $0 != chosen }
    }

    /// What names mean without regard to case, `_`, `-`, `.` and blanks. A name that would mean two things means none.
    private static func inferred(_ entity: Entity, _ schema: Schema, _ mapped: Set<String>) -> [String: Slot] {
        var names: [(String, Slot)] = []
        var others: [(String, Slot)] = []
        for (index, attribute) in entity.attributes.enumerated() where attribute.name != entity.version {
            let slot = Slot.inferredAttribute(index)
            names.append((attribute.name.normalizedKey, mapped.contains(attribute.name) ? slot : .attribute(index)))
            if attribute.name == entity.key { others.append(((entity.name + attribute.name).normalizedKey, slot)) }
            if let target = attribute.reference?.entity,
                let key = schema.entities.first(where: { $0.name == target })?.key
            {
                others.append(((attribute.name + key).normalizedKey, slot))
            }
        }
        for (index, relationship) in entity.relationships.enumerated() {
            let isMapped = mapped.contains(relationship.name)
            names.append(
                (relationship.name.normalizedKey, isMapped ? .inferredRelationship(index) : .relationship(index)))
        }
        var table = Dictionary(names) { _, _ in .unknown }
        table.merge(others) { first, _ in first }
        return table
    }

    /// What a key of the source means.
    ///
    /// - Parameter last: What the chain of keys is at; 0 at the beginning of an object.
    func slot(of key: UnsafeRawBufferPointer, after last: inout Int) -> Slot {
        decoder.keys.slot(of: key, after: &last)
    }

    /// Forgets the batch.
    func clear() {
        stage.removeAll()
        rows.removeAll()
        references.removeAll(keepingCapacity: true)
        for index in tables.indices { tables[index].removeAll() }
        keepsLinks = true
    }

    /// Takes a row away that is no record of its own. If rows came after it, it stays as one that nothing names.
    func drop(_ row: Int) {
        guard row + 1 == stage.count else { return }
        stage.removeLast()
        if rows.count > row { rows.removeLast() }
    }

    /// The key that a row was given, where it is an integer by which records are found.
    func integerKey(of row: Int) -> Int64? {
        guard let integerKey, stage.isGiven(row, integerKey) else { return nil }
        let cell = stage[row, integerKey]
        // A key that the store assigns is 0 until it is.
        guard cell.kind == .integer, entity.keyGeneration != .assigned || cell.integerValue != 0 else { return nil }
        return cell.integerValue
    }

    /// Whether an attribute is one of those that tell which record an object is.
    func tells(_ position: Int) -> Bool { identities.contains { $0.contains(position) } }

    /// Whether a row's record cannot be without what an attribute refers to.
    func mustRefer(_ position: Int, _ row: StagedRow) -> Bool {
        requiring.contains(position) || (row.isOpen && identifying.contains(position))
    }

    /// Whether the objects of the source have nothing to be decided but their values: a record that has these already is not
    /// written, whatever else the batch brings.
    var isPlain: Bool {
        switch policy {
        case .insertOnly, .updateOnly: false
        case .upsert, .mirror: modification == nil && referring.isEmpty && !hasHooks
        }
    }

    /// Whether each row that has the required values is written as it is, as far as it is known.
    var takesAllRows: Bool { handler == nil || needsRecords == false }

    /// Whether a row must become a record before it is written, as its type may change or refuse it.
    func needsRecord(of row: Int) -> Bool {
        if let needsRecords { return needsRecords }
        let needs = handler.map { handler in stage.withRow(row) { handler.isNeeded(for: $0) } } ?? false
        needsRecords = needs
        return needs
    }

    /// The attributes by which a value names a record.
    func names(by rule: RelationshipRule) -> [String] {
        rule.identity.isEmpty ? mapping.identity ?? [entity.key] : rule.identity
    }

    /// The values of an object that connect a relationship; nil if none do.
    func connection(named name: String) -> ImportConnection? {
        connections.isEmpty ? nil : mapping.connections[name]
    }

    /// Whether a relationship is imported by code of the mapping.
    func isTakenOver(_ name: String) -> Bool {
        !mapping.relationshipHooks.isEmpty && mapping.relationshipHooks[name]?.takeOver != nil
    }

    /// The values of an identity as they are compared: without what its index overlooks.
    func compared(_ values: [StoredValue], by positions: [Int]) -> [StoredValue] {
        guard !foldings.isEmpty, let folding = foldings[positions] else { return values }
        return values.map { value in
            // What is no UTF-8 folds to nothing else.
            if case .text(let utf8) = value { .text((try? folding.folded(utf8)) ?? utf8) } else { value }
        }
    }

    /// The row that a row has become part of.
    func merged(_ row: Int) -> Int {
        var row = row
        while let other = rows[row].mergedInto { row = other }
        return row
    }
}

extension String {
    /// The key without case, underscores, hyphens, dots and blanks.
    var normalizedKey: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var isASCII = true
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: " "): break
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): bytes.append(byte | 0x20)
            default:
                if byte >= 0x80 { isASCII = false }
                bytes.append(byte)
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return isASCII ? text : text.lowercased()
    }
}
