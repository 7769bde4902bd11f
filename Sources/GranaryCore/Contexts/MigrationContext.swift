/// The new files of a store while they are brought to a release, for a step with code: a ``Context`` with all its
/// verbs. Everything that a step writes is one transaction.
///
/// ```swift
/// .code("one tag for a name") { store in
///     var first: [String: DynamicRecord] = [:]
///     for tag in try store.fetch(Request("Tag")) {
///         let name = try tag.value("name", as: String.self)
///         guard let kept = first[name] else { first[name] = tag; continue }
///         try kept.related("songs").add(keys: tag.related("songs").all(in: store.schema).fetch(in: store).map(\.key), in: store)
///         try store.delete(tag)
///     }
/// }
/// ```
///
/// Its schema is that of the step's release together with everything that the step removes: removed entities and
/// attributes are still there, required values may still be nil, and values that become unique may still be equal. A
/// removed attribute is missing if a new one has its name.
///
/// It is valid while the step runs.
public final class MigrationContext: Context {
    /// The store as it was before the release, with the stored schema.
    public let old: Snapshot

    init(_ writer: any StoreWriter, old: Snapshot) {
        self.old = old
        super.init(writer, ContextSetting(writer.schema, RecordTypes()))
    }

    /// A new record of an entity, with its defaults.
    public func record(_ entity: String) throws -> DynamicRecord { try DynamicRecord(entity, in: schema) }
}

// Steps are declared in a module below this one. Steps whose code reads and writes are made here, where the verbs are.
extension MigrationStep {
    /// Converts one record.
    ///
    /// - Parameters:
    ///   - old: The record as it was, with the stored schema.
    ///   - new: The record as it will be, with everything that could be inferred: attributes with the same or an
    ///     earlier name, converted; defaults; nil for the others.
    ///   - store: The store as it was.
    public typealias RecordConversion =
        @Sendable (_ old: DynamicRecord, _ new: inout DynamicRecord, _ store: Snapshot) throws -> Void

    /// Converts each record of an entity while it is copied into the new files. Records are streamed: memory does not
    /// grow with their number.
    ///
    /// - Parameters:
    ///   - name: The name of the step, which a store keeps.
    ///   - entity: The name that the entity has after the step.
    ///   - version: Part of the step's checksum.
    ///   - convert: Gets the old record, the new record and the store.
    public static func records(
        _ name: String, of entity: String, version: Int = 1, convert: @escaping RecordConversion
    ) -> MigrationStep {
        let kind = Kind.records(entity: entity) { reader in
            let store = Snapshot(stored: reader)
            return { old, new in try convert(old, &new, store) }
        }
        return MigrationStep(name, kind, version: version)
    }

    /// Runs once, when all records are in the new files: makes records, deletes or changes them.
    ///
    /// - Parameters:
    ///   - name: The name of the step, which a store keeps.
    ///   - version: Part of the step's checksum.
    ///   - run: The code.
    public static func code(
        _ name: String, version: Int = 1, run: @escaping @Sendable (MigrationContext) throws -> Void
    ) -> MigrationStep {
        let kind = Kind.code { old, new in
            let context = MigrationContext(new, old: Snapshot(stored: old))
            defer { context.didEnd() }
            try run(context)
        }
        return MigrationStep(name, kind, version: version)
    }
}

extension Snapshot {
    /// A snapshot of a store with its stored schema.
    fileprivate convenience init(stored reader: any StoreReader) {
        self.init(reader, ContextSetting(reader.schema, RecordTypes()))
    }
}
