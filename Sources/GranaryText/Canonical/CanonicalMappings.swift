/// Canonical decompositions and compositions of single scalars (UAX #15).
///
/// The standard library has them, but not in its public interface, and Foundation's NFC on Linux does not join a Hangul
/// syllable and a final consonant. A table of our own is also the same on every platform; folded keys on disk need
/// this.
final class CanonicalMappings: Sendable {
    static let shared = CanonicalMappings(parsing: data)

    /// For each scalar: first part, second part (21 bits each, 0 for none), flags.
    private let scalars: ScalarTable
    /// For each pair of a first and a second part: the scalar that they compose to.
    private let pairs: ScalarTable

    private static let staysApart: UInt64 = 1 << 62
    private static let mayJoinWhatIsBefore: UInt64 = 1 << 61

    private init(parsing data: String) {
        var scalars = ScalarTable()
        var pairs = ScalarTable()
        for (scalar, parts, isLeftApart) in CanonicalMappings.entries(data) {
            let second = parts.count > 1 ? parts[1] : 0
            let known = scalars[UInt64(scalar)] | CanonicalMappings.key(second, parts[0])
            if isLeftApart || second == 0 {
                scalars[UInt64(scalar)] = known | CanonicalMappings.staysApart
            } else {
                scalars[UInt64(scalar)] = known
                scalars[UInt64(second)] = scalars[UInt64(second)] | CanonicalMappings.mayJoinWhatIsBefore
                pairs[CanonicalMappings.key(parts[0], second)] = UInt64(scalar)
            }
        }
        self.scalars = scalars
        self.pairs = pairs
    }

    private static func entries(_ data: String) -> [(scalar: UInt32, parts: [UInt32], isLeftApart: Bool)] {
        var entries: [(scalar: UInt32, parts: [UInt32], isLeftApart: Bool)] = []
        var scalar: UInt32 = 0
        for token in data.utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) {
            var parts: [UInt32] = [0]
            var isLeftApart = false
            for byte in token {
                switch byte {
                case UInt8(ascii: ":"):
                    scalar = parts[0]
                    parts = [0]
                case UInt8(ascii: "!"): isLeftApart = true
                case UInt8(ascii: "+"): parts.append(0)
                default:
                    let isDigit = byte <= UInt8(ascii: "9")
                    let digit = isDigit ? byte - UInt8(ascii: "0") : byte - UInt8(ascii: "A") + 10
                    parts[parts.count - 1] = parts[parts.count - 1] << 4 | UInt32(digit)
                }
            }
            entries.append((scalar, parts, isLeftApart))
            scalar += 1
        }
        return entries
    }

    private static func key(_ high: UInt32, _ low: UInt32) -> UInt64 { UInt64(high) << 21 | UInt64(low) }

    /// The parts of a scalar, decomposed by one step. The second part never decomposes further; 0 means that there is
    /// none.
    func parts(of scalar: UInt32) -> (first: UInt32, second: UInt32)? {
        guard scalar >= 0xC0 else { return nil }
        let known = scalars[UInt64(scalar)]
        let first = UInt32(truncatingIfNeeded: known & 0x1F_FFFF)
        return first == 0 ? nil : (first, UInt32(truncatingIfNeeded: known >> 21 & 0x1F_FFFF))
    }

    func composite(of first: UInt32, _ second: UInt32) -> UInt32? {
        if let syllable = Hangul.composite(of: first, second) { return syllable }
        let scalar = pairs[CanonicalMappings.key(first, second)]
        return scalar == 0 ? nil : UInt32(truncatingIfNeeded: scalar)
    }

    /// Whether NFC leaves a scalar unchanged after any preceding text, going by the mappings alone.
    func isSurelyComposed(_ scalar: UInt32) -> Bool {
        let changes = CanonicalMappings.staysApart | CanonicalMappings.mayJoinWhatIsBefore
        return scalars[UInt64(scalar)] & changes == 0 && !Hangul.mayJoinWhatIsBefore(scalar)
    }
}

/// A hash table from nonzero numbers to nonzero numbers. The canonical mappings fill half of it.
struct ScalarTable: Sendable {
    private var keys = [UInt64](repeating: 0, count: 4096)
    private var values = [UInt64](repeating: 0, count: 4096)

    private func slot(of key: UInt64) -> Int {
        var slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 52)
        while keys[slot] != 0, keys[slot] != key { slot = (slot + 1) & 4095 }
        return slot
    }

    subscript(key: UInt64) -> UInt64 {
        get { values[slot(of: key)] }
        set {
            let slot = slot(of: key)
            keys[slot] = key
            values[slot] = newValue
        }
    }
}
