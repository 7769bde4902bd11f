import Foundation

/// Opens several stores as one: passed to a ``/Granary/Stack`` as `store:`, with
/// `.parts(first, Part(...))`.
///
/// The first store keeps all record types that no other part names. The parts may be of any kinds: a catalogue that
/// comes with an app, open for reading only, beside the user's own records; a cache in memory beside a database.
///
/// - **Together.** Requests, contexts, imports and observation go over all parts. A reference, a relationship and a path
///   may lead from one part to another. A read sees each part in one state, and all of them at one time. A condition
///   about records of another part is answered from the indexes of both; an order by an attribute of another part, or a
///   group by one, reads the rows.
/// - **Rules.** References to another part are checked, and delete rules are followed into it. A part that is only read
///   cannot be changed by a rule: if a reference in it has the rule `cascade` or `nullify` to a record of a part that is
///   written to, opening throws `invalidSchema`.
/// - **Commits.** A write that changes one part is a commit of that part. One that changes several is made in one part
///   after the other, and the first of them keeps what the others still have to change: if the process ends in between,
///   or a disk is full, the next transaction that can write completes it, and reads wait for that. Either all parts get
///   it, or none. For parts in memory there is nothing to complete. A part that is written to has one more entity for
///   these notes, `GranaryPartNote`, so such a part is not opened without the others.
/// - **Keep the parts together.** Back them up at one time. A part that was restored alone, and lacks more than one
///   commit that changed other parts, too, is noticed when it is opened: `corrupt`.
/// - **Not over parts.** Statements in SQL, copies, seeds and resets are for one store: open the part alone, or copy
///   from the whole to another store.
public struct PartsProvider: StoreProvider {
    private let parts: [Part]
    /// Whether nothing is written to any part, also to those in memory.
    private let isReading: Bool

    /// - Parameters:
    ///   - first: The store of the record types that no part names.
    ///   - others: The other parts.
    public init(_ first: some StoreProvider, _ others: [Part]) {
        parts = [Part("first", [String](), in: first)] + others
        isReading = false
    }

    public var access: StoreAccess { parts.allSatisfy { $0.provider.access == .readOnly } ? .readOnly : .readWrite }

    public var readingOnly: any StoreProvider {
        PartsProvider(reading: parts.map(\.readingOnly))
    }

    private init(reading parts: [Part]) { (self.parts, isReading) = (parts, true) }

    // MARK: Opening

    /// Opens all parts. Whether the policy allows the changes of all parts is found out before the first one is
    /// migrated. Each part is migrated by itself, those first whose records might not allow a change.
    public func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store {
        try checkNames(schema)
        try refuseSharedPlaces()
        try refuseMissingParts()
        let own = try parts.indices.map { try self.schema(ofPart: $0, in: schema) }
        let stored = try storedSchemas()
        if !stored.contains(where: { $0 == nil }), policiesAreSame {
            _ = try SchemaMigration(
                from: try whole(stored.compactMap(\.self)), to: schema, migration, access: access)
        }
        let risks = try parts.indices.map { part in
            // A part that is only read may refuse what the program declares, and nothing may be changed then.
            if parts[part].provider.access == .readOnly { return 3 }
            return try stored[part].map { try SchemaDifference.risk(from: $0, to: own[part]) } ?? 0
        }
        let order = parts.indices.sorted { (-risks[$0], $0) < (-risks[$1], $1) }
        return try opened(in: order, mayMigrate: migration.mayMigrate) { number in
            try parts[number].provider.open(own[number], migration: policy(parts[number], number, migration))
        } schema: { _ in
            schema
        }
    }

    /// Opens all parts with their stored schemas.
    public func openStored() throws -> any Store {
        try opened(in: Array(parts.indices), mayMigrate: false) { number in
            try parts[number].provider.openStored()
        } schema: { stores in
            try whole(stores.map(\.schema), in: stores[0])
        }
    }

    private func opened(
        in order: [Int], mayMigrate: Bool, _ open: (Int) throws -> any Store, schema: ([any Store]) throws -> Schema
    ) throws -> any Store {
        var stores: [Int: any Store] = [:]
        do {
            for number in order {
                stores[number] = try open(number)
                try refuseSharedPlace(number, among: stores)
            }
            let all = stores.sorted { $0.key < $1.key }.map(\.value)
            let open = zip(parts, all).map { part, store in
                PartedStore.OpenPart(
                    name: part.name, store: store, isReadOnly: isReading || part.provider.access == .readOnly)
            }
            return try PartedStore(try schema(all), open, mayMigrate: mayMigrate)
        } catch {
            try? PartedStore.close(Array(stores.values))
            throw error
        }
    }

    // MARK: Schemas

    /// The schema of a part, with notes if it is written to, or has some.
    private func schema(ofPart number: Int, in schema: Schema) throws -> Schema {
        var own = schema.part(with: entities(ofPart: number, in: schema))
        let provider = parts[number].provider
        var hasNotes = provider.access == .readWrite
        if !hasNotes, try provider.exists() == true, let stored = try? provider.openStored() {
            hasNotes = stored.schema.entities.contains { $0.name == Entity.partNotesName }
            try? stored.close()
        }
        if hasNotes { own = own.union(Schema(entities: [PartNotes.entity])) }
        if number == 0 { (own.appliedSteps, own.seed) = (schema.appliedSteps, schema.seed) }
        return own
    }

    /// The stored schema of each part; nil for one that does not exist, or whose store is not opened without a schema.
    private func storedSchemas() throws -> [Schema?] {
        try parts.map { part in
            guard try part.provider.exists() == true else { return nil }
            do {
                let store = try part.provider.openStored()
                defer { try? store.close() }
                return store.schema
            } catch let error as GranaryError where error.code == .unsupported {
                return nil
            }
        }
    }

    /// Whether the policy of the stack is that of each part.
    private var policiesAreSame: Bool { parts.allSatisfy { $0.migration == nil } }

    /// The schema of all parts together.
    ///
    /// - Parameter first: The open first part, which may have the schema of the stack written down, with the
    ///   relationships between parts.
    private func whole(_ parts: [Schema], in first: (any Store)? = nil) throws -> Schema {
        var entities = parts.flatMap(\.entities).filter { $0.name != Entity.partNotesName }
        let names = Set(entities.map(\.name))
        let written = try first.flatMap { try PartsProvider.writtenSchema($0) }
        for entity in entities.indices {
            entities[entity].id = 0
            for position in entities[entity].attributes.indices {
                guard let target = entities[entity].attributes[position].reference?.entity else { continue }
                if names.contains(target) { entities[entity].attributes[position].reference?.isOutside = false }
            }
            let same = written?.entities.first { $0.name == entities[entity].name }
            if let same { entities[entity].relationships = same.relationships }
        }
        if let written {
            let order = written.entities.map(\.name)
            entities.sort {
                (order.firstIndex(of: $0.name) ?? .max, $0.name) < (order.firstIndex(of: $1.name) ?? .max, $1.name)
            }
        }
        var schema = Schema(entities: entities)
        schema.appliedSteps = parts[0].appliedSteps
        schema.seed = parts[0].seed
        return schema
    }

    /// The schema of the stack as the first part has it written down.
    private static func writtenSchema(_ first: any Store) throws -> Schema? {
        guard let position = first.schema.entities.firstIndex(where: { $0.name == Entity.partNotesName }) else {
            return nil
        }
        let reader = try first.beginRead(CancellationFlag())
        defer { reader.end() }
        return try PartNotes.note(PartNotes.schema, in: reader, at: position)?.contents.map { try Schema(json: $0) }
    }

    /// The plan of opening with a schema: that of all parts together.
    func plannedMigration(to schema: Schema, _ policy: MigrationPolicy) throws -> PlannedMigration {
        try checkNames(schema)
        let store = try openStored()
        defer { try? store.close() }
        var planned = try PlannedMigration(from: store.schema, to: schema, policy)
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        try planned.count(reader)
        guard planned.refused.isEmpty else { return planned }
        for (number, part) in parts.enumerated() {
            let own = try self.schema(ofPart: number, in: schema)
            guard own.entities.contains(where: { !$0.searchedPositions.isEmpty }) else { continue }
            planned.wordIndexes += try part.provider.planMigration(to: own, self.policy(part, number, policy))
                .wordIndexes
        }
        return planned
    }

    private func policy(_ part: Part, _ number: Int, _ policy: MigrationPolicy) -> MigrationPolicy {
        if let own = part.migration { return own }
        return number > 0 && policy.plan != nil ? .inferred : policy
    }

    /// The names of a part's entities: those that it names, or that no other part names. Links are with their owner.
    private func entities(ofPart number: Int, in schema: Schema) -> Set<String> {
        func part(of entity: Entity) -> Int {
            let name = entity.linkedRelationship?.owner ?? entity.name
            return parts.firstIndex { $0.entities.contains(entity.name) } ?? parts.firstIndex { $0.has(name) } ?? 0
        }
        return Set(schema.entities.filter { part(of: $0) == number }.map(\.name))
    }

    // MARK: Wrong parts

    private func checkNames(_ schema: Schema) throws {
        var names: Set<String> = []
        for part in parts {
            guard names.insert(part.name).inserted else {
                throw GranaryError(
                    .invalidSchema,
                    "Two parts are named \"\(part.name)\". Give each a name of its own; the first part is named \"first\"."
                )
            }
            let isName = part.name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "_")
            }
            guard isName, !part.name.isEmpty else {
                throw GranaryError(
                    .invalidSchema, "\"\(part.name)\" is not the name of a part. Use letters, digits and _.")
            }
        }
        if schema.entities.contains(where: { $0.name == Entity.partNotesName }) {
            throw GranaryError(
                .invalidSchema,
                "The name \(Entity.partNotesName) is that of the notes of parts. Give the record type another name.",
                entity: Entity.partNotesName)
        }
        for (number, part) in parts.enumerated() {
            for name in part.entities.sorted() {
                guard schema.entities.contains(where: { $0.name == name }) else {
                    throw GranaryError(
                        .invalidSchema,
                        "The part \"\(part.name)\" has \(name), which the schema lacks. Add it to Schema(...).",
                        entity: name)
                }
                if let other = parts[..<number].first(where: { $0.entities.contains(name) }) {
                    throw GranaryError(
                        .invalidSchema,
                        "\(name) is in two parts, \"\(other.name)\" and \"\(part.name)\". The records of a type are kept in one part: name it once.",
                        entity: name)
                }
            }
            if number > 0, part.entities.isEmpty, part.chooses == nil {
                throw GranaryError(
                    .invalidSchema,
                    "The part \"\(part.name)\" has no record types. Name some, or leave the part out.")
            }
        }
    }

    /// Refuses a part that is gone, while others know it: references would lead to nothing.
    private func refuseMissingParts() throws {
        let kept = try parts.map { part in try part.provider.exists() ?? true }
        guard kept[0] == false, parts[0].provider.place != nil else { return }
        // The first part is made anew. Records of the others may refer to records that it had.
        for (number, part) in parts.enumerated().dropFirst() where kept[number] && part.provider.access == .readWrite {
            guard let store = try? part.provider.openStored() else { continue }
            defer { try? store.close() }
            guard store.schema.entities.contains(where: { $0.name == Entity.partNotesName }) else { continue }
            guard store.capabilities.has(.persistence) else { continue }
            throw GranaryError(
                .notAStore,
                "The first part does not exist, and the part \"\(part.name)\" was made with one. Restore the first part from a backup, or give the parts new places."
            )
        }
    }

    /// Refuses two parts in one place: before anything is opened, as far as the providers tell.
    private func refuseSharedPlaces() throws {
        let places = parts.map { $0.provider.place.map { URL(filePath: $0).resolvingSymlinksInPath().path } }
        for number in parts.indices {
            guard let place = places[number], let other = places[..<number].firstIndex(of: place) else { continue }
            throw samePlace(number, other)
        }
    }

    private func refuseSharedPlace(_ number: Int, among stores: [Int: any Store]) throws {
        guard let location = stores[number]?.location else { return }
        for (other, store) in stores where other != number && store.location == location {
            throw samePlace(max(number, other), min(number, other))
        }
    }

    private func samePlace(_ number: Int, _ other: Int) -> GranaryError {
        GranaryError(
            .invalidPath,
            "The parts \"\(parts[other].name)\" and \"\(parts[number].name)\" are the same store, \(parts[number].provider.place ?? "in one place"). Give each part a place of its own."
        )
    }

    // MARK: All stores

    /// Whether the first part exists. Parts that do not exist are made.
    public func exists() throws -> Bool? { try parts[0].provider.exists() }

    public func destroy() throws {
        for part in parts.reversed() where part.provider.access == .readWrite {
            if try part.provider.exists() != false { try part.provider.destroy() }
        }
    }
}

extension SchemaDifference {
    /// How likely the records of a store do not allow the changes: 0 if they always do.
    fileprivate static func risk(from stored: Schema, to program: Schema) throws -> Int {
        let difference = SchemaDifference(from: stored, to: program)
        if (difference.cost ?? .instant) > .instant { return 2 }
        let checksRecords = difference.changes.contains { change in
            switch change {
            case .uniquenessChanged, .foldingChanged: true
            case .indexAdded(_, let index): index.isUnique
            default: false
            }
        }
        return checksRecords ? 1 : 0
    }
}

extension StoreProvider where Self == PartsProvider {
    /// Several stores as one: the first keeps all record types that no part names. See ``PartsProvider``.
    ///
    /// ```swift
    /// let stack = try await Stack(
    ///     schema, store: .parts(.sqlite(at: own), Part("cache", Thumbnail.self, in: .inMemory)))
    /// ```
    ///
    /// - Parameters:
    ///   - first: The store of the record types that no part names.
    ///   - others: The other parts.
    public static func parts(_ first: some StoreProvider, _ others: Part...) -> Self { PartsProvider(first, others) }
}
