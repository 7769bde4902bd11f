/// One step of a ``MigrationPlan``: its name, what it does, and which data it may lose.
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
/// A store applies a step once and records its name. A step that a store has applied must not be edited: opening such a
/// store throws `schemaMismatch` with a ``MigrationDrift``. Granary compares the text of SQL, the permissions of the
/// step, and its `version`, but cannot see that a closure has changed. Raise the version with each change of a closure:
/// then the error is also thrown for a store that has applied the earlier one.
public struct MigrationStep: Sendable {
    /// Makes the conversion for the records of an entity, once for each migration.
    ///
    /// - Parameter old: The store as it was.
    package typealias MakeConversion = @Sendable (_ old: any StoreReader) -> RowStep

    /// Gets a record before and after the conversion.
    package typealias RowStep = (_ old: DynamicRecord, _ new: inout DynamicRecord) throws -> Void

    package enum Kind: Sendable {
        case inferred
        case records(entity: String, MakeConversion)
        case code(@Sendable (_ old: any StoreReader, _ new: any StoreWriter) throws -> Void)
        case sql(String)
        /// The end of a release. It has no effect of its own.
        case release
    }

    /// The name that the store records and messages use.
    public let name: String
    let kind: Kind
    private let version: Int
    private(set) var dropped: [String] = []
    private(set) var converted: [String] = []
    private(set) var reached: Schema?
    /// The step that undoes it: an array with one element or none.
    private var ways: [MigrationStep] = []

    package init(_ name: String, _ kind: Kind, version: Int = 1) {
        (self.name, self.kind, self.version) = (name, kind, version)
    }

    /// Only changes that can be inferred from the two schemas: a place for ``dropping(_:)`` and ``converting(_:)``.
    public static func inferred(_ name: String) -> MigrationStep { MigrationStep(name, .inferred) }

    /// Runs SQL statements on the new files of a SQLite store, after all records are in them. Other stores throw
    /// `unsupported` before anything is done.
    public static func sql(_ name: String, _ text: String) -> MigrationStep { MigrationStep(name, .sql(text)) }

    /// The end of a release of the program: see ``MigrationPlan/release(_:schema:_:)``.
    static func release(_ name: String, _ schema: Schema?) -> MigrationStep {
        var step = MigrationStep(name, .release)
        step.reached = schema
        return step
    }

    /// The same step with permission to remove entities (`"Song"`), attributes and many-to-many relationships
    /// (`"Song.rating"`), by their stored names, with all their data. A reference, or a relationship, that has another
    /// target now loses its values, or its links.
    public func dropping(_ paths: String...) -> MigrationStep {
        var step = self
        step.dropped += paths
        return step
    }

    /// The same step with permission to convert attributes (`"Song.rating"`, by its new name) to types that do not hold
    /// every value, many-to-many relationships to references, and references to references to another entity, by the
    /// same keys. The first record that would lose data ends the migration with an error that has its key, and the
    /// store stays as it was.
    public func converting(_ paths: String...) -> MigrationStep {
        var step = self
        step.converted += paths
        return step
    }

    /// The same step, ending in a schema other than the program's, because later steps continue from it. Steps after it
    /// work on records of that schema.
    public func reaching(_ schema: Schema) -> MigrationStep {
        var step = self
        step.reached = schema
        return step
    }

    /// The same step with a way back, which ``MigrationPlan/ending(after:)`` uses: a step of any kind, which may remove
    /// and convert what it declares. It is not part of the checksum.
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

    /// The text for the checksum, in lines.
    var text: String {
        var lines: [String]
        switch kind {
        case .inferred: lines = ["inferred"]
        case .records(let entity, _): lines = ["records of \(entity), version \(version)"]
        case .code: lines = ["code, version \(version)"]
        case .sql(let text): lines = ["sql", text]
        // A release in development gets its schema later, and remains the same release.
        case .release: return "release"
        }
        if !dropped.isEmpty { lines.append("dropping \(dropped.sorted().joined(separator: ", "))") }
        if !converted.isEmpty { lines.append("converting \(converted.sorted().joined(separator: ", "))") }
        if let reached { lines.append("reaching \(reached.fingerprint)") }
        return lines.joined(separator: "\n")
    }

    /// What a store records about the step.
    var applied: AppliedStep { AppliedStep(name: name, text: text) }

    /// Whether it has an effect on records, whatever the schemas are.
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

    /// The error to throw for an error of a step's closure.
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
