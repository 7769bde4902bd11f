import GranaryCore
import GranaryPlatform
import GranaryFormats

/// One import: it stages the objects of a batch as rows, looks up which of them exist with one request for each entity and
/// identity, and writes what differs.
///
/// A batch goes through four steps, each in a file of its own: `stage` makes rows and notes which record refers to which;
/// `lookUp` finds the existing ones; `write` fills in references and writes; `relate` settles to-many relationships. What a
/// batch could not connect, because a later one may bring it, waits in `heldObjects` and `waiting` for `finish`.
///
/// The result is as if the objects were imported one after the other, so that the last one counts: a batch is cut before an
/// object that must be written after an earlier one of the same record. An object that cannot be
/// written before another one comes is held before anything of it is written, and so are those after it that are the same
/// record: the batch is staged again without them. A batch whose records exchange unique values is staged again as well, and
/// written with these values out of the way. So the hooks of types may be called several times for an object.
///
/// It is used by one thread at a time.
final class ImportRun {
    static let maximumDepth = 512

    let importer: Importer
    let schema: Schema
    /// The position of the entity that is imported.
    let top: Int
    /// The key of the one record that is imported into; nil if objects say themselves which records they are.
    private(set) var target: StoredValue?
    @exclusivity(unchecked) private(set) var plans: [EntityPlan?]
    var account = Account()
    /// How many objects of the source are imported, and at which of them something may wait that is not settled.
    private var readCount = 0
    private var firstWaiting: Int?
    /// Stops the import from another thread.
    let cancellation: CancellationFlag

    @exclusivity(unchecked) var batch = Batch()
    /// Values that the reading thread has already decoded, or nil.
    @exclusivity(unchecked) private(set) var decoded: DecodedBatch?
    /// The number of the object that begins the next part of the batch; nil if the part is the last one.
    private var restNumber: Int?
    /// What an object that is being decoded has said of attributes and relationships, taken or not.
    var mentioned: Set<String> = []
    /// Whether several keys of an object that is being decoded mean one attribute or relationship.
    var overlooksKeys = false
    /// What keys of the object that is being decoded leave as it was: attributes by their positions, and relationships after them.
    var leftAlone: [Int] = []

    // What waits for the end.
    var heldObjects = HeldObjects()
    var waiting = Waiting()
    /// Whether what waits is more than the importer allows, which ends the import whatever becomes of failures.
    private var holdsTooMuch = false
    /// Whether references wait in the store, by the entities that keep them, as far as it is known.
    var pending: [Int: Bool] = [:]
    /// Whether nothing comes any more that could be waited for.
    var isLast = false

    /// Whether the records of the source are asked for.
    let keepsKeys: Bool
    @exclusivity(unchecked) var rowWriter: RowWriter
    /// Tells how deep nested objects can be staged on the thread.
    var stack = ThreadStack()
    /// How many members of objects on tapes were not taken from where they lie.
    var madeValues = 0

    init(
        _ importer: Importer, _ entity: String, in schema: Schema, keepsKeys: Bool,
        until cancellation: CancellationFlag = CancellationFlag()
    ) throws {
        self.importer = importer
        self.schema = schema
        self.keepsKeys = keepsKeys
        self.cancellation = cancellation
        top = try schema.position(ofEntity: entity)
        readCount = max(0, importer.start)
        plans = schema.entities.map { _ in nil }
        rowWriter = RowWriter(count: schema.entities.map(\.attributes.count).max() ?? 1)
        if case .mirror = importer.policy, importer.start > 0 {
            throw GranaryError(
                .invalidQuery,
                "An import that begins at object \(importer.start) does not see what comes before, so it cannot mirror the source. Import all of it, or with another policy.",
                entity: entity)
        }
        if importer.missingKey == .create, importer.start > 0 {
            throw GranaryError(
                .invalidQuery,
                "An import that begins at object \(importer.start) may read objects again that are committed, and would make another \(entity) of one without a key. Give each object its key, or import all of the source into an empty store.",
                entity: entity)
        }
        if case .mirror = importer.policy, importer.target != nil {
            throw GranaryError(
                .invalidQuery,
                "An import into one \(entity) does not mirror a source: it would delete all others. Leave the target out, or import with another policy.",
                entity: entity)
        }
        _ = try plan(top)
        target = try targetKey()
        for name in importer.mappings.keys { _ = try plan(try schema.position(ofEntity: name)) }
    }

    /// How an entity is imported.
    func plan(_ entity: Int) throws -> EntityPlan {
        if let plan = plans[entity] { return plan }
        let plan = try EntityPlan(entity, schema, importer, isTop: entity == top)
        plans[entity] = plan
        return plan
    }

    /// The batches of a source.
    func batches(of source: some ImportSource) throws -> BatchesAhead {
        var layout = ImportLayout(root: importer.root.map { ImportPath($0) }, isKeyed: importer.isKeyed)
        layout.meter = ByteMeter()
        account.report.totalBytes = (source as? any SizedSource)?.byteCount
        return try BatchesAhead(source, layout, importer, until: cancellation, decoder: readingDecoder)
    }

    /// Imports the next objects of a source, until it has imported a number of them. Returns whether there may be more.
    func run(_ batches: BatchesAhead, upTo count: Int, in context: Context) throws -> Bool {
        try checkCancellation()
        // Other writers may have kept some since the last commit.
        pending = [:]
        var rest = count
        while rest > 0 {
            guard let read = try batches.next() else {
                account.report.bytesRead = batches.bytesRead
                try finish(in: context)
                account.report.sortIssues()
                firstWaiting = nil
                // The source may end before the object at which this import was to begin.
                readCount = min(readCount, batches.readCount)
                return false
            }
            account.report.bytesRead = read.bytesRead
            try add(read, in: context)
            let isWaiting = !heldObjects.isEmpty || !waiting.isEmpty
            firstWaiting = isWaiting ? firstWaiting ?? readCount : nil
            readCount = read.items.last.map { $0.number + 1 } ?? readCount
            rest -= read.items.count + read.issues.count
            try checkCancellation()
        }
        return true
    }

    /// Notes that what was imported so far is committed.
    func didCommit() {
        account.didCommit(firstWaiting ?? readCount)
    }

    /// Imports all that a source has.
    func run(_ batches: BatchesAhead, in context: Context) throws {
        defer { batches.end() }
        _ = try run(batches, upTo: .max, in: context)
    }

    /// - Throws: `cancelled` if the task is, or the flag is set.
    func checkCancellation() throws {
        guard !Task.isCancelled, !cancellation.isSet else { throw ImportRun.cancelled() }
    }

    /// Imports what has been read of the source.
    func add(_ read: ImportBatch, in context: Context) throws {
        account.report.failed += read.issues.count
        for issue in read.issues { account.report.add(issue) }
        decoded = read.decoded
        defer { decoded = nil }
        if !read.items.isEmpty { try add(read.items, in: context) }
    }

    /// Imports the objects of a batch.
    func add(_ objects: [NumberedItem], in context: Context) throws {
        try checkCancellation()
        var rest = objects
        while !rest.isEmpty {
            let before = account.report
            do {
                switch importer.failures {
                case .throw: try importPart(rest, in: context)
                case .report: try context.savepoint { try importPart(rest, in: context) }
                }
            } catch let error as GranaryError where !error.endsImport && !holdsTooMuch && isDividable(rest) {
                account.report = before
                let end = restNumber
                // One of them cannot be written with the others: each by itself shows which is the first. The parts of the batch
                // before are written and counted.
                for item in rest where end.map({ item.number < $0 }) ?? true {
                    try addAlone(item, because: error, in: context)
                }
                restNumber = end
            }
            guard let end = restNumber else { break }
            rest.removeAll { $0.number < end }
        }
        importer.progress?(report)
    }

    /// Whether something is gained by importing the objects of a batch that has failed each by itself. At the end of the import
    /// they may need each other.
    private func isDividable(_ objects: [NumberedItem]) -> Bool {
        importer.failures == .report || objects.count > 1 && !isLast
    }

    /// Imports one object.
    ///
    /// - Parameter cause: Why it was not imported together with others.
    private func addAlone(_ item: NumberedItem, because cause: GranaryError, in context: Context) throws {
        guard importer.failures == .report else {
            do {
                return try importPart([item], in: context)
            } catch let error as GranaryError where error.code == .uniqueness && cause.code != .uniqueness {
                // It may be one of those that exchange unique values, which is no failure.
                throw cause
            }
        }
        let before = account.report
        do {
            try context.savepoint { try importPart([item], in: context) }
        } catch let error as GranaryError where !error.endsImport && !holdsTooMuch {
            account.report = before
            account.report.failed += 1
            let place = item.item.place
            account.report.add(
                ImportIssue(kind: .failed, path: error.importPath ?? place.path, line: place.line, error: error))
        }
    }

    /// Imports the objects of a batch, but those that must be written apart, see `repetition`: `restNumber` is the first of them.
    private func importPart(_ objects: [NumberedItem], in context: Context) throws {
        defer { clear() }
        restNumber = nil
        let before = account.report
        var late = try stageAll(objects, in: context)
        noteFoundPaths()
        do {
            try together(in: context) { try writeAndRelate(in: context) }
        } catch let error as GranaryError where error.code == .uniqueness {
            account.report = before
            late += try stageAll(batch.items, in: context)
            try together(in: context) {
                guard try putPlaceholders(in: context) else { throw error }
                try writeAndRelate(in: context)
            }
        }
        try hold(late.filter { late in restNumber.map { late.number < $0 } ?? true })
        settleAccounts()
        try forgetPending(in: context)
    }

    /// Writes what belongs together: all of it, or none. References may dangle meanwhile, if the batch has any, or code
    /// that takes over relationships.
    private func together(in context: Context, _ body: () throws -> Void) throws {
        let refers = plans.contains { plan in plan.map { !$0.rows.isEmpty && !$0.referring.isEmpty } ?? false }
        guard refers || !batch.lists.isEmpty || !batch.hooks.isEmpty else { return try context.savepoint(body) }
        try context.deferringReferences(body)
    }

    /// Keeps objects in memory for the end. Throws if they, and the references, lists and hooks that wait, are too large.
    private func hold(_ late: [NumberedItem]) throws {
        guard !isLast, !late.isEmpty || !batch.waiting.isEmpty else { return }
        // A value of their own: what readers have put side by side stays in memory as a whole.
        let late = late.map { NumberedItem(number: $0.number, item: $0.item.detached) }
        // A table that grows is there twice for a moment, which does not count.
        guard heldObjects.bytes(with: late) + waiting.size + batch.waiting.size <= importer.maximumHeldBytes else {
            holdsTooMuch = true
            throw GranaryError(
                .limit,
                "More than \(importer.maximumHeldBytes) bytes of objects, references and lists wait for records that come later. Import these first, or raise the importer's maximumHeldBytes.",
                entity: schema.entities[top].name)
        }
        heldObjects.add(late)
    }

    private func writeAndRelate(in context: Context) throws {
        try writeAll(in: context)
        try connectArrived(in: context)
        try relate(in: context)
        try callHooks(in: context)
    }

    /// Stages objects and looks them up. Returns those that must be held, without which the others are staged.
    private func stageAll(_ all: [NumberedItem], in context: Context) throws -> [NumberedItem] {
        let before = account.report
        var late: [NumberedItem] = []
        var objects = all
        batch.openNames = OpenNames()
        while true {
            clear()
            account.report = before
            batch.items = objects
            for index in objects.indices where batch.cut == nil {
                let row = try stageItem(objects[index], index)
                batch.itemRows.append(row)
            }
            if endPart(&objects) { continue }
            if try lookUpOpenNames(in: context) { continue }
            try lookUp(in: context)
            try cutAfterLists()
            cutAfterArrivals()
            if endPart(&objects) { continue }
            try requireTarget()
            if noteOpenKeys() { continue }
            try keepPlaces()
            forgetUnwantedStubs()
            let held = try heldItems()
            guard !held.isEmpty else { return late.sorted { $0.number < $1.number } }
            late += held.sorted().map { objects[$0] }
            objects = objects.indices.filter { !held.contains($0) }.map { objects[$0] }
            // Keys may be known from objects that are held.
            batch.openNames = OpenNames()
        }
    }

    /// Leaves objects to the next part of the batch. Returns whether there are any.
    private func endPart(_ objects: inout [NumberedItem]) -> Bool {
        guard let cut = batch.cut else { return false }
        restNumber = objects[cut].number
        objects.removeSubrange(cut...)
        batch.openNames = OpenNames()
        return true
    }

    var report: ImportReport { account.report }

    var mirrors: Bool { if case .mirror = importer.policy { true } else { false } }

    private func clear() {
        for case let plan? in plans { plan.clear() }
        batch.clear()
        account.endBatch()
    }
}
