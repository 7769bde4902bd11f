import GranaryCore
import GranaryFormats
import GranaryPlatform

/// Objects of a source that are imported together, and what was wrong with others among them.
struct ImportBatch: Sendable {
    var items: [NumberedItem] = []
    var issues: [ImportIssue] = []
    /// What is decoded of them already; nil if nothing is.
    var decoded: DecodedBatch?
    /// How many bytes of the source were read when it had been read.
    var bytesRead = 0
}

/// How many objects the next commit still has room for: a batch does not go beyond its commit.
struct CommitRoom {
    private let size: Int
    private(set) var count: Int

    init(size: Int) {
        self.size = size
        count = size
    }

    /// Takes room for the objects of a batch. After those of a whole commit comes the next one.
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
    /// How many objects are passed over.
    private let start: Int
    /// Stops the reading from another thread.
    private let cancellation: CancellationFlag
    /// How many objects have been read, those that are passed over included.
    private(set) var count = 0
    private var room: CommitRoom
    /// How many objects the last batch had, which the next one most often has as well.
    private var lastCount = 0

    /// - Parameter room: What the first commit still has room for; nil if it is empty.
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
                // Of several inputs, the rest of one may be left out.
                let isRest = (reader as? SuccessiveItems)?.hasLeftOut ?? false
                let path = (file.map { "\($0): " } ?? "") + (error.importPath ?? position?.path ?? "$")
                batch.issues.append(
                    ImportIssue(kind: isRest ? .notRead : .failed, path: path, line: position?.line, error: error))
            }
        }
        lastCount = batch.items.count
        room.take(batch.items.count + batch.issues.count)
        return batch.items.isEmpty && batch.issues.isEmpty ? nil : batch
    }

    /// Reads the objects that another import has committed.
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
    /// The source and how its lines are read; nil if its objects are not lines.
    func lines() -> (source: ByteSource, options: JSONOptions)?
}

/// A source that may know how many bytes it has.
package protocol SizedSource: ImportSource {
    /// How many bytes it has as it is stored; nil if that is not known.
    var byteCount: Int? { get }
}

/// A source that is read without waiting for anybody and without code of its user, so that another thread may read ahead.
package protocol AheadReadable: ImportSource {
    var canBeReadAhead: Bool { get }
}
