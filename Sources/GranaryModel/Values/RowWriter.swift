/// A row that is passed to a store: cells by position, and the bytes that they point at.
///
/// Text and bytes are copied once, into memory that the writer owns and reuses for the next row, so nothing is
/// allocated for each column. Values of more than 4 KiB get an allocation of their own that ends with the row.
@frozen public struct RowWriter: ~Copyable {
    @usableFromInline let cells: UnsafeMutablePointer<Cell>
    @usableFromInline let capacity: Int
    /// The number of cells.
    public var count: Int { @inlinable get { currentCount } }
    @usableFromInline var currentCount: Int
    @usableFromInline var arena: UnsafeMutableRawPointer
    @usableFromInline var used: Int
    @usableFromInline var overflow: [UnsafeMutableRawPointer]

    @usableFromInline let arenaSize: Int
    /// Whether the cells and the arena are freed with the writer.
    @usableFromInline let ownsMemory: Bool
    @usableFromInline static var largestInArena: Int { 4096 }

    /// A writer for rows of `count` cells, all null.
    @inlinable public init(count: Int) {
        arenaSize = 32768
        ownsMemory = true
        currentCount = count
        capacity = count
        cells = .allocate(capacity: max(count, 1))
        cells.initialize(repeating: .null, count: max(count, 1))
        arena = .allocate(byteCount: arenaSize, alignment: 8)
        used = 0
        overflow = []
    }

    /// A writer for one value, in memory that outlives the writer; the cell is null.
    @inlinable init(oneCellIn cell: UnsafeMutablePointer<Cell>, arena: UnsafeMutableRawBufferPointer) {
        arenaSize = arena.count
        ownsMemory = false
        currentCount = 1
        capacity = 1
        cells = cell
        self.arena = arena.baseAddress ?? UnsafeMutableRawPointer(cell)
        used = 0
        overflow = []
    }

    /// Lends a writer for one value. Its memory is on the stack: the written value lives as long as the call.
    @inlinable public static func withOneCell<T>(_ body: (inout RowWriter) throws -> T) rethrows -> T {
        var cell = Cell.null
        return try withUnsafeMutablePointer(to: &cell) { cell in
            try withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { arena in
                var writer = RowWriter(oneCellIn: cell, arena: arena)
                return try body(&writer)
            }
        }
    }

    @inlinable deinit {
        for block in overflow { block.deallocate() }
        guard ownsMemory else { return }
        arena.deallocate()
        cells.deallocate()
    }

    /// Clears the row for the next one, with `newCount` cells, all null. `newCount` must not exceed the writer's first
    /// count.
    @inlinable public mutating func reset(count newCount: Int) {
        currentCount = min(newCount, capacity)
        cells.update(repeating: .null, count: count)
        used = 0
        if !overflow.isEmpty {
            for block in overflow { block.deallocate() }
            overflow.removeAll(keepingCapacity: true)
        }
    }

    /// Lends the written row for the duration of a call.
    @inlinable public func withRow<T, E: Error>(_ body: (borrowing Row) throws(E) -> T) throws(E) -> T {
        let row = Row(cells: UnsafePointer(cells), count: count)
        return try body(row)
    }

    /// Writes a value at a position.
    ///
    /// - Throws: ``GranaryError/Code/range`` if the value cannot be stored (NaN, an unsigned integer beyond Int64).
    @inlinable public mutating func encode<Value: AttributeValue>(_ value: Value, at position: Int) throws {
        do {
            try value.encode(into: &self, at: position)
        } catch {
            throw EncodingFailure(position: position, type: String(describing: Value.self), cause: error)
        }
    }

    @inlinable public mutating func set(_ cell: Cell, at position: Int) throws {
        guard position >= 0 && position < count else { throw RowWriter.noSuchPosition(position) }
        cells[position] = cell
    }

    /// Copies UTF-8 text.
    @inlinable public mutating func setText(_ text: String, at position: Int) throws {
        var text = text
        let copied = text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
        try set(.text(copied), at: position)
    }

    /// Copies bytes.
    @inlinable public mutating func setBytes(_ bytes: UnsafeRawBufferPointer, at position: Int) throws {
        guard bytes.count <= UInt32.max else { throw RowWriter.tooLong(bytes.count) }
        try set(.bytes(copy(bytes)), at: position)
    }

    /// Copies UTF-8 text given as bytes.
    @inlinable public mutating func setText(utf8 bytes: UnsafeRawBufferPointer, at position: Int) throws {
        guard bytes.count <= UInt32.max else { throw RowWriter.tooLong(bytes.count) }
        try set(.text(copy(bytes)), at: position)
    }

    /// Copies a cell of another row, including the bytes that it points at.
    @inlinable public mutating func setCopy(of cell: Cell, at position: Int) throws {
        switch cell.kind {
        case .null, .integer, .real: try set(cell, at: position)
        case .text: try setText(utf8: cell.rawBytes, at: position)
        case .bytes: try setBytes(cell.rawBytes, at: position)
        }
    }

    @inlinable mutating func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let source = bytes.baseAddress, !bytes.isEmpty else {
            return UnsafeRawBufferPointer(start: arena, count: 0)
        }
        let target: UnsafeMutableRawPointer
        if bytes.count <= arenaSize - used && bytes.count <= RowWriter.largestInArena {
            target = arena + used
            used += bytes.count
        } else {
            target = .allocate(byteCount: bytes.count, alignment: 8)
            overflow.append(target)
        }
        target.copyMemory(from: source, byteCount: bytes.count)
        return UnsafeRawBufferPointer(start: target, count: bytes.count)
    }

    @usableFromInline static func noSuchPosition(_ position: Int) -> GranaryError {
        GranaryError(
            .invalidSchema, "A record encoded a value at position \(position), which its entity does not declare.")
    }

    @usableFromInline static func tooLong(_ count: Int) -> GranaryError {
        GranaryError(.limit, "A value of \(count) bytes is longer than the 1 GB an attribute may hold.")
    }
}

/// The position in a record at which encoding failed; the writer of rows turns it into an error that names the
/// attribute.
public struct EncodingFailure: Error {
    public let position: Int
    public let type: String
    public let cause: any Error

    @inline(never) public init(position: Int, type: String, cause: any Error) {
        self.position = position
        self.type = type
        self.cause = cause
    }
}
