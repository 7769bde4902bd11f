/// The syllables of Hangul, composed and decomposed by arithmetic (Unicode, section 3.12).
enum Hangul {
    private static let leading: UInt32 = 0x1100
    private static let vowel: UInt32 = 0x1161
    private static let trailing: UInt32 = 0x11A7
    private static let syllable: UInt32 = 0xAC00
    private static let vowelCount: UInt32 = 21
    private static let trailingCount: UInt32 = 28

    static func isSyllable(_ scalar: UInt32) -> Bool { (0xAC00...0xD7A3).contains(scalar) }
    private static func isLeading(_ scalar: UInt32) -> Bool { (0x1100...0x1112).contains(scalar) }
    private static func isVowel(_ scalar: UInt32) -> Bool { (0x1161...0x1175).contains(scalar) }
    private static func isTrailing(_ scalar: UInt32) -> Bool { (0x11A8...0x11C2).contains(scalar) }

    static func mayJoinWhatIsBefore(_ scalar: UInt32) -> Bool { isVowel(scalar) || isTrailing(scalar) }

    static func appendLetters(of scalar: UInt32, to scalars: inout [UInt32]) {
        let index = scalar - syllable
        scalars.append(leading + index / (vowelCount * trailingCount))
        scalars.append(vowel + index / trailingCount % vowelCount)
        let last = index % trailingCount
        if last > 0 { scalars.append(trailing + last) }
    }

    static func composite(of first: UInt32, _ second: UInt32) -> UInt32? {
        if isLeading(first), isVowel(second) {
            return syllable + ((first - leading) * vowelCount + (second - vowel)) * trailingCount
        }
        if isSyllable(first), (first - syllable).isMultiple(of: trailingCount), isTrailing(second) {
            return first + (second - trailing)
        }
        return nil
    }
}
