import GranaryCore
import GranaryPlatform

/// Objects of a source that are imported together, and what was wrong with others among them.
struct ImportBatch: Sendable {
    var items: [NumberedItem] = []
    var issues: [ImportIssue] = []
}

/// Reads the objects of a source in batches.
struct BatchReader {
    private var reader: any ImportReader
    private let size: Int
    private let bytes: Int
    private let failures: ImportFailures
    /// How many objects are passed over.
    private let start: Int
    /// How many objects have been read.
    private var count = 0

    init(_ reader: any ImportReader, _ importer: Importer) {
        self.reader = reader
        size = max(1, min(importer.batchSize, importer.commitSize))
        start = importer.start
        bytes = max(1, importer.batchBytes)
        failures = importer.failures
    }

    /// The next objects; nil at the end.
    mutating func next() throws -> ImportBatch? {
        try passOver()
        var batch = ImportBatch()
        let bytesBefore = reader.bytesRead
        while batch.items.count < size, batch.issues.count < size, reader.bytesRead - bytesBefore < bytes {
            do {
                guard let item = try reader.next() else { break }
                batch.items.append(NumberedItem(number: count, item: item))
                count += 1
            } catch let error as GranaryError where failures == .report && !error.endsImport {
                let file = reader.fileName
                try reader.skip(after: error)
                let position = error.position
                // Of several inputs, the rest of one may be left out.
                let isRest = (reader as? SuccessiveItems)?.hasLeftOut ?? false
                let path = (file.map { "\($0): " } ?? "") + (error.importPath ?? position?.path ?? "$")
                batch.issues.append(
                    ImportIssue(kind: isRest ? .notRead : .failed, path: path, line: position?.line, error: error))
            }
        }
        return batch.items.isEmpty && batch.issues.isEmpty ? nil : batch
    }

    /// Reads the objects that another import has committed.
    private mutating func passOver() throws {
        while count < start {
            do {
                guard try reader.next() != nil else { return }
                count += 1
            } catch let error as GranaryError where failures == .report && !error.endsImport {
                try reader.skip(after: error)
            }
        }
    }
}

/// A source that is read without waiting for anybody and without code of its user, so that another thread may read ahead.
package protocol AheadReadable: ImportSource {
    var canBeReadAhead: Bool { get }
}

/// The batches of a source, of which one is read on another thread while the one before it is imported.
///
/// It belongs to one thread. ``end()`` must be called before it is let go.
// @unchecked: `reader` is used by the one job that is under way, or, while there is none, by the owner's thread; `result` is
// read and written only while `lock` is held.
final class BatchesAhead: @unchecked Sendable {
    private enum State {
        case idle, reading
        case read(Result<ImportBatch?, any Error>)
    }

    private var reader: BatchReader
    private let readsAhead: Bool
    private let threads = BlockingThreads(limit: 1)
    private let lock = Lock()
    private let done = Lock.Condition()
    private var state = State.idle

    init(_ source: some ImportSource, _ layout: ImportLayout, _ importer: Importer) throws {
        reader = BatchReader(try source.makeReader(layout), importer)
        readsAhead = (source as? any AheadReadable)?.canBeReadAhead ?? false
    }

    /// The next batch; nil at the end. Reading goes on meanwhile with the one after it.
    func next() throws -> ImportBatch? {
        let batch = try wait()?.get() ?? reader.next()
        if batch != nil, readsAhead { begin() }
        return batch
    }

    /// Has the next batch read now, without reading on.
    func readNext() throws {
        let batch = try wait()?.get() ?? reader.next()
        lock.withLock { state = .read(.success(batch)) }
    }

    /// Waits until nothing is being read.
    func end() {
        _ = wait()
        threads.stop()
    }

    private func begin() {
        lock.withLock { state = .reading }
        threads.run { [self] in
            let result = Result { try reader.next() }
            lock.withLock {
                state = .read(result)
                done.signal()
            }
        }
    }

    /// What has been read; nil if nothing is to be waited for.
    private func wait() -> Result<ImportBatch?, any Error>? {
        lock.withLock {
            while true {
                switch state {
                case .idle: return nil
                case .reading: done.wait(lock)
                case .read(let result):
                    state = .idle
                    return result
                }
            }
        }
    }
}
