import GranaryCore
import GranaryFormats
import GranaryPlatform
import Synchronization

/// The batches of a source. Other threads read them while earlier batches are imported.
///
/// If the objects are lines, several threads read them, each its own part; otherwise one thread reads. These threads
/// also decode the objects, as long as the import does not wait for their batch, so that no thread waits while another
/// one works.
///
/// It belongs to one thread. ``end()`` must be called before it is released.
// @unchecked: `supply` is used only while `cutting` is held. The fields after `done` are read and written only while
// `lock` is held, except `last`, `count` and `failure`, which belong to the owner.
final class BatchesAhead: @unchecked Sendable {
    private var supply: BatchSupply
    private let cutting = Lock()
    private let parts: PartReader
    private let meter: ByteMeter?
    private let isLines: Bool
    private let readsAhead: Bool
    /// The number of reading threads, and the number of batches that are read ahead.
    private let workers: Int
    private let limit: Int
    private let threads: BlockingThreads
    /// The batch that the owner waits for; -1 while it does not wait.
    private let awaited = Atomic<Int>(-1)
    private let lock = Lock()
    private let done = Lock.Condition()
    /// The batches that have been read, by their number; nil or an error is the last result.
    private var read: [Int: Result<ImportBatch?, any Error>] = [:]
    /// How many batches have been begun, and how many of them the owner has taken.
    private var begun = 0
    private var taken = 0
    private var running = 0
    /// Whether the source has ended, or cannot be read further.
    private var isEnded = false
    private var isStopped = false
    /// Decoders for threads that need one; empty if the import decodes.
    private var decoders: [PlainDecoder]
    /// Decoded storage of earlier batches, to be used again.
    private var spare: [DecodedBatch] = []
    /// The decoded storage of the batch that the owner took last.
    private var last: DecodedBatch?
    /// How many objects of lines the owner has taken.
    private var count = 0
    /// Why nothing can be read after the batch that the owner took last.
    private var failure: (any Error)?

    /// - Parameter decoder: Decodes objects ahead; nil if the import decodes.
    init(
        _ source: some ImportSource, _ layout: ImportLayout, _ importer: Importer,
        until cancellation: CancellationFlag = CancellationFlag(), decoder: PlainDecoder? = nil
    ) throws {
        readsAhead = (source as? any AheadReadable)?.canBeReadAhead ?? false
        supply = try BatchSupply(source, layout, importer, until: cancellation, readsAhead: readsAhead)
        parts = supply.parts
        meter = layout.meter
        isLines = supply.isLines
        workers = isLines ? BatchesAhead.lineReaders : 1
        limit = workers + 1
        threads = BlockingThreads(limit: workers)
        // Each thread learns keys for itself.
        let perThread = workers + 1
        decoders = readsAhead ? decoder.map { Array(repeating: $0, count: perThread) } ?? [] : []
    }

    /// The number of threads that read lines: one processor is left to the import. More than four threads would read
    /// faster than any store can write.
    @TaskLocal static var lineReaders = max(1, min(4, Processors.count - 1))

    /// The next batch; nil at the end. Meanwhile, the reading of later batches goes on.
    ///
    /// The decoded values of the previous batch are not valid any more.
    func next() throws -> ImportBatch? {
        if let last { lock.withLock { spare.append(last) } }
        last = nil
        if let failure { throw failure }
        readOneIfNone()
        let number = taken
        let result = lock.withLock {
            let result = read.removeValue(forKey: number)
            taken += 1
            return result
        }
        guard var batch = try result?.get() else { return nil }
        last = batch.decoded
        failure = batch.failure
        if isLines { count = batch.number(from: count) }
        if readsAhead { begin() }
        return batch
    }

    /// How many bytes of the source have been read, including batches that are read ahead.
    var bytesRead: Int { meter?.count ?? 0 }

    /// The number of objects of the source, once ``next()`` has returned nil.
    var readCount: Int { isLines ? count : supply.count }

    /// Makes sure that the next batch has been read.
    func readNext() throws {
        if let failure { throw failure }
        readOneIfNone()
        _ = try lock.withLock { read[taken] }?.get()
    }

    /// Stops reading, and waits until no thread reads any more.
    func end() {
        awaited.store(.max, ordering: .relaxed)
        lock.withLock {
            isStopped = true
            while running > 0 { done.wait(lock) }
        }
        threads.stop()
    }

    /// Waits until the next batch is available. Reads it here if no other thread reads.
    private func readOneIfNone() {
        let isThere = lock.withLock {
            while read[taken] == nil, running > 0 {
                awaited.store(taken, ordering: .relaxed)
                done.wait(lock)
            }
            awaited.store(-1, ordering: .relaxed)
            return read[taken] != nil || isEnded
        }
        guard !isThere else { return }
        lock.withLock { running += 1 }
        _ = readOne(decodes: false)
        lock.withLock { running -= 1 }
    }

    /// Starts threads that read ahead, unless enough batches are read.
    private func begin() {
        let new = lock.withLock {
            guard !isEnded, !isStopped else { return 0 }
            let new = max(0, min(workers - running, limit - (begun - taken)))
            running += new
            return new
        }
        for _ in 0..<new {
            threads.run { [self] in
                while readOne(decodes: true) {}
                lock.withLock {
                    running -= 1
                    done.signal()
                }
            }
        }
    }

    /// Reads a batch. Returns false if enough batches are read, or the source has ended.
    private func readOne(decodes: Bool) -> Bool {
        // In the order of the source.
        let (number, piece, bytes) = cutting.withLock { () -> (Int?, Result<BatchSupply.Piece?, any Error>, Int) in
            let number: Int? = lock.withLock {
                guard !isEnded, !isStopped, begun - taken < limit else { return nil }
                begun += 1
                return begun - 1
            }
            guard number != nil else { return (nil, .success(nil), 0) }
            let piece = Result { try supply.next() }
            if case .success(.some) = piece {} else { lock.withLock { isEnded = true } }
            return (number, piece, bytesRead)
        }
        guard let number else { return false }
        let result = Result<ImportBatch?, any Error> {
            var batch: ImportBatch? =
                switch try piece.get() {
                case .batch(let batch): batch
                case .part(let part): try parts.batch(of: part)
                case nil: nil
                }
            batch?.bytesRead = bytes
            return decodes ? decode(batch, number) : batch
        }
        lock.withLock {
            switch result {
            case .success(let batch): if batch?.failure != nil { isEnded = true }
            case .failure: isEnded = true
            }
            read[number] = result
            done.signal()
        }
        return true
    }

    /// Decodes the objects of a batch, one after the other, and stops early when the owner waits for it.
    private func decode(_ batch: ImportBatch?, _ number: Int) -> ImportBatch? {
        guard var batch, let first = batch.items.first, var decoder = lock.withLock({ decoders.popLast() }) else {
            return batch
        }
        let decoded = lock.withLock { spare.popLast() } ?? DecodedBatch(width: decoder.lanes.count)
        decoded.begin(first.number)
        for item in batch.items {
            if awaited.load(ordering: .relaxed) >= number { break }
            decoder.decode(item.item.content, into: decoded)
        }
        batch.decoded = decoded
        lock.withLock { decoders.append(decoder) }
        return batch
    }
}

extension ImportBatch {
    /// Numbers its objects from `first` on. Returns the number after the last one.
    fileprivate mutating func number(from first: Int) -> Int {
        if let guessed = items.first?.number, guessed != first {
            for index in items.indices { items[index].number = first + index }
            decoded?.number(from: first)
        }
        return first + items.count
    }
}
