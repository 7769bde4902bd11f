import GranaryStoreKit

// The form of an attribute's values in a row and in a key.

extension ValueKind {
    /// The number of bytes in a row; 0 if the value carries its length.
    @inline(__always) var width: Int {
        switch self {
        case .bool, .int8, .uint8: 1
        case .int16, .uint16: 2
        case .int32, .uint32, .float: 4
        case .int64, .uint64, .double: 8
        case .uuid: 16
        case .text, .bytes: 0
        }
    }

    var storage: Cell.Kind {
        switch self {
        case .bool, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: .integer
        case .float, .double: .real
        case .text: .text
        case .uuid, .bytes: .bytes
        }
    }

    /// Whether values of this kind may be so long that keys must be cut.
    var isVariable: Bool { self == .text || self == .bytes }

    /// Whether a key can be made from the cell as a value of this kind. A number out of range is accepted, because it
    /// is only searched for.
    @inline(__always) func accepts(_ cell: Cell) -> Bool {
        switch self {
        case .bool: cell.kind == .integer && (cell.integerValue == 0 || cell.integerValue == 1)
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: cell.kind == .integer
        case .float, .double: cell.kind == .real && !cell.realValue.isNaN
        case .uuid: cell.kind == .bytes && cell.rawBytes.count == 16
        case .text: cell.kind == .text
        case .bytes: cell.kind == .bytes
        }
    }
}
