import ConformanceKit
import GranaryCore

/// Opens a good store with one fault.
struct BrokenProvider: StoreProvider {
    let base: any StoreProvider
    let fault: Fault

    func open(_ schema: Schema, migration: MigrationPolicy) throws -> any Store { try open(schema, migration, nil) }

    func open(_ schema: Schema, migration: MigrationPolicy, contents: StoreContents) throws -> any Store {
        try open(schema, migration, contents)
    }

    func openStored() throws -> any Store {
        let store = try base.openStored()
        return BrokenStore(store, schema: store.schema, fault: fault)
    }

    func exists() throws -> Bool? {
        switch fault {
        case .copyReplacesStore: false
        // Then the caller passes the contents.
        case .fillsExistingStores: nil
        default: try base.exists()
        }
    }
    func destroy() throws { if fault != .destroyDoesNothing { try base.destroy() } }
    func moveAside() throws -> String { try base.moveAside() }
    var readingOnly: any StoreProvider { BrokenProvider(base: base.readingOnly, fault: fault) }

    private func open(_ schema: Schema, _ policy: MigrationPolicy, _ contents: StoreContents?) throws -> any Store {
        let old = try oldSchema(of: schema)
        if old != nil && fault == .migrationOnlyClaims {
            return BrokenStore(try base.openStored(), schema: schema, fault: fault, isMigrated: true)
        }
        let exists = try base.exists() == true
        let weak = fault.weakened(schema, old: old, isNew: !exists && contents != nil)
        let store: any Store
        do {
            store = try openBase(weak ?? schema, policy, contents, exists: exists, isWeak: weak != nil)
        } catch {
            if old != nil && fault == .failedMigrationLosesRecord { try? loseRecord() }
            throw error
        }
        return BrokenStore(
            store, schema: weak == nil ? store.schema : schema, fault: fault, isMigrated: old != nil,
            isFilled: !exists && contents != nil)
    }

    private func openBase(
        _ schema: Schema, _ policy: MigrationPolicy, _ contents: StoreContents?, exists: Bool, isWeak: Bool
    ) throws -> any Store {
        var policy = policy
        if fault == .migrationIgnoresPolicy, case .refuse = policy { policy = .automatic }
        guard let contents, fault != .ignoresContents else { return try base.open(schema, migration: policy) }
        if exists && fault == .copyReplacesStore { try base.destroy() }
        do {
            let broken = fault.broken(contents, schema: isWeak ? schema : contents.schema)
            let store = try base.open(schema, migration: policy, contents: broken)
            if exists && fault == .fillsExistingStores { try store.replaceContents(with: broken) }
            return store
        } catch {
            if fault == .failedFillingStays { try? base.open(schema, migration: policy).close() }
            throw error
        }
    }

    /// The schema that the store has, if opening it is to change that. Nil for other faults than those of migrations, which
    /// need not know it.
    private func oldSchema(of schema: Schema) throws -> Schema? {
        guard fault.areas == [.migration], try base.exists() == true else { return nil }
        let store = try base.openStored()
        defer { try? store.close() }
        return store.schema.fingerprint == schema.fingerprint ? nil : store.schema
    }

    private func loseRecord() throws {
        let store = try base.openStored()
        defer { try? store.close() }
        try store.loseRecord()
    }
}

extension Store {
    /// Deletes the first record.
    func loseRecord() throws {
        let writer = try beginWrite()
        defer { writer.end() }
        for (number, entity) in schema.entities.enumerated() {
            guard let row = try writer.rows(FetchRequest(entity: number, limit: 1)).all().first else { continue }
            _ = try row[entity.keyPosition].withCell { try writer.delete($0, from: number) }
            _ = try writer.commit()
            return
        }
    }
}

extension Fault {
    /// The schema without the rules that the fault ignores; nil if the fault ignores no rule of it.
    ///
    /// - Parameters:
    ///   - old: The schema that is migrated; nil if none is.
    ///   - isNew: Whether the store is made and filled.
    fileprivate func weakened(_ schema: Schema, old: Schema?, isNew: Bool) -> Schema? {
        switch self {
        case .uniquenessIsNotChecked: schema.changingEntities { $0.dropUniqueness() }
        case .migrationSkipsUniqueness where old != nil: schema.changingEntities { $0.dropUniqueness() }
        case .fillingIgnoresUniqueness where isNew: schema.changingEntities { $0.dropUniqueness() }
        case .referencesAreNotChecked: schema.changingAttributes { $0.reference?.onDelete = .noAction }
        case .cascadesNothing:
            schema.changingAttributes { attribute in
                guard attribute.isOptional, attribute.reference?.onDelete == .cascade else { return }
                attribute.reference?.onDelete = .nullify
            }
        case .migrationIgnoresRename where old != nil:
            schema.changingAttributes { $0 = $0.renamed() }.changingEntities { $0 = $0.renamed() }
        case .migrationIgnoresDefault where old != nil: schema.changingAttributes { $0.forgetDefault() }
        default: nil
        }
    }

    /// What a new store is filled with, by a writer with the fault.
    func broken(_ contents: StoreContents, schema: Schema?) -> StoreContents {
        var schema = schema
        if self == .copyForgetsSteps { schema?.appliedSteps = [] }
        if self == .seedIsForgotten { schema?.seed = nil }
        var broken = StoreContents(schema: schema) { new, old in
            try contents.fill(BrokenStore(new, schema: new.schema, fault: self), replacing: old)
        }
        broken.seed = self == .seedIsForgotten ? nil : contents.seed
        broken.wentLive = { contents.didGoLive() }
        return broken
    }
}

extension Schema {
    fileprivate func changingEntities(_ change: (inout Entity) -> Void) -> Schema {
        var entities = entities
        for number in entities.indices { change(&entities[number]) }
        return Schema(entities: entities)
    }

    fileprivate func changingAttributes(_ change: (inout Attribute) -> Void) -> Schema {
        changingEntities { entity in
            for number in entity.attributes.indices { change(&entity.attributes[number]) }
        }
    }
}

extension Entity {
    fileprivate mutating func dropUniqueness() {
        for index in indexes.indices { indexes[index].isUnique = false }
        var seen: Set<Index> = []
        indexes = indexes.filter { seen.insert($0).inserted }
    }
}

extension Attribute {
    fileprivate mutating func forgetDefault() {
        switch defaultValue {
        case .integer: defaultValue = .integer(0)
        case .real: defaultValue = .real(0)
        case .text: defaultValue = .text([])
        case .bytes, .null, nil: break
        }
    }
}
