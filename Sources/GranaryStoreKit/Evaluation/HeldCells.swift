/// Owned values as cells, whose bytes live as long as this object.
package final class HeldCells {
    private var held: ContiguousArray<Cell> = []
    private var blocks: [UnsafeMutableRawBufferPointer] = []

    package init(_ values: [StoredValue] = []) {
        held.reserveCapacity(values.count)
        for value in values { append(value) }
    }

    deinit {
        for block in blocks { block.deallocate() }
    }

    package var count: Int { held.count }
    package subscript(number: Int) -> Cell { held[number] }

    @discardableResult package func append(_ value: StoredValue) -> Cell {
        value.withCell { cell in
            var kept = cell
            if cell.kind == .text || cell.kind == .bytes {
                let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, cell.rawBytes.count), alignment: 1)
                block.copyMemory(from: cell.rawBytes)
                blocks.append(block)
                let bytes = UnsafeRawBufferPointer(start: block.baseAddress, count: cell.rawBytes.count)
                kept = cell.kind == .text ? .text(bytes) : .bytes(bytes)
            }
            held.append(kept)
            return kept
        }
    }

    /// Lends the cells in their order.
    func withCells<T>(_ body: (UnsafeBufferPointer<Cell>) throws -> T) rethrows -> T {
        try held.withUnsafeBufferPointer(body)
    }
}

/// One computed value, whose bytes live until the next is kept.
final class HeldCell {
    private var block = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)

    deinit { block.deallocate() }

    func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if bytes.count > block.count {
            block.deallocate()
            block = .allocate(byteCount: 2 * bytes.count, alignment: 1)
        }
        block.copyMemory(from: bytes)
        return UnsafeRawBufferPointer(rebasing: block.prefix(bytes.count))
    }

    func keep(_ value: StoredValue) -> Cell {
        value.withCell { cell in
            switch cell.kind {
            case .null, .integer, .real: cell
            case .text: .text(keep(cell.rawBytes))
            case .bytes: .bytes(keep(cell.rawBytes))
            }
        }
    }
}
