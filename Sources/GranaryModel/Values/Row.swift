/// A row borrowed from a store: cells by position, valid until the store's next step.
///
/// The positions are those of the entity's attributes, in the order in which the record type declares them.
/// A row cannot be copied, so it does not outlive the call that it is lent to.
@frozen public struct Row: ~Copyable {
    @usableFromInline package let cells: UnsafePointer<Cell>
    /// The number of cells.
    public let count: Int

    /// A row over cells that must stay in place as long as the row exists.
    @inlinable public init(cells: UnsafePointer<Cell>, count: Int) {
        self.cells = cells
        self.count = count
    }

    /// The cell at a position; null beyond the end.
    @inlinable public subscript(position: Int) -> Cell {
        if position >= 0 && position < count { cells[position] } else { .null }
    }

    /// The value at a position.
    ///
    /// - Throws: ``GranaryError/Code/corrupt`` if the cell does not hold a value of this type, `range` if the value
    ///   does not fit.
    @inlinable @inline(__always)
    public func decode<Value: AttributeValue>(_ type: Value.Type = Value.self, at position: Int) throws -> Value {
        do {
            return try Value.decode(self[position])
        } catch {
            throw DecodingFailure.of(type, at: position, error)
        }
    }
}

/// The position in a row at which decoding failed; the reader of rows turns it into an error that names the attribute.
public struct DecodingFailure: Error {
    public let position: Int
    public let type: String
    public let cause: any Error

    @inline(never) public init(position: Int, type: String, cause: any Error) {
        self.position = position
        self.type = type
        self.cause = cause
    }

    // Not inlined, because it would be repeated for each attribute and hardly ever runs.
    @inline(never) @usableFromInline static func of<Value>(
        _ type: Value.Type, at position: Int, _ cause: any Error
    ) -> any Error {
        DecodingFailure(position: position, type: String(describing: type), cause: cause)
    }
}
