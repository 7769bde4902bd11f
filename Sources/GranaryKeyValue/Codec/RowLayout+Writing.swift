import GranaryStoreKit
import GranaryPlatform

extension RowLayout {
    /// Checks the cells of a row and returns the number of bytes for the row.
    ///
    /// - Throws: `required`, `typeMismatch`, `range`, `limit`.
    @inline(__always)
    func measure(_ cells: UnsafeMutablePointer<Cell>) throws -> Int {
        var size = RowLayout.headerSize &+ (writing.count &+ 7) >> 3
        for index in 0..<writing.count {
            let field = writing[index]
            let cell = cells[Int(field.position)]
            if cell.isNull {
                guard field.isOptional else { throw GranaryError.refused(cell, entity, Int(field.position)) }
                continue
            }
            guard field.kind.holds(cell) else { throw GranaryError.refused(cell, entity, Int(field.position)) }
            if field.kind.isVariable {
                let length = cell.rawBytes.count
                size &+= length &+ (length < 255 ? 1 : 5)
            } else {
                size &+= field.kind.width
            }
        }
        return size
    }

    /// Writes a measured row, with its checksum last.
    @inline(__always)
    func write(
        _ cells: UnsafeMutablePointer<Cell>, key: UnsafeRawBufferPointer, into row: UnsafeMutableRawBufferPointer
    ) {
        guard let base = row.baseAddress else { return }
        base.storeBytes(of: shape.littleEndian, toByteOffset: 8, as: UInt16.self)
        let bitmap = base + RowLayout.headerSize
        let bitmapSize = (writing.count &+ 7) >> 3
        var place = bitmap + bitmapSize
        var nulls: UInt8 = 0
        for index in 0..<writing.count {
            let field = writing[index]
            let cell = cells[Int(field.position)]
            if index & 7 == 0 { nulls = 0 }
            if cell.isNull {
                nulls |= 1 << UInt8(truncatingIfNeeded: index & 7)
            } else {
                place = RowLayout.write(cell, field.kind, at: place)
            }
            if index & 7 == 7 || index &+ 1 == writing.count {
                bitmap.storeBytes(of: nulls, toByteOffset: index >> 3, as: UInt8.self)
            }
        }
        let sum = hash64(UnsafeRawBufferPointer(start: base + 8, count: row.count &- 8), seed: seed(key))
        base.storeBytes(of: sum.littleEndian, as: UInt64.self)
    }

    @inline(__always)
    private static func write(_ cell: Cell, _ kind: ValueKind, at place: UnsafeMutableRawPointer)
        -> UnsafeMutableRawPointer
    {
        switch kind {
        case .bool, .int8, .uint8:
            place.storeBytes(of: UInt8(truncatingIfNeeded: cell.integerValue), as: UInt8.self)
        case .int16, .uint16:
            place.storeBytes(of: UInt16(truncatingIfNeeded: cell.integerValue).littleEndian, as: UInt16.self)
        case .int32, .uint32:
            place.storeBytes(of: UInt32(truncatingIfNeeded: cell.integerValue).littleEndian, as: UInt32.self)
        case .int64, .uint64: place.storeBytes(of: cell.integerValue.littleEndian, as: Int64.self)
        case .float: place.storeBytes(of: Float(cell.realValue + 0.0).bitPattern.littleEndian, as: UInt32.self)
        case .double: place.storeBytes(of: (cell.realValue + 0.0).bitPattern.littleEndian, as: UInt64.self)
        case .uuid:
            if let source = cell.rawBytes.baseAddress { place.copyMemory(from: source, byteCount: 16) }
        case .text, .bytes:
            let bytes = cell.rawBytes
            var target = place
            if bytes.count < 255 {
                target.storeBytes(of: UInt8(truncatingIfNeeded: bytes.count), as: UInt8.self)
                target += 1
            } else {
                target.storeBytes(of: 255, as: UInt8.self)
                target.storeBytes(
                    of: UInt32(truncatingIfNeeded: bytes.count).littleEndian, toByteOffset: 1, as: UInt32.self)
                target += 5
            }
            if let source = bytes.baseAddress, bytes.count > 0 {
                target.copyMemory(from: source, byteCount: bytes.count)
            }
            return target + bytes.count
        }
        return place + kind.width
    }
}
