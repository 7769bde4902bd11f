import GranaryPlatform

// A transfer reads each row of the source once, in the order of keys, and writes it once. It counts the rows that it
// writes to each entity and adds up their checksums. Then it reads the destination, before the commit, and compares
// both. A sum does not depend on the order of rows, because a converter may change keys.

/// Copies the contents of one state of a store into a new store, of any two kinds: rows, links and their order,
/// assigned keys, history and the number of the last commit. Rows may be converted.
///
/// ```swift
/// var transfer = try StoreTransfer(from: reader, into: store)
/// transfer.convert = { row, entity, output in
///     if row[2].isNull { return }                       // drops the row
///     try output.append(row, to: entity)
/// }
/// let result = try transfer.run()
/// ```
///
/// It makes one commit in the destination, and holds a few rows in memory; an engine holds what it needs for a
/// transaction. Cost: reads all rows twice and writes them once, and then makes the indexes.
public struct StoreTransfer {
    /// Converts a row: appends it, or any number of other rows, to the output. The row is lent. If it throws,
    /// the transfer fails with its error.
    public typealias Converter = (_ row: borrowing Row, _ entity: Int, _ output: Output) throws -> Void

    /// The written rows.
    public struct Result: Sendable, Hashable {
        /// The number of rows of each entity of the destination.
        public var counts: [Int]
        public var total: Int { counts.reduce(0, +) }
    }

    let source: any StoreReader
    let destination: any Store
    /// The conversion of each row; nil if rows stay as they are. Then the schemas must have the same entities and
    /// attributes in the same order.
    public var convert: Converter?
    /// Whether entries of the history are copied. They must not be if entities or attributes of the source have another
    /// meaning.
    public var keepsHistory = true
    /// The number of the last commit in the destination. By default that of the source.
    public var transactionNumber: UInt64
    /// The greatest key that each entity of the destination has had: by default that of the entity with the same number
    /// in the source. Rows with greater keys raise it.
    public var lastAssignedKeys: [Int64]
    /// Whether each reference is checked. By default those that a converter may have changed are checked.
    public var checksReferences: Bool?
    /// Called before the first row, now and then during the transfer, and after the last row.
    public var onProgress: (@Sendable (StoreProgress) -> Void)?
    /// Once it is set, the transfer throws `cancelled`.
    public var cancellation: CancellationFlag

    /// - Parameters:
    ///   - source: The state to copy. It stays open.
    ///   - destination: A new store, or one whose contents are to be replaced.
    public init(from source: any StoreReader, into destination: any Store) throws {
        self.source = source
        self.destination = destination
        // The progress and cancellation of the caller's copy, seed or migration.
        onProgress = LongWork.current?.onProgress
        cancellation = LongWork.current?.cancellation ?? CancellationFlag()
        transactionNumber = source.transactionNumber
        let known = try source.lastAssignedKeys()
        lastAssignedKeys = destination.schema.entities.map { entity in
            source.schema.entities.firstIndex { $0.id == entity.id }.map { known[$0] } ?? 0
        }
    }

    /// Makes the destination assign greater keys than those of another state of a store with the same schema.
    package mutating func raiseAssignedKeys(to other: any StoreReader) throws {
        lastAssignedKeys = zip(lastAssignedKeys, try other.lastAssignedKeys()).map(max)
    }

    /// Copies everything.
    ///
    /// - Throws: `schemaMismatch` if rows stay as they are and the schemas differ; `uniqueness`, `danglingReference`,
    ///   `required`, `typeMismatch`, `limit` if the destination refuses a row; `unsupported` if it cannot be filled;
    ///   `corrupt` if its rows afterwards differ from those that were written; `cancelled`; the errors of the
    ///   converter.
    @discardableResult public func run() throws -> Result {
        if convert == nil { try requireSameShape() }
        let writer = try destination.beginWrite()
        defer { writer.end() }
        try writer.beginFilling()
        let output = Output(writer)
        try copyRows(to: output)
        if keepsHistory { try copyHistory(to: writer) }
        try cancellation.check()
        try StoredCount.check(transactionNumber)
        try writer.finishFilling(
            FillingEnd(
                transactionNumber: transactionNumber, lastAssignedKeys: lastAssignedKeys,
                checksReferences: checksReferences ?? (convert != nil)))
        try compare(output.sums, with: writer)
        _ = try writer.commit()
        return Result(counts: output.sums.map(\.count))
    }

    private func requireSameShape() throws {
        let (mine, theirs) = (source.schema.entities, destination.schema.entities)
        let isSame =
            mine.count == theirs.count
            && zip(mine, theirs).allSatisfy { mine, theirs in
                mine.name == theirs.name && mine.attributes.count == theirs.attributes.count
                    && zip(mine.attributes, theirs.attributes).allSatisfy { $0.name == $1.name && $0.type == $1.type }
            }
        guard isSame else { throw destination.schema.mismatch(with: source.schema) }
    }

    private func copyRows(to output: Output) throws {
        let entities = source.schema.entities
        var counter = try RecordCounter(LongWork(onProgress: onProgress, cancellation: cancellation)) {
            try source.recordCount()
        }
        guard let first = entities.first, let last = entities.last else { return }
        try counter.tell(first)
        for (number, entity) in entities.enumerated() {
            let rows = try source.rows(FetchRequest(entity: number))
            defer { withExtendedLifetime(rows) {} }
            while let row = try rows.next() {
                if let convert {
                    try convert(row, number, output)
                } else {
                    try output.append(row, to: number)
                }
                try counter.count(entity)
            }
        }
        try counter.tell(last)
    }

    private func copyHistory(to writer: any StoreWriter) throws {
        guard destination.capabilities.has(.history) else { return }
        var last: UInt64 = 0
        while true {
            try cancellation.check()
            let entries = try source.history(after: last, limit: 64)
            guard let newest = entries.last else { return }
            for entry in entries { try writer.keepHistory(entry) }
            last = newest.number
        }
    }

    private func compare(_ sums: [Sum], with written: any StoreReader) throws {
        for (entity, sum) in sums.enumerated() {
            var found = Sum()
            let rows = try written.rows(FetchRequest(entity: entity))
            defer { withExtendedLifetime(rows) {} }
            while let row = try rows.next() {
                found.add(row)
                if found.count % StoreProgress.interval == 0 { try cancellation.check() }
            }
            guard found != sum else { continue }
            throw GranaryError.copyDiffers(
                destination.schema.entities[entity], found: found.count, written: sum.count)
        }
    }
}

extension StoreTransfer {
    /// The number of rows, and the sum of their checksums.
    struct Sum: Equatable {
        var count = 0
        var checksum: UInt64 = 0

        @inline(__always) mutating func add(_ row: borrowing Row) {
            var state: UInt64 = 0
            for position in 0..<row.count {
                let cell = row[position]
                switch cell.kind {
                case .null: state = hashFold(state ^ 0x9E37_79B9_7F4A_7C15, 1)
                case .integer: state = hashFold(state ^ 0xD6E8_FEB8_6659_FD93, UInt64(bitPattern: cell.integerValue))
                // Stores keep -0.0 as 0.0.
                case .real: state = hashFold(state ^ 0xA5A3_5D65_7D9E_4B1F, (cell.realValue + 0.0).bitPattern)
                case .text, .bytes: state = hash64(cell.rawBytes, seed: state)
                }
            }
            count &+= 1
            checksum &+= state
        }
    }

    /// The destination of a transfer's rows.
    public final class Output {
        private let writer: any StoreWriter
        fileprivate private(set) var sums: [Sum]

        fileprivate init(_ writer: any StoreWriter) {
            self.writer = writer
            sums = Array(repeating: Sum(), count: writer.schema.entities.count)
        }

        /// The schema of the destination.
        public var schema: Schema { writer.schema }

        /// Writes a row.
        ///
        /// - Parameters:
        ///   - row: The values, in the order of the entity's attributes.
        ///   - entity: A position in ``schema``.
        public func append(_ row: borrowing Row, to entity: Int) throws {
            guard sums.indices.contains(entity) else { throw GranaryError.noEntity(at: entity) }
            try writer.append(row, to: entity)
            sums[entity].add(row)
        }

        /// Writes a row by its values, in the order of the attributes of the destination's entity.
        public func append(_ values: [StoredValue], to entity: Int) throws {
            try StoredRow(values).withRow { try append($0, to: entity) }
        }
    }
}
