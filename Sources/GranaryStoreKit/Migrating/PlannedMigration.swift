/// The changes that opening a store with a schema would make. Nothing is changed: ``Stack/plan(_:store:migration:)``
/// returns it, and an error with the code `schemaMismatch` carries it as ``GranaryError/plannedMigration``.
///
/// ```swift
/// let planned = try await Stack.plan(schema, store: .sqlite(at: url), migration: .inferred)
/// print(planned)
/// // 1. rewriting
/// //    Song.year changes from int32 to string (rewriting)
/// //    about 103000 records are read and written
/// // records: Song 100000, Artist 3000
/// // space: about 30.0 MB
/// // time: about 520 ms
/// ```
public struct PlannedMigration: Sendable, Hashable, Codable {
    /// The changes of one transaction, or of one new generation of the store's files.
    public struct Stage: Sendable, Hashable, Codable {
        /// The names of the plan's steps that are applied.
        public let steps: [String]
        public let difference: SchemaDifference
        /// `instant`: one transaction; no record is written. `rewriting`: new files are made beside the old ones and
        /// replace them. `lossy`: the same, and stored data is lost, or may be.
        public let cost: SchemaChange.Cost
        /// How often every record is read and written: never if `cost` is `instant`; twice if code runs on the records
        /// before data is removed from them or becomes required.
        public let rewritings: Int
    }

    /// The number of records of an entity of the store.
    public struct RecordCount: Sendable, Hashable, Codable {
        public let entity: String
        public let count: Int
    }

    /// The stages in order. Empty if the store can be opened as it is.
    public internal(set) var stages: [Stage] = []
    /// The difference between the stored schema and the program's.
    public let difference: SchemaDifference
    /// The changes that the policy does not allow: they make opening throw `schemaMismatch`.
    public internal(set) var refused: [SchemaChange] = []
    /// The records of the store, by its own names; empty if they were not counted, as in errors.
    public internal(set) var records: [RecordCount] = []
    /// The indexes of words that opening the store makes, with the number of records that are read for each, by the
    /// program's names; empty if they were not counted.
    public internal(set) var wordIndexes: [RecordCount] = []
    /// The stored schema.
    package let stored: Schema
    /// The size of the store's files, in bytes; nil if it is not known.
    public internal(set) var size: Int?

    /// A plan without stages: all changes are refused.
    init(refusing stored: Schema, to program: Schema) {
        self.stored = stored
        difference = SchemaDifference(from: stored, to: program)
        refused = difference.changes
    }

    init(from stored: Schema, to program: Schema, _ policy: MigrationPolicy) throws {
        self.stored = stored
        difference = SchemaDifference(from: stored, to: program)
        for stage in try SchemaMigration.stages(from: stored, to: program, policy) {
            var cost = stage.difference.cost ?? .instant
            if stage.steps.contains(where: \.touchesRecords) { cost = max(cost, .rewriting) }
            let rewritings = cost == .instant ? 0 : stage.draft == nil ? 1 : 2
            stages.append(
                Stage(
                    steps: stage.steps.map(\.name), difference: stage.difference, cost: cost, rewritings: rewritings))
            refused += stage.refused(policy)
        }
        if !policy.mayMigrate { refused = difference.changes.filter(\.changesStorage) }
        // Only to-many relationships differ: their declarations are written when the store is opened.
        if stages.isEmpty, policy.mayMigrate, !difference.isEmpty {
            stages.append(Stage(steps: [], difference: difference, cost: .instant, rewritings: 0))
        }
    }

    /// Counts the records of the store.
    mutating func count(_ reader: any StoreReader) throws {
        records = try reader.schema.entities.enumerated().map { number, entity in
            RecordCount(entity: entity.name, count: try reader.count(FetchRequest(entity: number)))
        }
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { stages.isEmpty && refused.isEmpty }

    /// The greatest cost of a stage; nil without stages.
    public var cost: SchemaChange.Cost? { stages.map(\.cost).max() }

    private var rewritings: Int { stages.map(\.rewritings).reduce(0, +) }

    /// About how many bytes of disk space the migration needs beside the store: for the new files and for what an
    /// engine adds while it makes indexes. 0 if no record is written; nil if the size of the files is not known.
    public var space: Int? {
        let most = stages.map(\.rewritings).max() ?? 0
        return most == 0 ? 0 : size.map { most * ($0 + $0 / 4) }
    }

    /// About how many seconds the migration takes on a present-day machine: reading, writing and reading again, and
    /// making the entries of new indexes.
    public var seconds: Double {
        let rows = Double(records.map(\.count).reduce(0, +))
        return 0.005 * Double(stages.count) + Double(rewritings) * rows * 5e-6 + entries * 1e-6
            + Double(wordIndexes.map(\.count).reduce(0, +)) * 2e-5
    }

    /// The number of entries that are made for indexes if no record is rewritten.
    private var entries: Double { Double(stages.map(entries(of:)).reduce(0, +)) }

    private func entries(of stage: Stage) -> Int {
        guard stage.cost == .instant else { return 0 }
        return stage.difference.changes.reduce(0) { sum, change in
            switch change {
            case .uniquenessChanged(_, let index) where !index.isUnique: sum
            case .indexAdded, .uniquenessChanged, .foldingChanged: sum + (count(of: change.entity) ?? 0)
            default: sum
            }
        }
    }

    /// The number of records that a stage reads, in words; nil if it reads none, or they were not counted.
    private func work(of stage: Stage) -> String? {
        guard !records.isEmpty else { return nil }
        if stage.cost > .instant {
            let count = records.map(\.count).reduce(0, +)
            return "about \(count) records are read and written\(stage.rewritings > 1 ? ", twice" : "")"
        }
        let entries = entries(of: stage)
        return entries == 0 ? nil : "about \(entries) entries of indexes are made"
    }

    /// The number of records of an entity, by its stored or its new name; nil if they were not counted.
    package func count(of entity: String) -> Int? {
        var name = entity
        for case .entityRenamed(entity, let old) in difference.changes { name = old }
        return records.first { $0.entity == name }?.count
    }
}

extension PlannedMigration: CustomStringConvertible {
    /// A line for each stage, for each change, and for the amount of reading and writing; then the records of the
    /// store, the space and time needed, and the refused changes.
    public var description: String {
        let words = wordIndexes.map { "index of words: \($0.count) records of \($0.entity) are read" }
        guard !isEmpty else { return (["The store has this schema."] + words).joined(separator: "\n") }
        var lines: [String] = []
        for (number, stage) in stages.enumerated() {
            var line = "\(number + 1). \(stage.cost.rawValue)"
            if !stage.steps.isEmpty { line += ": \(stage.steps.joined(separator: ", "))" }
            lines.append(line)
            lines += stage.difference.changes.map { "   \($0) (\($0.cost.rawValue))" }
            if let work = work(of: stage) { lines.append("   \(work)") }
        }
        if !records.isEmpty {
            lines.append("records: \(records.map { "\($0.entity) \($0.count)" }.joined(separator: ", "))")
        }
        lines += words
        if let space, rewritings > 0 { lines.append("space: about \(readableSize(space))") }
        if !records.isEmpty {
            lines.append("time: about \(seconds < 1 ? "\(Int(seconds * 1000)) ms" : "\(Int(seconds.rounded())) s")")
        }
        if !refused.isEmpty {
            lines.append("refused:")
            lines += refused.map { "   \($0) (\($0.cost.rawValue))" }
        }
        return lines.joined(separator: "\n")
    }
}

extension GranaryError {
    /// For a `schemaMismatch` error thrown while opening a store: the changes that would be needed. Nil for any other
    /// error.
    public var plannedMigration: PlannedMigration? { details as? PlannedMigration }

    /// For a `schemaMismatch` error thrown while opening a store: the difference between the stored schema and the
    /// program's. Nil for any other error.
    public var schemaDifference: SchemaDifference? { plannedMigration?.difference }
}

extension PlannedMigration {
    /// Why a store is not migrated.
    enum Refusal {
        case none, costly, readOnly
        /// The store cannot make new files.
        case unable
        /// A copy goes directly from one schema to another, and the plan has a third schema in between.
        case staged
    }

    func mismatch(_ refusal: Refusal) -> GranaryError {
        let shown = refusal == .costly || refusal == .unable ? refused : difference.changes
        let words =
            shown.prefix(8).map(\.description).joined(separator: "; ")
            + (shown.count > 8 ? "; and \(shown.count - 8) more" : "")
        let advice =
            switch refusal {
            case .none: "Open it with the schema it was made for, or use another path."
            case .costly: PlannedMigration.advice(for: shown)
            case .readOnly: "Open it for writing once, so that it is migrated."
            case .staged:
                "The steps of the migration plan reach other schemas on the way. Open the store itself with the plan once."
            case .unable: "This store cannot rewrite its records. Copy it into a new one with the schema."
            }
        let what = words.isEmpty ? "steps of the migration plan are to be taken" : words
        var error = GranaryError(.schemaMismatch, "The store was made for another schema: \(what). \(advice)")
        if let entity = shown.first?.entity, shown.allSatisfy({ $0.entity == entity }) { error.entity = entity }
        error.details = self
        return error
    }

    private static func advice(for refused: [SchemaChange]) -> String {
        if refused.contains(where: { $0.cost == .lossy }) {
            return
                "What may lose values is done only if a step of a migration plan says so: see MigrationStep.dropping and"
                + " converting. Or open it with the schema it was made for."
        }
        let missing = refused.compactMap { change in
            if case .attributeAdded(let entity, let attribute) = change, change.cost == .rewriting {
                return "\(entity).\(attribute.name)"
            }
            return nil
        }
        if !missing.isEmpty {
            return
                "\(missing.joined(separator: ", ")) must have a value, and the schema has no default for the records that are there:"
                + " a literal or a case of an enum is one, `Date()` is not. Give it such a default, make it optional, or set it"
                + " in a step of a migration plan: see MigrationStep.records."
        }
        return "This rewrites records. Open it with migration: .inferred, or with the schema it was made for."
    }
}
