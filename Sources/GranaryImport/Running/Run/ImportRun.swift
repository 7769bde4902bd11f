import GranaryCore
import GranaryPlatform
import GranaryFormats

/// One import: it hands the batches of a source to the stages, and keeps what a batch leaves to later ones.
///
/// A batch goes through these stages: ``Staging`` makes rows and notes which record refers to which; ``LookUp`` finds the
/// existing ones; ``Holding`` tells which objects must wait for others; ``Writing`` fills in references and writes; ``Relating``
/// settles to-many relationships. What a batch could not connect, because a later one may bring it, is held and waits for
/// ``Ending``.
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

    let plans: EntityPlans
    let account: Account
    let kept: KeptReferences
    /// Stops the import from another thread.
    private let cancellation: CancellationFlag
    /// Whether the records of the source are asked for.
    private let keepsKeys: Bool
    /// Whether the import begins its transactions itself.
    var ownsTransactions = false

    // What waits for the end.
    private var held = HeldObjects()
    private(set) var waiting = Waiting()
    /// Whether what waits is more than the importer allows, which ends the import whatever becomes of failures.
    private var holdsTooMuch = false
    /// Whether nothing comes any more that could be waited for.
    private var isLast = false

    /// How many objects of the source are imported, and at which of them something may wait that is not settled.
    private var readCount: Int
    private var firstWaiting: Int?
    /// The number of the object that begins the next part of the batch; nil if the part is the last one.
    private var restNumber: Int?

    init(
        _ importer: Importer, _ entity: String, in schema: Schema, keepsKeys: Bool,
        until cancellation: CancellationFlag = CancellationFlag()
    ) throws {
        plans = try EntityPlans(importer, entity, in: schema)
        account = Account(importer)
        kept = KeptReferences(plans, account)
        self.cancellation = cancellation
        self.keepsKeys = keepsKeys
        readCount = max(0, importer.start)
    }

    var importer: Importer { plans.importer }
    var report: ImportReport { account.report }

    private func session(_ context: Context) -> ImportSession {
        ImportSession(
            plans: plans, account: account, kept: kept, context: context, cancellation: cancellation,
            ownsTransaction: ownsTransactions)
    }

    /// The batches of a source.
    func batches(of source: some ImportSource) throws -> BatchesAhead {
        var layout = ImportLayout(root: importer.root.map { ImportPath($0) }, isKeyed: importer.isKeyed)
        layout.meter = ByteMeter()
        account.report.totalBytes = (source as? any SizedSource)?.byteCount
        return try BatchesAhead(source, layout, importer, until: cancellation, decoder: plans.readingDecoder)
    }

    /// Imports the next objects of a source, until it has imported a number of them. Returns whether there may be more.
    func run(_ batches: BatchesAhead, upTo count: Int, in context: Context) throws -> Bool {
        let session = session(context)
        try session.checkCancellation()
        kept.beginTransaction()
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
            let isWaiting = !held.isEmpty || !waiting.isEmpty
            firstWaiting = isWaiting ? firstWaiting ?? readCount : nil
            readCount = read.items.last.map { $0.number + 1 } ?? readCount
            rest -= read.items.count + read.issues.count
            try session.checkCancellation()
        }
        return true
    }

    /// Imports all that a source has.
    func run(_ batches: BatchesAhead, in context: Context) throws {
        defer { batches.end() }
        _ = try run(batches, upTo: .max, in: context)
    }

    /// Notes that what was imported so far is committed.
    func didCommit() { account.didCommit(firstWaiting ?? readCount) }

    /// Imports what had to wait, deletes what the source does not have, and reports what is missing.
    func finish(in context: Context) throws {
        // Each round may bring what others wait for. Objects that need each other are written together: if a round in batches
        // brings nothing, the next one is one batch.
        var isWhole = false
        while !held.isEmpty {
            let round = held.takeAll()
            let size = isWhole ? round.count : max(1, importer.batchSize)
            for start in stride(from: 0, to: round.count, by: size) {
                try add(ImportBatch(items: Array(round[start..<min(start + size, round.count)])), in: context)
            }
            if isLast { break }
            let isStuck = held.objects.count == round.count
            isLast = isStuck && (isWhole || round.count <= size)
            isWhole = isStuck
        }
        isLast = true
        var ending = Ending(session: session(context), waiting: waiting)
        waiting = Waiting()
        try ending.run()
    }

    // MARK: Batches

    /// Imports what has been read of the source.
    func add(_ read: ImportBatch, in context: Context) throws {
        account.report.failed += read.issues.count
        for issue in read.issues { account.report.add(issue) }
        guard !read.items.isEmpty else { return }
        let session = session(context)
        try session.checkCancellation()
        var rest = read.items
        while !rest.isEmpty {
            let before = account.report
            do {
                switch importer.failures {
                case .throw: try importPart(rest, read.decoded, session)
                case .report: try context.savepoint { try importPart(rest, read.decoded, session) }
                }
            } catch let error as GranaryError where !error.endsImport && !holdsTooMuch && isDividable(rest) {
                account.report = before
                let end = restNumber
                // One of them cannot be written with the others: each by itself shows which is the first. The parts of the batch
                // before are written and counted.
                for item in rest where end.map({ item.number < $0 }) ?? true {
                    try addAlone(item, read.decoded, because: error, session)
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
    private func addAlone(
        _ item: NumberedItem, _ decoded: DecodedBatch?, because cause: GranaryError, _ session: ImportSession
    ) throws {
        guard importer.failures == .report else {
            do {
                return try importPart([item], decoded, session)
            } catch let error as GranaryError where error.code == .uniqueness && cause.code != .uniqueness {
                // It may be one of those that exchange unique values, which is no failure.
                throw cause
            }
        }
        let before = account.report
        do {
            try session.context.savepoint { try importPart([item], decoded, session) }
        } catch let error as GranaryError where !error.endsImport && !holdsTooMuch {
            account.report = before
            account.report.failed += 1
            let place = item.item.place
            account.report.add(
                ImportIssue(kind: .failed, path: error.importPath ?? place.path, line: place.line, error: error))
        }
    }

    /// Imports the objects of a batch, but those that must be written apart, see `Staging+Repeating`: `restNumber` is the first
    /// of them.
    private func importPart(_ objects: [NumberedItem], _ decoded: DecodedBatch?, _ session: ImportSession) throws {
        defer { clear() }
        restNumber = nil
        let before = account.report
        var (batch, late) = try stage(objects, decoded, session)
        plans.noteFoundPaths(of: batch)
        var outcome: BatchOutcome
        do {
            outcome = try together(batch, session.context) { try write(batch, session) }
        } catch let error as GranaryError where error.code == .uniqueness {
            account.report = before
            let again = try stage(batch.items, decoded, session)
            (batch, late) = (again.batch, late + again.late)
            outcome = try together(batch, session.context) {
                guard try Writing(session, isLast: isLast).putPlaceholders() else { throw error }
                return try write(batch, session)
            }
        }
        try hold(late.filter { late in restNumber.map { late.number < $0 } ?? true }, outcome)
        account.settle(batch, outcome, plans, keepsKeys: keepsKeys)
        waiting.take(outcome, plans)
        try kept.forget(saidBy: batch, in: session.context)
    }

    /// Stages objects and looks them up. Returns with the batch those that must be held, without which the others are staged.
    private func stage(
        _ all: [NumberedItem], _ decoded: DecodedBatch?, _ session: ImportSession
    ) throws -> (batch: Batch, late: [NumberedItem]) {
        let before = account.report
        var late: [NumberedItem] = []
        var objects = all
        var known = Known()
        while true {
            clear()
            account.report = before
            var staging = Staging(plans, account, known, decoded, isLast: isLast)
            var batch = try staging.stage(objects)
            if endPart(batch, &objects, &known) { continue }
            if !batch.asked.isEmpty {
                let keys = try session.lookUp.keys(of: batch.asked)
                known.note(keys, of: batch.asked)
                if batch.namesAsked || keys.contains(where: { $0 != nil }) { continue }
            }
            try session.lookUp.find(&batch)
            batch.cutAfterLists(plans)
            batch.cutAfterArrivals(plans, waiting)
            if endPart(batch, &objects, &known) { continue }
            try plans.requireTarget(batch)
            if known.note(broughtBy: plans) { continue }
            try batch.keepPlaces(plans)
            batch.forgetUnwantedStubs(plans)
            let holding = Holding(plans: plans, batch: batch)
            let items = isLast ? [] : try holding.items(after: held)
            guard !items.isEmpty else { return (batch, late.sorted { $0.number < $1.number }) }
            holding.note(items, in: &held)
            late += items.sorted().map { objects[$0] }
            objects = objects.indices.filter { !items.contains($0) }.map { objects[$0] }
            // Keys may be known from objects that are held.
            known = Known()
        }
    }

    /// Leaves objects to the next part of the batch. Returns whether there are any.
    private func endPart(_ batch: Batch, _ objects: inout [NumberedItem], _ known: inout Known) -> Bool {
        guard let cut = batch.cut else { return false }
        restNumber = objects[cut].number
        objects.removeSubrange(cut...)
        known = Known()
        return true
    }

    private func write(_ batch: Batch, _ session: ImportSession) throws -> BatchOutcome {
        var writing = Writing(session, isLast: isLast)
        let outcome = BatchOutcome(waiting: try writing.writeAll())
        var relating = Relating(session: session, isLast: isLast, hasWaiting: !waiting.isEmpty, outcome: outcome)
        try relating.connectArrived(waiting)
        try relating.relate(batch)
        try relating.callHooks(batch)
        return relating.outcome
    }

    /// Writes what belongs together: all of it, or none. References may dangle meanwhile, if the batch has any, or code
    /// that takes over relationships.
    private func together<T>(_ batch: Batch, _ context: Context, _ body: () throws -> T) throws -> T {
        let refers = plans.contains { plan in plan.map { !$0.rows.isEmpty && !$0.referring.isEmpty } ?? false }
        guard refers || !batch.lists.isEmpty || !batch.hooks.isEmpty else { return try context.savepoint(body) }
        return try context.deferringReferences(body)
    }

    /// Keeps objects in memory for the end. Throws if they, and the references, lists and hooks that wait, are too large.
    private func hold(_ late: [NumberedItem], _ outcome: BatchOutcome) throws {
        guard !isLast, !late.isEmpty || !outcome.waiting.isEmpty else { return }
        // A value of their own: what readers have put side by side stays in memory as a whole.
        let late = late.map { NumberedItem(number: $0.number, item: $0.item.detached) }
        // A table that grows is there twice for a moment, which does not count.
        guard held.bytes(with: late) + waiting.size + outcome.waiting.size <= importer.maximumHeldBytes else {
            holdsTooMuch = true
            throw GranaryError(
                .limit,
                "More than \(importer.maximumHeldBytes) bytes of objects, references and lists wait for records that come later. Import these first, or raise the importer's maximumHeldBytes.",
                entity: plans.schema.entities[plans.top].name)
        }
        held.add(late)
    }

    private func clear() {
        plans.clear()
        account.endBatch()
    }
}
