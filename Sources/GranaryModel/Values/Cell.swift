/// One column of a row that is passed between a store and a record: a kind and 8 bytes, 16 bytes in all.
///
/// A cell does not hold text and bytes but points at them: they belong to the engine (a SQLite column, an LMDB page) or
/// to a ``RowWriter``, and live as long as the ``Row`` that the cell was read from.
///
/// `@frozen` and `@inlinable` here and in ``Row`` and ``RowWriter`` on purpose: the decoders that `@Record` writes are
/// in the user's module and are compiled directly against these types.
@frozen public struct Cell {
    /// The five storage classes. Every attribute type is stored as one of them (see ``AttributeType/storage``).
    @frozen public enum Kind: UInt8, Sendable {
        case null = 0
        case integer = 1
        case real = 2
        case text = 3
        case bytes = 4
    }

    /// An integer's or a double's bit pattern, or the address of text or bytes.
    @usableFromInline package var bits: UInt64
    /// The number of bytes of text or bytes.
    @usableFromInline var byteCount: UInt32
    /// The storage class of the value.
    public var kind: Kind

    @inlinable init(bits: UInt64, byteCount: UInt32, kind: Kind) {
        self.bits = bits
        self.byteCount = byteCount
        self.kind = kind
    }

    @inlinable public static var null: Cell { Cell(bits: 0, byteCount: 0, kind: .null) }
    @inlinable public static func integer(_ value: Int64) -> Cell {
        Cell(bits: UInt64(bitPattern: value), byteCount: 0, kind: .integer)
    }
    @inlinable public static func real(_ value: Double) -> Cell {
        Cell(bits: value.bitPattern, byteCount: 0, kind: .real)
    }
    /// UTF-8 text at an address that outlives the cell. At most 4 GB.
    @inlinable public static func text(_ utf8: UnsafeRawBufferPointer) -> Cell {
        Cell(
            bits: UInt64(UInt(bitPattern: utf8.baseAddress)), byteCount: UInt32(truncatingIfNeeded: utf8.count),
            kind: .text)
    }
    /// Bytes at an address that outlives the cell. At most 4 GB.
    @inlinable public static func bytes(_ bytes: UnsafeRawBufferPointer) -> Cell {
        Cell(
            bits: UInt64(UInt(bitPattern: bytes.baseAddress)), byteCount: UInt32(truncatingIfNeeded: bytes.count),
            kind: .bytes)
    }

    @inlinable public var isNull: Bool { kind == .null }
    /// The integer; meaningful when `kind` is `.integer`.
    @inlinable public var integerValue: Int64 { Int64(bitPattern: bits) }
    /// The double; meaningful when `kind` is `.real`.
    @inlinable public var realValue: Double { Double(bitPattern: bits) }
    /// The bytes; empty unless `kind` is `.text` or `.bytes`.
    @inlinable public var rawBytes: UnsafeRawBufferPointer {
        switch kind {
        case .text, .bytes:
            UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(bits)), count: Int(byteCount))
        case .null, .integer, .real:
            UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }
}
