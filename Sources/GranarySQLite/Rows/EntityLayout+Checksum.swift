import GranaryStoreKit
import GranaryPlatform

// A row's checksum, kept in the column "granary:sum" if the store was created with row checksums. Part of the file
// format.
//
//     sum = fold(entity number, number of attributes when the row was written)
//     for each attribute in the order of the attributes' numbers:
//         sum = fold(sum + attribute number, kind)           kind: 0 nil, 1 integer, 2 real, 3 text, 4 bytes
//         sum = fold(sum, bits)                              of an integer or real
//         sum = hash64(bytes, seed: sum)                     of text and bytes
//
// An attribute that is added later has a higher number than earlier ones. So the sum of an older row is the sum of the
// attributes that the entity had when the row was written.
//
// The key is one of the attributes, so a row that was moved to another key is detected as well.

extension EntityLayout {
    func checksum(of cells: UnsafePointer<Cell>) -> Int64 { checksum(of: cells, count: count) }

    /// Whether a row has its checksum. The row may have been written before attributes were added.
    func isIntact(_ cells: UnsafePointer<Cell>, _ stored: Int64) -> Bool {
        checksum(of: cells) == stored || earlierCounts.contains { checksum(of: cells, count: $0) == stored }
    }

    private func checksum(of cells: UnsafePointer<Cell>, count: Int) -> Int64 {
        var sum = hashFold(
            UInt64(truncatingIfNeeded: entity.id) ^ 0x9E37_79B9_7F4A_7C15,
            UInt64(truncatingIfNeeded: count) ^ 0xA076_1D64_78BD_642F)
        for position in checksumOrder.prefix(count) {
            let cell = cells[position]
            let number = UInt64(truncatingIfNeeded: entity.attributes[position].id)
            sum = hashFold(sum &+ number ^ 0xE703_7ED1_A0B4_28DB, UInt64(cell.kind.rawValue) ^ 0x8EBC_6AF0_9C88_C6E3)
            switch cell.kind {
            case .null: break
            case .integer:
                sum = hashFold(
                    sum ^ 0x5899_65CC_7537_4CC3, UInt64(bitPattern: cell.integerValue) ^ 0xA076_1D64_78BD_642F)
            case .real:
                sum = hashFold(sum ^ 0x5899_65CC_7537_4CC3, cell.realValue.bitPattern ^ 0xA076_1D64_78BD_642F)
            case .text, .bytes: sum = hash64(cell.rawBytes, seed: sum)
            }
        }
        return Int64(bitPattern: sum)
    }

    func checksum(of cells: UnsafeMutablePointer<Cell>) -> Int64 { checksum(of: UnsafePointer(cells)) }
}
