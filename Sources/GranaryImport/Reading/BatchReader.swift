import GranaryCore
import GranaryFormats
import GranaryPlatform

/// Objects of a source that are imported together, and the issues of objects among them that could not be read.
struct ImportBatch: Sendable {
    var items: [NumberedItem] = []
    var issues: [ImportIssue] = []
    /// The values that are already decoded; nil if there are none.
    var decoded: DecodedBatch?
    /// How many bytes of the source had been read at the end of this batch.
    var bytesRead = 0
    /// Why the source cannot be read beyond these objects; nil if it can. It is told after what is wrong with the
    /// objects, so that the first mistake of a source is told, wherever a batch ends.
    var failure: (any Error)?
}

/// The number of objects that still fit into the next commit: a batch never spans two commits.
struct CommitRoom {
    private let size: Int
    private(set) var count: Int

    init(size: Int) {
        self.size = size
        count = size
    }

    /// Takes room for the objects of a batch. When the commit is full, the next one begins.
    mutating func take(_ objects: Int) {
        count -= objects
        if count <= 0 { count = size }
    }
}

/// Reads the objects of a source in batches.
struct BatchReader {
    private var reader: any ImportReader
    private let size: Int
    private let bytes: Int
    private let failures: ImportFailures
    /// How many objects are skipped.
    private let start: Int
    /// Stops the reading from another thread.
    private let cancellation: CancellationFlag
    /// How many objects have been read, including the skipped ones.
    private(set) var count = 0
    private var room: CommitRoom
    /// The number of objects in the last batch. The next one usually has as many.
    private var lastCount = 0

    /// - Parameter room: The room in the first commit; nil if that commit is empty.
    init(
        _ reader: any ImportReader, _ importer: Importer, until cancellation: CancellationFlag, room: CommitRoom? = nil
    ) {
        self.reader = reader
        self.cancellation = cancellation
        self.room = room ?? CommitRoom(size: importer.commitSize)
        size = max(1, min(importer.batchSize, importer.commitSize))
        start = importer.start
        bytes = max(1, importer.batchBytes)
        failures = importer.failures
    }

    /// Reads all objects of a part of the source as one batch.
    ///
    /// - Parameter number: The number of its first object.
    init(
        part reader: any ImportReader, number: Int, _ failures: ImportFailures, until cancellation: CancellationFlag
    ) {
        self.reader = reader
        self.cancellation = cancellation
        self.failures = failures
        count = number
        (size, bytes, room) = (.max, .max, CommitRoom(size: .max))
        start = 0
    }

    /// The next objects; nil at the end.
    mutating func next() throws -> ImportBatch? {
        try passOver()
        var batch = ImportBatch()
        batch.items.reserveCapacity(lastCount)
        let bytesBefore = reader.bytesRead
        while batch.items.count < size, batch.issues.count < size, batch.items.count + batch.issues.count < room.count,
            reader.bytesRead - bytesBefore < bytes
        {
            do {
                guard let item = try reader.next() else { break }
                batch.items.append(NumberedItem(number: count, item: item))
                count += 1
            } catch let error as GranaryError where failures == .report && !error.endsImport {
                let file = reader.fileName
                try reader.skip(after: error)
                let position = error.position
                // For several inputs, the rest of one input may be left out.
                let isRest = (reader as? SuccessiveItems)?.hasLeftOut ?? false
                let path = (file.map { "\($0): " } ?? "") + (error.importPath ?? position?.path ?? "$")
                batch.issues.append(
                    ImportIssue(kind: isRest ? .notRead : .failed, path: path, line: position?.line, error: error))
            } catch  where !batch.items.isEmpty {
                batch.failure = error
                break
            }
        }
        lastCount = batch.items.count
        room.take(batch.items.count + batch.issues.count)
        return batch.items.isEmpty && batch.issues.isEmpty ? nil : batch
    }

    /// Skips the objects that another import has committed.
    private mutating func passOver() throws {
        while count < start {
            guard !Task.isCancelled, !cancellation.isSet else { throw ImportRun.cancelled() }
            do {
                guard try reader.next() != nil else { return }
                count += 1
            } catch let error as GranaryError where failures == .report && !error.endsImport {
                try reader.skip(after: error)
            }
        }
    }
}

/// A source whose objects are lines.
protocol LineSource: ImportSource {
    /// The source and the options for its lines; nil if its objects are not lines.
    func lines() -> (source: ByteSource, options: JSONOptions)?
}

/// A source that may know its size.
package protocol SizedSource: ImportSource {
    /// The size in bytes as it is stored; nil if it is unknown.
    var byteCount: Int? { get }
}

/// A source that is read without waiting for another process and without code of its user, so that another thread may
/// read ahead.
package protocol AheadReadable: ImportSource {
    var canBeReadAhead: Bool { get }
}
