import GranaryCore

/// How objects become rows of one entity, computed once per import, and the rows of the batch.
final class EntityPlan {
    let position: Int
    let entity: Entity
    let handler: (any RecordHandler)?
    /// Whether rows become records before they are written; nil until this is known from the first row.
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
    /// The identities by which a record can be found: the attributes of the mapping's `identify`, if it has one, the
    /// key, and the attributes of each unique index.
    let identities: [[Int]]
    /// For each identity whose index ignores something, such as case: what it ignores.
    let foldings: [[Int]: TextFolding]
    /// Only the position of the key. This array is shared by all values that name records by key.
    let keyPositions: [Int]
    /// Whether only the first identity identifies the record of an object. The other identities only serve values that
    /// name records.
    let identifiesByFirst: Bool
    /// The position of the key, if records are found only by it and it is an integer.
    let integerKey: Int?
    /// Whether all objects so far were new, with keys beyond the greatest one in the store.
    @exclusivity(unchecked) var expectsNewKeys = true
    /// The import rules of references (by attribute) and of to-many relationships.
    let referenceRules: [RelationshipRule]
    let relationshipRules: [RelationshipRule]
    let absent: [(slot: Slot, name: String, absence: ImportAbsence)]
    let modification: Int?
    let connections: [(slot: Slot, name: String, connection: ImportConnection)]
    /// Relationships that are connected at the end of the import.
    let finalConnections: [FinalConnection]
    /// Whether any of them is connected through a path of the records.
    let hasThroughPaths: Bool
    /// Relationships whose records are chosen from the objects at one path.
    let choices: [(slots: [(slot: Slot, name: String)], choice: ImportChoice)]
    /// Values of the source for attributes of the records that references lead to.
    let destinations: [ImportDestination]
    /// Values that the mapping's own code imports.
    let takeovers: [ImportTakeover]
    /// For keys that only paths read: the known keys within their values.
    let within: [String: KnownKeys]
    /// The parts that are removed from the values of keys.
    let pruned: [ImportPath]
    /// The attributes that are references; among them the required ones, and those of an identity.
    let referring: [Int]
    /// The references among them whose former records are deleted at the end.
    let deleting: [Int]
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

    /// Whether importing an object needs the whole object, so that a tree of it is made.
    let needsTree: Bool
    /// Whether a value other than an object may be a record, because the whole value is mapped.
    let takesWhole: Bool
    /// How each attribute takes a plain value directly from the tape.
    let lanes: [Lane]

    /// Converts the plain values of objects.
    @exclusivity(unchecked) var decoder: PlainDecoder

    /// The keys of the records that the import has inserted or updated so far, and of those that it has counted as
    /// unchanged.
    @exclusivity(unchecked) var changedKeys = CountedKeys()
    @exclusivity(unchecked) var unchangedKeys = CountedKeys()

    /// The attributes and relationships that the mapping reads from paths which no object has had so far.
    @exclusivity(unchecked) var unfound: Set<String>
    /// Whether the source has had an object of this entity.
    @exclusivity(unchecked) var hasObjects = false

    // The batch. Exclusivity is not checked at run time, here and at all other places with this mark: the run, its
    // plans and its stages belong to one thread, and no call that changes such a property calls back.
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
        destinations = try mapping.destinations(of: entity, in: schema)
        try mapping.checkNames(of: entity)
        try mapping.checkPaths(of: entity)
        try mapping.checkRelationships(of: entity, in: schema)
        try mapping.checkDates(of: entity)
        let connectedLast = try mapping.finalConnections(of: entity, in: schema)
        finalConnections = connectedLast
        hasThroughPaths = connectedLast.contains { !$0.isSearch }
        converters = entity.attributes.map { attribute in
            Converter(
                type: attribute.type,
                dates: mapping.dateFormats(of: attribute.name),
                data: mapping.dataFormats[attribute.name] ?? .base64)
        }
        transformers = entity.attributes.map { mapping.transformers[$0.name] }
        // An import with a target needs no identity of the objects.
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
        let rules = referenceRules
        deleting = referring.filter { rules[$0].policy == .replaceAndDelete }
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
        let further = destinations.flatMap(\.parts).flatMap(\.paths)
        for key in further.flatMap({ [$0.singleKey, $0.flatKey] }).compactMap(\.self) where known[key] == nil {
            known[key] = .passedOver
        }
        let inferred = mapping.infersKeys ? EntityPlan.inferred(entity, schema, mapped) : [:]
        // A key that begins a path may also mean an attribute.
        let inner = mapping.takeovers.map(\.path).filter { $0.singleKey == nil }
        let paths = computed.flatMap(\.paths) + mapping.choices.map(\.path) + inner + further
        for key in paths.compactMap(\.firstKey) where known[key] == nil {
            known[key] = inferred[key.normalizedKey] ?? .passedOver
        }
        // So may a key of a connection, unless it means the same relationship, which the connection decides.
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
            || !choices.isEmpty || !takeovers.isEmpty || !destinations.isEmpty || mapping.finder != nil
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

    /// The meanings of names without regard to case, `_`, `-`, `.` and blanks. A name with two meanings has none.
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

    /// The meaning of a key of the source.
    ///
    /// - Parameter last: The previous link in the chain of keys; 0 at the beginning of an object.
    func slot(of key: UnsafeRawBufferPointer, after last: inout Int) -> Slot {
        decoder.keys.slot(of: key, after: &last)
    }

    /// Empties the batch.
    func clear() {
        stage.removeAll()
        rows.removeAll()
        references.removeAll(keepingCapacity: true)
        for index in tables.indices { tables[index].removeAll() }
        keepsLinks = true
    }

    /// Removes a row that is no record of its own. If rows came after it, it stays as a row that nothing names.
    func drop(_ row: Int) {
        guard row + 1 == stage.count else { return }
        stage.removeLast()
        if rows.count > row { rows.removeLast() }
    }

    /// The given key of a row, if it is an integer by which records are found.
    func integerKey(of row: Int) -> Int64? {
        guard let integerKey, stage.isGiven(row, integerKey) else { return nil }
        let cell = stage[row, integerKey]
        // A key that the store assigns is 0 before that.
        guard cell.kind == .integer, entity.keyGeneration != .assigned || cell.integerValue != 0 else { return nil }
        return cell.integerValue
    }

    /// Whether an attribute helps to identify the record of an object.
    func tells(_ position: Int) -> Bool { identities.contains { $0.contains(position) } }

    /// Whether the record of a row cannot exist without the reference in an attribute.
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

    /// Whether each row with all required values is written unchanged, as far as is known.
    var takesAllRows: Bool { handler == nil || needsRecords == false }

    /// Whether a row must become a record before it is written, because its type may change or refuse it.
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

    /// A key whose value means an attribute or a relationship in an object without other values for it; nil if no key
    /// does.
    func key(meaning name: String) -> String? {
        let keys = (mapping.paths[name] ?? []).compactMap(\.singleKey) + [name]
        return keys.first { key in
            decoder.keys.meaning(of: key).name(in: entity).map { $0.hasSameBytes(as: name) } ?? false
        }
    }

    /// Whether a relationship is imported by code of the mapping.
    func isTakenOver(_ name: String) -> Bool {
        !mapping.relationshipHooks.isEmpty && mapping.relationshipHooks[name]?.takeOver != nil
    }

    /// The values of an identity for comparison: folded as in its index.
    func compared(_ values: [StoredValue], by positions: [Int]) -> [StoredValue] {
        guard !foldings.isEmpty, let folding = foldings[positions] else { return values }
        return values.map { value in
            // Text that is not UTF-8 stays unfolded.
            if case .text(let utf8) = value { .text((try? folding.folded(utf8)) ?? utf8) } else { value }
        }
    }

    /// The row that a row has been merged into.
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
