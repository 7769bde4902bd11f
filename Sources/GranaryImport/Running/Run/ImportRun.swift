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
    private let replaced = ReplacedRecords()
    private let connecting = FinalConnections()
    /// Stops the import from another thread.
    private let cancellation: CancellationFlag
    /// Whether the records of the source are asked for.
    let keepsKeys: Bool
    /// Whether the import begins its transactions itself.
    var ownsTransactions = false

    // What waits for the end.
    var held = HeldObjects()
    var waiting = Waiting()
    /// Whether what waits is more than the importer allows, which ends the import whatever becomes of failures.
    var holdsTooMuch = false
    /// Whether nothing comes any more that could be waited for.
    var isLast = false

    /// How many objects of the source are imported, and at which of them something may wait that is not settled.
    private var readCount: Int
    private var firstWaiting: Int?
    /// The number of the object that begins the next part of the batch; nil if the part is the last one.
    var restNumber: Int?

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

    func session(_ context: Context) -> ImportSession {
        ImportSession(
            plans: plans, account: account, kept: kept, replaced: replaced, connecting: connecting,
            context: context, cancellation: cancellation, ownsTransaction: ownsTransactions)
    }

    /// The batches of a source.
    ///
    /// - Parameter decodesAhead: Whether the threads that read may decode plain values.
    func batches(of source: some ImportSource, decodesAhead: Bool = true) throws -> BatchesAhead {
        let decodesAhead = decodesAhead && !(source is any SeveralRoots)
        var layout = ImportLayout(root: importer.root.map { ImportPath($0) }, isKeyed: importer.isKeyed)
        layout.meter = ByteMeter()
        account.report.totalBytes = (source as? any SizedSource)?.byteCount
        return try BatchesAhead(
            source, layout, importer, until: cancellation,
            decoder: decodesAhead ? plans.readingDecoder : nil)
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
            let isWaiting = !held.isEmpty || !waiting.isEmpty || !connecting.isEmpty
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
}
