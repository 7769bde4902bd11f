/// One step of a ``MigrationPlan``: what it is called, what it does, and what may be lost by it.
///
/// ```swift
/// MigrationStep.inferred("2026-03 ratings go").dropping("Song.rating")
/// MigrationStep.records("2026-04 split names", of: "Artist") { old, new, store in
///     let parts = try old.value("name", as: String.self).split(separator: " ", maxSplits: 1)
///     try new.set("first", to: String(parts.first ?? ""))
///     try new.set("last", to: String(parts.last ?? ""))
/// }.dropping("Artist.name")
/// ```
///
/// A store takes a step once and keeps its name. A step that a store has taken must not be edited: opening such a store throws
/// `schemaMismatch` with a ``MigrationDrift``. Granary sees the text of SQL, what the step allows, and its `version`,
/// but not that a closure has changed. Raise the version with each change of a closure: a store that has taken the earlier one
/// then says so.
public struct MigrationStep: Sendable {
    /// Makes, once for a migration, what converts each record of an entity.
    ///
    /// - Parameter old: The store as it was.
    package typealias MakeConversion = @Sendable (_ old: any StoreReader) -> RowStep

    /// Gets a record as it was and as it will be.
    package typealias RowStep = (_ old: DynamicRecord, _ new: inout DynamicRecord) throws -> Void

    package enum Kind: Sendable {
        case inferred
        case records(entity: String, MakeConversion)
        case code(@Sendable (_ old: any StoreReader, _ new: any StoreWriter) throws -> Void)
        case sql(String)
        /// The end of a release, which does nothing itself.
        case release
    }

    /// What the store keeps of it; also in messages.
    public let name: String
    let kind: Kind
    private let version: Int
    private(set) var dropped: [String] = []
    private(set) var converted: [String] = []
    private(set) var reached: Schema?
    /// The step that undoes it: one, or none.
    private var ways: [MigrationStep] = []

    package init(_ name: String, _ kind: Kind, version: Int = 1) {
        (self.name, self.kind, self.version) = (name, kind, version)
    }

    /// What can be inferred from the two schemas, and nothing else: a place for ``dropping(_:)`` and ``converting(_:)``.
    public static func inferred(_ name: String) -> MigrationStep { MigrationStep(name, .inferred) }

    /// Runs statements of SQL on the new files of a SQLite store, when all records are in them. Other stores throw
    /// `unsupported` before anything is done.
    public static func sql(_ name: String, _ text: String) -> MigrationStep { MigrationStep(name, .sql(text)) }

    /// The end of a release of the program: see ``MigrationPlan/release(_:schema:_:)``.
    static func release(_ name: String, _ schema: Schema?) -> MigrationStep {
        var step = MigrationStep(name, .release)
        step.reached = schema
        return step
    }

    /// The same step, which may remove entities (`"Song"`), attributes and many-to-many relationships (`"Song.rating"`), by
    /// their stored names, with all that is in them. A reference, or a relationship, that leads to another entity now loses its
    /// values, or its links.
    public func dropping(_ paths: String...) -> MigrationStep {
        var step = self
        step.dropped += paths
        return step
    }

    /// The same step, which may convert attributes (`"Song.rating"`, by its new name) to types that do not hold every value,
    /// many-to-many relationships to references, and references to references to another entity, by the same keys. The first record that would lose something ends the migration with an
    /// error that has its key, and the store stays as it was.
    public func converting(_ paths: String...) -> MigrationStep {
        var step = self
        step.converted += paths
        return step
    }

    /// The same step, which ends in a schema that is not the program's, because later steps go on from it. Steps that follow
    /// work on records of that schema.
    public func reaching(_ schema: Schema) -> MigrationStep {
        var step = self
        step.reached = schema
        return step
    }

    /// The same step with a way back, which ``MigrationPlan/ending(after:)`` takes: a step of any kind, which may remove and
    /// convert what it says. It is not part of the checksum.
    ///
    /// ```swift
    /// .inferred("2026-05 moods").down(.inferred("moods go").dropping("Song.mood"))
    /// ```
    public func down(_ step: MigrationStep) -> MigrationStep {
        var both = self
        both.ways = [step]
        return both
    }

    /// The step that undoes it, or nil.
    var wayBack: MigrationStep? { ways.first }

    /// What the checksum is made of, a line each.
    var text: String {
        var lines: [String]
        switch kind {
        case .inferred: lines = ["inferred"]
        case .records(let entity, _): lines = ["records of \(entity), version \(version)"]
        case .code: lines = ["code, version \(version)"]
        case .sql(let text): lines = ["sql", text]
        // A release in development gets its schema later, and stays the same release.
        case .release: return "release"
        }
        if !dropped.isEmpty { lines.append("dropping \(dropped.sorted().joined(separator: ", "))") }
        if !converted.isEmpty { lines.append("converting \(converted.sorted().joined(separator: ", "))") }
        if let reached { lines.append("reaching \(reached.fingerprint)") }
        return lines.joined(separator: "\n")
    }

    /// What a store keeps of the step.
    var applied: AppliedStep { AppliedStep(name: name, text: text) }

    /// Whether it does something to records, whatever the schemas are.
    var touchesRecords: Bool {
        switch kind {
        case .inferred, .release: false
        case .records, .code, .sql: true
        }
    }

    /// Whether it reads and writes the whole store, after all records are converted.
    var runsOnStore: Bool {
        switch kind {
        case .inferred, .release, .records: false
        case .code, .sql: true
        }
    }

    var isRelease: Bool { if case .release = kind { true } else { false } }

    /// What to throw for what a step's closure has thrown.
    static func failed(
        _ name: String, _ error: any Error, _ entity: Entity? = nil, _ key: StoredValue? = nil
    ) -> any Error {
        if error is CancellationError { return error }
        guard var known = error as? GranaryError else {
            var failure = GranaryError(
                .migrationFailed,
                "The step \"\(name)\" of the migration plan threw \(type(of: error)). The store is as it was. Correct the step, or what it reads.",
                entity: entity?.name)
            failure.key = key
            failure.details = error
            return failure
        }
        guard known.code != .cancelled else { return known }
        known.message = "The step \"\(name)\" of the migration plan failed. \(known.message)"
        if known.entity == nil { known.entity = entity?.name }
        if known.key == nil { known.key = key }
        return known
    }

    /// The entity whose records it converts.
    func converts(_ entity: String) -> MakeConversion? {
        if case .records(entity, let convert) = kind { convert } else { nil }
    }
}
