import Foundation
import GranaryPlatform

/// Several stores, each with a part of the entities, as one store.
///
/// Each part keeps the rules between its own records. This store keeps those between records of two parts: references,
/// and what follows from a deletion.
final class PartedStore: Store {
    struct OpenPart {
        let name: String
        let store: any Store
        let isReadOnly: Bool

        var isKept: Bool { store.capabilities.has(.persistence) }
    }

    let parts: [OpenPart]
    let map: PartedSchema
    let rules: SchemaRules
    let capabilities: Capabilities
    private let shared: SharedParts
    /// The parts that are written to, in the order in which their transactions begin: the same for all stores over
    /// them, so that two writers never wait for each other.
    private let writable: [Int]

    /// - Parameters:
    ///   - program: The schema of the stack.
    ///   - parts: The open parts; the first one has the record types that no other part has.
    ///   - mayMigrate: Whether the schema is written down if another one is.
    /// - Throws: `unknownEntity` if no part has an entity; what completing a commit throws.
    init(_ program: Schema, _ parts: [OpenPart], mayMigrate: Bool) throws {
        self.parts = parts
        map = try PartedSchema(program, parts.map(\.store.schema))
        capabilities = PartedStore.capabilities(of: parts.map(\.store.capabilities))
        rules = SchemaRules(map.schema, limits: capabilities.limits)
        shared = SharedParts.of(parts.map(\.store.coordinator), map)
        writable = parts.indices.filter { !parts[$0].isReadOnly }
            .sorted { (parts[$0].store.location ?? "", $0) < (parts[$1].store.location ?? "", $1) }
        for part in writable where !parts[part].store.capabilities.has(.changeRecording) {
            throw GranaryError.unsupported(
                .changeRecording,
                "The part \"\(parts[part].name)\" is written to, and its store, \(parts[part].store.kind), cannot tell what a transaction changes, which \(Capability.changeRecording) needs. Use another kind of store, or open it for reading only."
            )
        }
        try refuseRulesIntoReadOnlyParts()
        try prepareNotes(program, mayMigrate: mayMigrate)
    }

    /// What all parts can do, without what needs one engine.
    private static func capabilities(of parts: [Capabilities]) -> Capabilities {
        var features = parts.dropFirst().reduce(parts[0].features) { $0.intersection($1.features) }
        // A part says so only if it has such attributes.
        if parts.contains(where: { $0.has(.externalData) }) { features.insert(.externalData) }
        if parts.allSatisfy({ $0.has(.reopening) }) { features.insert(.reopening) }
        features.subtract([.rawSQL, .filling, .groupCommit])
        return Capabilities(
            features: features,
            limits: Capabilities.Limits(
                valueSize: parts.map(\.limits.valueSize).min() ?? 0, keySize: parts.map(\.limits.keySize).min() ?? 0,
                // A statement about several parts needs one more.
                savepointDepth: (parts.map(\.limits.savepointDepth).min() ?? 1) - 1))
    }

    var kind: String { "parts" }
    var schema: Schema { map.schema }
    var location: String? { parts[0].store.location }
    var coordinator: StoreCoordinator { shared.coordinator }

    // MARK: Reading

    func beginRead(_ cancellation: CancellationFlag) throws -> any StoreReader {
        var deadline: Deadline?
        while true {
            let count = shared.countOfCommits()
            let readers = try beginReads(cancellation)
            var state = PartsState.moving
            do {
                if shared.countOfCommits() == count { state = try self.state(of: readers) }
            } catch {
                for reader in readers { reader.end() }
                throw error
            }
            if case .together(let number) = state {
                return PartedReader(map, rules, readers, number: number, cancellation)
            }
            for reader in readers { reader.end() }
            try cancellation.check()
            guard case .lacking = state else { continue }
            // Another process is between two parts, or has ended there.
            let end = deadline ?? Deadline(seconds: 5)
            deadline = end
            if end.isOver {
                try complete()
                deadline = nil
            } else {
                Deadline.pause(seconds: 0.001)
            }
        }
    }

    /// Begins to read each part.
    private func beginReads(_ cancellation: CancellationFlag) throws -> [any StoreReader] {
        var readers: [any StoreReader] = []
        do {
            for part in parts { readers.append(try part.store.beginRead(cancellation)) }
        } catch {
            for reader in readers { reader.end() }
            throw error
        }
        return readers
    }

    /// What readers of all parts see.
    private enum PartsState {
        /// A state that all parts had at one time, with its number.
        case together(UInt64)
        /// States that the parts had at different times.
        case moving
        /// A state in which a part lacks a commit that another one has.
        case lacking
    }

    private func state(of readers: [any StoreReader]) throws -> PartsState {
        let numbers = readers.map(\.transactionNumber)
        if let number = shared.number(of: numbers) { return .together(number) }
        if map.notes.count(where: { $0 != nil }) > 1 {
            // If no earlier part has another state now, all were in these states when the last one was read.
            for (part, number) in zip(parts, numbers).dropLast() {
                let again = try part.store.beginRead(CancellationFlag())
                defer { again.end() }
                guard again.transactionNumber == number else { return .moving }
            }
            guard try missing(in: readers).isEmpty else { return .lacking }
        }
        let number = try countedNumber(of: readers)
        shared.know(numbers, number)
        return .together(number)
    }

    /// The number of the last commit: those of the parts, of which some count together.
    private func countedNumber(of readers: [any StoreReader]) throws -> UInt64 {
        var number: UInt64 = 0
        for (part, reader) in readers.enumerated() {
            number &+= reader.transactionNumber &- (try counted(part, in: reader))
        }
        try StoredCount.check(number)
        return number
    }

    private func counted(_ part: Int, in reader: any StoreReader) throws -> UInt64 {
        guard let position = map.notes[part] else { return 0 }
        let number = try PartNotes.note(PartNotes.own, in: reader, at: position)?.number ?? 0
        return UInt64(clamping: number)
    }

    // MARK: Writing

    func beginWrite() throws -> any StoreWriter {
        let (readers, writers) = try beginParts()
        do {
            if try !missing(in: readers).isEmpty {
                for reader in readers { reader.end() }
                try complete()
                return try beginWrite()
            }
            let number = try countedNumber(of: readers)
            shared.know(readers.map(\.transactionNumber), number)
            return PartedWriter(self, readers, writers, number: number)
        } catch {
            for reader in readers { reader.end() }
            throw error
        }
    }

    /// Begins to write each part that is written to, and to read the others.
    private func beginParts() throws -> (readers: [any StoreReader], writers: [(any StoreWriter)?]) {
        guard !writable.isEmpty else { throw GranaryError.readOnly(location ?? parts[0].name) }
        var writers = [(any StoreWriter)?](repeating: nil, count: parts.count)
        var readers: [(any StoreReader)?] = writers
        do {
            for part in writable {
                writers[part] = try parts[part].store.beginWrite()
                readers[part] = writers[part]
            }
            for part in parts.indices where readers[part] == nil {
                readers[part] = try parts[part].store.beginRead(CancellationFlag())
            }
        } catch {
            for reader in readers { reader?.end() }
            throw error
        }
        return (readers.compactMap(\.self), writers)
    }

    // MARK: Notes

    /// Writes down what the first part keeps about the stack. It does not count as a commit.
    private func prepareNotes(_ program: Schema, mayMigrate: Bool) throws {
        if !writable.isEmpty, try lacksCommit() { try complete() }
        guard let position = map.notes[0], !parts[0].isReadOnly else { return }
        let json = try program.json()
        let reader = try parts[0].store.beginRead(CancellationFlag())
        let kept = try? PartNotes.note(PartNotes.schema, in: reader, at: position)
        reader.end()
        guard kept == nil || mayMigrate, kept?.contents != json else { return }
        if let known = try kept?.contents.map({ try Schema(json: $0) }), let work = LongWork.current {
            // A relationship between two parts is declared in no part.
            let noted = work.migration.changes
            let declared = SchemaDifference(from: known, to: program).changes.filter { !$0.changesStorage }
            work.note(declared.filter { !noted.contains($0) })
        }
        let writer = try parts[0].store.beginWrite()
        defer { writer.end() }
        try PartNotes.keep(PartNotes.Note(number: 0, contents: json), as: PartNotes.schema, in: writer, at: position)
        try countTogether(0, in: writer)
        _ = try writer.commit()
    }

    /// Whether a part lacks a commit that another one has.
    private func lacksCommit() throws -> Bool {
        while true {
            let readers = try beginReads(CancellationFlag())
            defer { for reader in readers { reader.end() } }
            switch try state(of: readers) {
            case .together: return false
            case .lacking: return true
            case .moving: continue
            }
        }
    }

    /// Makes the commit of a part count with another one.
    ///
    /// - Returns: The number of the part's commits that count with others, with this one.
    @discardableResult func countTogether(_ part: Int, in writer: any StoreWriter) throws -> Int64 {
        guard let position = map.notes[part] else { return 0 }
        var note = try PartNotes.note(PartNotes.own, in: writer, at: position) ?? PartNotes.Note(number: 0)
        note.number += 1
        try PartNotes.keep(note, as: PartNotes.own, in: writer, at: position)
        return note.number
    }

    struct MissingCommit {
        /// The part that lacks the commit.
        var part: Int
        var note: PartNotes.Note
    }

    /// The commits that a part lacks, and another one has.
    func missing(in readers: [any StoreReader]) throws -> [MissingCommit] {
        var missing: [MissingCommit] = []
        for (part, keeper) in parts.enumerated() {
            guard let position = map.notes[part] else { continue }
            for (other, target) in parts.enumerated() where other != part && map.notes[other] != nil && target.isKept {
                guard let note = try PartNotes.note(target.name, in: readers[part], at: position) else { continue }
                let made = try counted(other, in: readers[other])
                guard UInt64(clamping: note.number) > made else { continue }
                guard UInt64(clamping: note.number) == made + 1, note.contents != nil else {
                    throw PartedStore.replaced(target.name, keeper: keeper.name)
                }
                missing.append(MissingCommit(part: other, note: note))
            }
        }
        return missing
    }

    /// Makes the commits that parts lack, because a process has ended between two parts, or a disk was full.
    ///
    /// - Throws: What writing throws; `readOnly` if a part that lacks a commit is open for reading only.
    func complete() throws {
        let (readers, writers) = try beginParts()
        defer { for reader in readers { reader.end() } }
        for missing in try missing(in: readers) {
            guard let writer = writers[missing.part] else {
                throw GranaryError(
                    .readOnly,
                    "The part \"\(parts[missing.part].name)\" lacks a commit that another part has. Open it for writing once, so that it is made."
                )
            }
            try PartChanges(missing.note.contents ?? []).apply(to: writer)
            try countTogether(missing.part, in: writer)
            _ = try writer.commit()
        }
    }

    /// A commit of several parts. Between the first and the last of them no read of this process begins.
    func between(_ commit: () throws -> Void) rethrows {
        shared.beginBetween()
        defer { shared.endBetween() }
        try commit()
    }

    /// Notes the numbers of the parts' commits after a commit with a number.
    func know(_ numbers: [UInt64], _ number: UInt64) { shared.know(numbers, number) }

    private static func replaced(_ part: String, keeper: String) -> GranaryError {
        GranaryError(
            .corrupt,
            "The part \"\(part)\" is older than the part \"\(keeper)\" knows it: it was replaced or restored from a backup. Restore all parts from backups of the same time, or give the part another name if it may be as it is."
        )
    }

    // MARK: Rules into parts that are only read

    private func refuseRulesIntoReadOnlyParts() throws {
        for (source, entity) in map.schema.entities.enumerated() {
            let part = parts[map.places[source].part]
            guard part.isReadOnly else { continue }
            for reference in map.outgoing[source] {
                let attribute = entity.attributes[reference.position]
                guard let rule = attribute.reference?.onDelete, rule != .deny,
                    !parts[map.places[reference.target].part].isReadOnly
                else { continue }
                throw GranaryError(
                    .invalidSchema,
                    "\(entity.path(of: attribute.name)) is in the part \"\(part.name)\", which is only read: when its record is deleted, the rule \(rule) could not be followed. Give the reference the rule deny or noAction, or open the part for writing.",
                    about: entity, [attribute.name])
            }
        }
    }

    // MARK: The stores of the parts

    func verify() throws -> [String] {
        var faults: [String] = []
        try followed { faults += try $0.verify() }
        let reader = try beginRead(LongWork.current?.cancellation ?? CancellationFlag())
        defer { reader.end() }
        for (source, entity) in map.schema.entities.enumerated() {
            for reference in map.outgoing[source] {
                var found = FaultList()
                var request = FetchRequest(entity: source)
                request.columns = [entity.positionOfKeyInErrors, reference.position].map {
                    TypedExpression(.attribute($0), entity.attributes[$0].type, isOptional: true)
                }
                let rows = try reader.rows(request)
                while let row = try rows.next() {
                    let key = StoredValue(row[0])
                    let target = StoredValue(row[1])
                    guard target != .null,
                        try target.withCell({ try reader.find($0, in: reference.target) == nil })
                    else { continue }
                    found.append(
                        entity.danglingFault(
                            at: reference.position, ofKey: key, to: map.schema.entities[reference.target]))
                }
                faults += found.lines
            }
        }
        return faults
    }

    func compact() throws {
        guard !writable.isEmpty else { return try parts[0].store.compact() }
        try followedInEqualShares(writable) { try $0.compact() }
    }

    /// Backs up the parts that are kept in files: the first one at the path, each other one beside it, with its name at
    /// the end of the path. Writes wait, so that all backups have the same commits.
    func backUp(to path: String) throws {
        let kept = parts.indices.filter { parts[$0].isKept }
        guard !kept.isEmpty else { return try parts[0].store.backUp(to: path) }
        func place(_ part: Int) -> String { part == 0 ? path : "\(path).\(parts[part].name)" }
        for part in kept where try FileSystem.status(place(part)) != nil {
            throw GranaryError.placeTaken(place(part))
        }
        let readers = writable.count > 1 ? try beginParts().readers : []
        defer { for reader in readers { reader.end() } }
        if !readers.isEmpty, try !missing(in: readers).isEmpty { throw GranaryError.inUse(location ?? path) }
        var made: [String] = []
        do {
            // The first one last: a path with a store there has a whole backup.
            try followedInEqualShares(kept.reversed()) { store in
                guard let part = parts.firstIndex(where: { $0.store === store }) else { return }
                try store.backUp(to: place(part))
                made.append(place(part))
            }
        } catch {
            for place in made { try? FileManager.default.removeItem(atPath: place) }
            throw error
        }
    }

    func rebuildIndexes() throws {
        guard !writable.isEmpty else { return try parts[0].store.rebuildIndexes() }
        try followed { [writable, parts] store in
            guard writable.contains(where: { parts[$0].store === store }) else { return }
            try store.rebuildIndexes()
        }
    }
    func removeDroppedIndexes() throws { try forEachWritable { try $0.removeDroppedIndexes() } }
    func synchronize() throws { try forEachWritable { try $0.synchronize() } }

    /// Does long work on each part, whose progress is that of all of them.
    private func followed(_ body: (any Store) throws -> Void) throws {
        guard let work = LongWork.current, let onProgress = work.onProgress else {
            return try parts.forEach { try body($0.store) }
        }
        let counts = try parts.map { part -> (all: Int, own: Int) in
            let reader = try part.store.beginRead(work.cancellation)
            defer { reader.end() }
            let notes = reader.schema.entities.firstIndex { $0.name == Entity.partNotesName }
            let notesCount = try notes.map { try reader.count(FetchRequest(entity: $0)) } ?? 0
            let all = try reader.recordCount()
            return (all: all, own: all - notesCount)
        }
        let total = counts.map(\.own).reduce(0, +)
        var before = 0
        for (part, count) in zip(parts, counts) {
            let last = part.store.schema.entities.last { $0.name != Entity.partNotesName }?.path ?? ""
            let tell: @Sendable (StoreProgress) -> Void = { [before] progress in
                let entity = progress.entity == Entity.partNotesName ? last : progress.entity
                let records = Int((progress.fraction * Double(count.all)).rounded())
                onProgress(
                    StoreProgress(entity: entity, records: before + min(count.own, records), total: total))
            }
            let isSilent = count.own == 0 && total > 0
            let own = LongWork(onProgress: isSilent ? nil : tell, cancellation: work.cancellation)
            try own.run { try body(part.store) }
            before += count.own
        }
    }

    /// Does long work on some parts that count entries of their engines: each part counts the same.
    private func followedInEqualShares(_ chosen: [Int], _ body: (any Store) throws -> Void) throws {
        guard let work = LongWork.current, let onProgress = work.onProgress else {
            return try chosen.forEach { try body(parts[$0].store) }
        }
        let share = 1_000_000
        for (number, part) in chosen.enumerated() {
            let own = LongWork(
                onProgress: { progress in
                    let records = number * share + Int(progress.fraction * Double(share))
                    onProgress(
                        StoreProgress(entity: progress.entity, records: records, total: chosen.count * share))
                }, cancellation: work.cancellation)
            try own.run { try body(parts[part].store) }
        }
    }

    private func forEachWritable(_ body: (any Store) throws -> Void) throws {
        guard !writable.isEmpty else { return try body(parts[0].store) }
        for part in writable { try body(parts[part].store) }
    }

    func foreignReads() -> [ForeignRead] { parts.flatMap { $0.store.foreignReads() } }
    func foreignBlockage() -> Duration? { parts.compactMap { $0.store.foreignBlockage() }.max() }

    func close() throws { try PartedStore.close(parts.map(\.store)) }

    /// Closes all stores, also if one cannot be closed.
    static func close(_ stores: [any Store]) throws {
        var failure: (any Error)?
        for store in stores.reversed() {
            do { try store.close() } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }
}
