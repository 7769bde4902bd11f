import GranaryStoreKit
import GranaryPlatform

// A row:
//
// | bytes | what |
// |---|---|
// | 8 | checksum: hash64 over all following bytes, seeded with the entity's number and the row's key |
// | 2 | the number of its shape |
// | (n + 7) / 8 | a bit for each of the shape's n fields: 1 is nil |
// | the rest | the fields that are not nil, in the shape's order |
//
// Numbers are little-endian. Text and bytes begin with their length: one byte up to 254, else 255 and four bytes.
//
// A shape is a list of attribute numbers and types, kept in the store's catalog for ever, so that rows written before
// an attribute was added stay as they are: an attribute that is not in a row's shape decodes as the default that it was
// added with.

/// One field of a shape.
struct ShapeField: Sendable, Hashable, Codable {
    /// The attribute's number in the schema.
    var attribute: Int
    var type: AttributeType
}

/// How to read a field of one shape: its kind and the position of its cell.
struct ReadProgram {
    struct Field {
        var kind: ValueKind
        /// The number of bytes; 0 if the value carries its length.
        var width: UInt8
        /// The position of the cell. The number of attributes for a field whose attribute no longer exists: that cell
        /// is not used.
        var position: Int32
        /// The attribute in a ``ColumnSet``.
        var bit: UInt64
    }

    struct Missing {
        var position: Int
        var cell: Cell
    }

    var fields: UnsafeMutableBufferPointer<Field>
    var missing: UnsafeMutableBufferPointer<Missing>
}

/// How to write one field.
struct WriteField {
    var position: Int32
    var kind: ValueKind
    var isOptional: Bool
}

/// Writes and reads the rows of one entity.
// @unchecked: everything is set in the initializer and never changes; the memory the pointers name is freed in deinit.
final class RowLayout: @unchecked Sendable {
    static let headerSize = 10

    let entity: Entity
    let shape: UInt16
    let writing: UnsafeMutableBufferPointer<WriteField>
    private let reading: UnsafeMutableBufferPointer<ReadProgram>
    /// The memory that holds the bytes of defaults.
    private let blocks: [UnsafeMutableRawBufferPointer]

    /// `shapes` are all shapes that the entity ever had; rows are written in the last one.
    init(_ entity: Entity, shapes: [[ShapeField]]) throws {
        self.entity = entity
        guard let current = shapes.last, shapes.count <= Int(UInt16.max) else {
            throw GranaryError(.corrupt, "The store's catalog has no shape for \(entity.path).", about: entity)
        }
        var positions: [Int: Int] = [:]
        for (position, attribute) in entity.attributes.enumerated() { positions[attribute.id] = position }
        guard Set(current.map(\.attribute)) == Set(positions.keys), current.count == positions.count else {
            throw GranaryError(
                .corrupt, "The store's catalog describes other attributes than its schema.", about: entity)
        }
        shape = UInt16(shapes.count - 1)
        writing = .allocate(capacity: current.count)
        for (index, field) in current.enumerated() {
            let position = positions[field.attribute] ?? 0
            writing.initializeElement(
                at: index,
                to: WriteField(
                    position: Int32(position), kind: ValueKind(entity.attributes[position].type),
                    isOptional: entity.attributes[position].isOptional))
        }
        var blocks: [UnsafeMutableRawBufferPointer] = []
        let defaults = entity.attributes.map {
            RowLayout.keep($0.addition?.value ?? $0.defaultValue ?? .null, in: &blocks)
        }
        self.blocks = blocks
        reading = .allocate(capacity: shapes.count)
        for (number, fields) in shapes.enumerated() {
            let known = Set(fields.map(\.attribute))
            let program = ReadProgram(
                fields: RowLayout.keep(
                    fields.map { field in
                        let position = positions[field.attribute] ?? entity.attributes.count
                        let kind = ValueKind(field.type)
                        return ReadProgram.Field(
                            kind: kind, width: UInt8(kind.width), position: Int32(position),
                            bit: ColumnSet.bit(position))
                    }),
                missing: RowLayout.keep(
                    entity.attributes.indices.filter { !known.contains(entity.attributes[$0].id) }
                        .map { ReadProgram.Missing(position: $0, cell: defaults[$0]) }))
            reading.initializeElement(at: number, to: program)
        }
    }

    deinit {
        writing.deallocate()
        for program in reading {
            program.fields.deallocate()
            program.missing.deallocate()
        }
        reading.deallocate()
        for block in blocks { block.deallocate() }
    }

    private static func keep<T: BitwiseCopyable>(_ values: [T]) -> UnsafeMutableBufferPointer<T> {
        let kept = UnsafeMutableBufferPointer<T>.allocate(capacity: values.count)
        _ = kept.initialize(from: values)
        return kept
    }

    /// Makes a cell whose bytes live as long as the layout.
    private static func keep(_ value: StoredValue, in blocks: inout [UnsafeMutableRawBufferPointer]) -> Cell {
        switch value {
        case .null: return .null
        case .integer(let integer): return .integer(integer)
        case .real(let real): return .real(real)
        case .text(let bytes), .bytes(let bytes):
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
            block.copyBytes(from: bytes)
            blocks.append(block)
            let kept = UnsafeRawBufferPointer(start: block.baseAddress, count: bytes.count)
            return value.kind == .text ? .text(kept) : .bytes(kept)
        }
    }

    /// The number of cells a buffer for ``read(_:key:into:)`` needs.
    var cellCount: Int { entity.attributes.count + 1 }

    /// The seed of a row's checksum.
    @inline(__always) func seed(_ key: UnsafeRawBufferPointer) -> UInt64 {
        let number = UInt64(truncatingIfNeeded: entity.id)
        if key.count == 8 {
            return hashFold(
                key.loadUnaligned(as: UInt64.self).littleEndian ^ 0xA076_1D64_78BD_642F, number ^ 0xE703_7ED1_A0B4_28DB)
        }
        return hash64(key, seed: number)
    }

    /// Whether a row has its checksum.
    @inline(__always) func isIntact(_ row: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) -> Bool {
        guard row.count >= RowLayout.headerSize else { return false }
        let sum = UInt64(littleEndian: row.loadUnaligned(as: UInt64.self))
        return hash64(UnsafeRawBufferPointer(rebasing: row[8...]), seed: seed(key)) == sum
    }

    /// Reads a row into cells that point into it.
    ///
    /// - Throws: `corrupt` if the row is damaged in any way.
    @inline(__always)
    func read(
        _ row: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into cells: UnsafeMutablePointer<Cell>
    ) throws {
        guard isIntact(row, key: key), decode(row, into: cells) else { throw damaged() }
    }

    /// The same for some attributes: the other cells stay as they are.
    @inline(__always)
    func read(
        _ columns: ColumnSet, of row: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
        into cells: UnsafeMutablePointer<Cell>
    ) throws {
        guard isIntact(row, key: key), decode(columns, of: row, into: cells) else { throw damaged() }
    }

    /// Reads a row without checking its checksum. Returns false, and never traps, if the bytes are not a row.
    @inline(__always)
    func decode(_ row: UnsafeRawBufferPointer, into cells: UnsafeMutablePointer<Cell>) -> Bool {
        decode(.all, of: row, into: cells)
    }

    /// The same for some attributes. Bytes after the last of them are not examined.
    @inline(__always)
    func decode(_ columns: ColumnSet, of row: UnsafeRawBufferPointer, into cells: UnsafeMutablePointer<Cell>) -> Bool {
        guard row.count >= RowLayout.headerSize, let base = row.baseAddress else { return false }
        let number = Int(UInt16(littleEndian: base.loadUnaligned(fromByteOffset: 8, as: UInt16.self)))
        guard number < reading.count else { return false }
        let program = reading[number]
        for missing in program.missing { cells[missing.position] = missing.cell }
        let fields = program.fields
        let count = row.count
        let bitmap = base + RowLayout.headerSize
        var offset = RowLayout.headerSize &+ (fields.count &+ 7) >> 3
        guard offset <= count else { return false }
        var left = columns.count
        if left == 0 { return true }
        for index in 0..<fields.count {
            let field = fields[index]
            let position = Int(field.position)
            let isWanted = columns.contains(bit: field.bit)
            let isNull =
                bitmap.load(fromByteOffset: index >> 3, as: UInt8.self) & (1 << UInt8(truncatingIfNeeded: index & 7))
                != 0
            if isNull {
                if isWanted { cells[position] = .null }
            } else {
                let width = Int(field.width)
                guard width <= count &- offset else { return false }
                let place = base + offset
                offset &+= width
                if width == 0 {
                    guard let value = RowLayout.variable(row, at: &offset) else { return false }
                    if isWanted { cells[position] = field.kind == .text ? .text(value) : .bytes(value) }
                } else if isWanted {
                    cells[position] = RowLayout.fixed(field.kind, at: place)
                }
            }
            if isWanted {
                left &-= 1
                if left == 0 { return true }
            }
        }
        return offset == count
    }

    /// The value of a field with a fixed number of bytes.
    @inline(__always) private static func fixed(_ kind: ValueKind, at place: UnsafeRawPointer) -> Cell {
        switch kind {
        case .bool, .uint8: .integer(Int64(place.load(as: UInt8.self)))
        case .int8: .integer(Int64(place.load(as: Int8.self)))
        case .int16: .integer(Int64(Int16(littleEndian: place.loadUnaligned(as: Int16.self))))
        case .uint16: .integer(Int64(UInt16(littleEndian: place.loadUnaligned(as: UInt16.self))))
        case .int32: .integer(Int64(Int32(littleEndian: place.loadUnaligned(as: Int32.self))))
        case .uint32: .integer(Int64(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))))
        case .int64, .uint64: .integer(Int64(littleEndian: place.loadUnaligned(as: Int64.self)))
        case .float:
            .real(Double(Float(bitPattern: UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))))
        case .double: .real(Double(bitPattern: UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))))
        case .uuid: .bytes(UnsafeRawBufferPointer(start: place, count: 16))
        case .text, .bytes: .null
        }
    }

    /// The bytes of a value that begins with its length at an offset. Afterwards the offset is behind the value.
    @inline(__always)
    private static func variable(_ row: UnsafeRawBufferPointer, at offset: inout Int) -> UnsafeRawBufferPointer? {
        guard let base = row.baseAddress, offset < row.count else { return nil }
        var length = Int(base.load(fromByteOffset: offset, as: UInt8.self))
        offset &+= 1
        if length == 255 {
            guard 4 <= row.count &- offset else { return nil }
            length = Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            offset &+= 4
        }
        guard length <= row.count &- offset else { return nil }
        defer { offset &+= length }
        return UnsafeRawBufferPointer(start: base + offset, count: length)
    }

    @inline(never) func damaged() -> GranaryError { .damagedRow(entity) }
}
