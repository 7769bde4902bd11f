import GranaryCore
import GranaryFormats
import GranaryPlatform

/// Supplies the pieces of batches: the objects of a source one after the other, or JSON lines cut into parts, which
/// several threads may read at once.
///
/// Only one thread uses it at a time.
struct BatchSupply {
    /// A batch, or the lines for one.
    enum Piece {
        case batch(ImportBatch)
        case part(LinePart)
    }

    /// The greatest size of a part in bytes, before its last line: several parts are in memory at once.
    private static let partSize = 1 << 20

    private enum Content {
        case reader(BatchReader)
        case lines(LineCutter)
    }

    private var content: Content
    private let name: String
    private let file: String?
    private let options: JSONOptions
    private let layout: ImportLayout
    private let importer: Importer
    private let cancellation: CancellationFlag
    private var room: CommitRoom
    /// Whether objects are read from lines, so that their numbers are known only when all objects before them are
    /// counted.
    let isLines: Bool

    init(
        _ source: some ImportSource, _ layout: ImportLayout, _ importer: Importer, until cancellation: CancellationFlag,
        readsAhead: Bool
    ) throws {
        self.layout = layout
        self.importer = importer
        self.cancellation = cancellation
        room = CommitRoom(size: importer.commitSize)
        // Skipped objects must be counted one by one, as they are read.
        if readsAhead, importer.start == 0, let lines = (source as? any LineSource)?.lines() {
            content = .lines(try LineCutter(lines.source.metered(by: layout.meter)))
            (name, file, options, isLines) = (lines.source.name, lines.source.fileName, lines.options, true)
        } else {
            content = .reader(BatchReader(try source.makeReader(layout), importer, until: cancellation))
            (name, file, options, isLines) = ("", nil, JSONOptions(), false)
        }
    }

    /// How many objects have been read, including the skipped ones; 0 for lines.
    var count: Int { if case .reader(let reader) = content { reader.count } else { 0 } }

    /// The next piece; nil at the end.
    mutating func next() throws -> Piece? {
        switch content {
        case .reader(var reader):
            defer { content = .reader(reader) }
            return try reader.next().map { .batch($0) }
        case .lines(let cutter):
            let size = max(1, min(importer.batchSize, room.count))
            switch cutter.next(lines: size, bytes: max(1, min(importer.batchBytes, BatchSupply.partSize))) {
            case .part(let part):
                room.take(part.count)
                return .part(part)
            case .rest(let stream, let line, let offset, let index):
                let items = JSONItems(
                    stream, name: name, file: file, options, layout, line: line, offset: offset, index: index)
                content = .reader(BatchReader(items, importer, until: cancellation, room: room))
                return try next()
            case .end: return nil
            }
        }
    }

    /// The reader of parts, for any thread.
    var parts: PartReader {
        PartReader(
            name: name, file: file, options: options, layout: layout, failures: importer.failures,
            cancellation: cancellation)
    }
}

/// Reads parts of JSON lines.
struct PartReader: Sendable {
    let name: String
    let file: String?
    let options: JSONOptions
    let layout: ImportLayout
    let failures: ImportFailures
    let cancellation: CancellationFlag

    /// The objects of a part. Unreadable objects count in their numbers.
    func batch(of part: LinePart) throws -> ImportBatch {
        let items = JSONItems(
            part.stream, name: name, file: file, options, layout, line: part.line, offset: part.offset,
            index: part.index)
        var reader = BatchReader(part: items, number: part.index, failures, until: cancellation)
        return try reader.next() ?? ImportBatch()
    }
}
