import GranaryStoreKit
import GranaryPlatform

extension TableIndex {
    /// Writes the values of a row for an index with a folding. If they are cut, the hash is also that of folded texts.
    @inline(never)
    func encodeFolded(_ cells: UnsafeMutablePointer<Cell>, into encoder: inout KeyEncoder) throws {
        var folder = TextFolder(folding)
        var folded: [UInt8] = []
        var (first, second) = KeyFormat.hashSeeds
        for component in 0..<positions.count {
            let cell = cells[positions[component]]
            guard cell.kind == .text else {
                encoder.putTagged(cell, as: kinds[component])
                first = chainedHash(cell, first)
                second = chainedHash(cell, second)
                continue
            }
            try folder.fold(cell.rawBytes, into: &folded)
            folded.withUnsafeBytes { bytes in
                encoder.putTagged(.text(bytes), as: .text)
                first = hash64(bytes, seed: first)
                second = hash64(bytes, seed: second)
            }
        }
        if encoder.isCut { encoder.appendHash((first, second)) }
    }

    /// Whether two different cells are the same text when folded.
    @inline(never)
    func areSameFolded(_ left: Cell, _ right: Cell) throws -> Bool {
        guard left.kind == .text && right.kind == .text else { return false }
        var folder = TextFolder(folding)
        var (first, second): ([UInt8], [UInt8]) = ([], [])
        try folder.fold(left.rawBytes, into: &first)
        try folder.fold(right.rawBytes, into: &second)
        return first == second
    }
}
