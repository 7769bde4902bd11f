/// The scalars that fold to one other scalar, in order, for sets of a regular expression. Made once, when first needed.
struct FoldedScalars: Sendable {
    let pairs: [(scalar: UInt32, folded: UInt32)]

    private static let caseInsensitive = FoldedScalars(.caseInsensitive)
    private static let diacriticInsensitive = FoldedScalars(.diacriticInsensitive)
    private static let both = FoldedScalars([.caseInsensitive, .diacriticInsensitive])
    private static let none = FoldedScalars([])

    static func of(_ folding: TextFolding) -> FoldedScalars {
        switch (folding.contains(.caseInsensitive), folding.contains(.diacriticInsensitive)) {
        case (true, true): both
        case (true, false): caseInsensitive
        case (false, true): diacriticInsensitive
        case (false, false): none
        }
    }

    /// The blocks with scalars that fold to another one. The large blocks of ideographs and syllables have none.
    private static let blocks: [ClosedRange<UInt32>] = [
        0x0...0x33FF, 0xA000...0xABFF, 0xF900...0xFFFF, 0x10000...0x11FFF, 0x16000...0x16FFF, 0x1D000...0x1EFFF,
        0x2F800...0x2FFFF,
    ]

    private init(_ folding: TextFolding) {
        var pairs: [(scalar: UInt32, folded: UInt32)] = []
        var folder = TextFolder(folding)
        var output: [UInt8] = []
        var input: [UInt8] = []
        let candidates = folding.isEmpty ? [] : FoldedScalars.blocks
        for scalar in candidates.joined() where Unicode.Scalar(scalar) != nil {
            input.removeAll(keepingCapacity: true)
            UTF8Scan.append(scalar, to: &input)
            // The input is UTF-8, so this does not throw.
            guard (try? input.withUnsafeBytes { try folder.fold($0, into: &output) }) != nil else { continue }
            guard output != input else { continue }
            let (folded, length) = output.withUnsafeBytes { UTF8Scan.scalar($0, at: 0) }
            if length > 0, length == output.count { pairs.append((scalar, folded)) }
        }
        self.pairs = pairs
    }

    /// The folded forms of the scalars in a range.
    func images(of range: ClosedRange<UInt32>) -> [ClosedRange<UInt32>] {
        var low = 0
        var high = pairs.count
        while low < high {
            let middle = (low + high) / 2
            if pairs[middle].scalar < range.lowerBound { low = middle + 1 } else { high = middle }
        }
        return pairs[low...].prefix { $0.scalar <= range.upperBound }.map { $0.folded...$0.folded }
    }
}
