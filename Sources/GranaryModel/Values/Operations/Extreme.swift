/// The least or the greatest of the offered cells, owned. The buffer of text and bytes is reused for a new extreme.
struct Extreme: Sendable {
    private var kind = Cell.Kind.null
    private var bits: UInt64 = 0
    private var bytes: [UInt8] = []

    mutating func offer(_ cell: Cell, ifLess: Bool) {
        if cell.isNull { return }
        if kind != .null {
            let order = withCell { compare(cell, $0) }
            guard ifLess ? order < 0 : order > 0 else { return }
        }
        kind = cell.kind
        switch cell.kind {
        case .null: break
        case .integer: bits = UInt64(bitPattern: cell.integerValue)
        case .real: bits = cell.realValue.bitPattern
        case .text, .bytes:
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: cell.rawBytes)
        }
    }

    /// Lends the cell; null if no cell was offered.
    func withCell<T>(_ body: (Cell) -> T) -> T {
        switch kind {
        case .null: body(.null)
        case .integer: body(.integer(Int64(bitPattern: bits)))
        case .real: body(.real(Double(bitPattern: bits)))
        case .text: bytes.withUnsafeBytes { body(.text($0)) }
        case .bytes: bytes.withUnsafeBytes { body(.bytes($0)) }
        }
    }
}
