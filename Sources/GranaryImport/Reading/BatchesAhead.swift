import GranaryCore
import GranaryPlatform
import Synchronization

/// The batches of a source, which are read on another thread while those before them are imported.
///
/// That thread decodes the objects as well for as long as nothing waits for its batch, so that neither thread waits while the
/// other one works.
///
/// It belongs to one thread. ``end()`` must be called before it is let go.
// @unchecked: `reader` and `decoder` are used by the one job that is under way, or, while there is none, by the owner's
// thread; the fields after `done` are read and written only while `lock` is held, but for `last`, which is the owner's.
final class BatchesAhead: @unchecked Sendable {
    /// How many batches are read ahead.
    private static let limit = 2

    private var reader: BatchReader
    private var decoder: PlainDecoder?
    private let readsAhead: Bool
    private let threads = BlockingThreads(limit: 1)
    /// Whether the owner waits for the batch that is being read.
    private let isAwaited = Atomic<Bool>(false)
    private let lock = Lock()
    private let done = Lock.Condition()
    /// What has been read; nil and an error are the last.
    private var read: [Result<ImportBatch?, any Error>] = []
    private var isReading = false
    private var isStopped = false
    /// What batches have had that were given out, and others will have.
    private var spare: [DecodedBatch] = []
    /// What the batch has that was given out last.
    private var last: DecodedBatch?

    /// - Parameter decoder: Decodes objects ahead; nil to leave that to the import.
    init(
        _ source: some ImportSource, _ layout: ImportLayout, _ importer: Importer,
        until cancellation: CancellationFlag = CancellationFlag(), decoder: PlainDecoder? = nil
    ) throws {
        reader = BatchReader(try source.makeReader(layout), importer, until: cancellation)
        readsAhead = (source as? any AheadReadable)?.canBeReadAhead ?? false
        self.decoder = readsAhead ? decoder : nil
    }

    /// The next batch; nil at the end. Reading goes on meanwhile with those after it.
    ///
    /// What is decoded of the batch before is not valid any more.
    func next() throws -> ImportBatch? {
        let batch: ImportBatch?
        if let result = take() { batch = try result.get() } else { batch = try reader.next() }
        last = batch?.decoded
        if batch != nil, readsAhead { begin() }
        return batch
    }

    /// How many objects the source has, once ``next()`` has returned nil.
    var readCount: Int { reader.count }

    /// Has the next batch read now.
    func readNext() throws {
        let next = lock.withLock {
            waitForRead()
            return read.first
        }
        if let next {
            _ = try next.get()
        } else {
            let batch = try reader.next()
            lock.withLock { read = [.success(batch)] }
        }
    }

    /// Waits until nothing is being read.
    func end() {
        isAwaited.store(true, ordering: .relaxed)
        lock.withLock {
            isStopped = true
            while isReading { done.wait(lock) }
        }
        threads.stop()
    }

    /// The next of those that have been read; nil if there is none, and none is being read.
    private func take() -> Result<ImportBatch?, any Error>? {
        lock.withLock {
            if let last { spare.append(last) }
            last = nil
            waitForRead()
            return read.isEmpty ? nil : read.removeFirst()
        }
    }

    /// Waits until there is something to be taken, if anything is being read. `lock` is held.
    private func waitForRead() {
        while read.isEmpty, isReading {
            isAwaited.store(true, ordering: .relaxed)
            done.wait(lock)
        }
        isAwaited.store(false, ordering: .relaxed)
    }

    /// Reads on, unless there is something to be taken.
    private func begin() {
        let begins = lock.withLock {
            guard read.isEmpty, !isReading else { return false }
            isReading = true
            return true
        }
        if begins { threads.run { [self] in readOn() } }
    }

    private func readOn() {
        var goesOn = true
        while goesOn {
            let result = Result { decode(try reader.next()) }
            let isLast = if case .success(.some) = result { false } else { true }
            goesOn = lock.withLock {
                read.append(result)
                isReading = !isLast && !isStopped && read.count < BatchesAhead.limit
                done.signal()
                return isReading
            }
        }
    }

    /// Decodes the objects of a batch, one after the other, until the owner waits for it.
    private func decode(_ batch: ImportBatch?) -> ImportBatch? {
        guard var batch, let first = batch.items.first, var decoder = decoder.take() else { return batch }
        // Taken out meanwhile, so that no access is checked and nothing is copied.
        defer { self.decoder = decoder }
        let decoded = lock.withLock { spare.popLast() } ?? DecodedBatch(width: decoder.lanes.count)
        decoded.begin(first.number)
        for item in batch.items {
            if isAwaited.load(ordering: .relaxed) { break }
            decoder.decode(item.item.content, into: decoded)
        }
        batch.decoded = decoded
        return batch
    }
}
