/// A set of Unicode's general categories.
struct CategorySet: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    /// In the order of the bits.
    private static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm",
        "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    /// Upper-case, lower-case and title-case letters: one category when case is ignored.
    static let cased = CategorySet(rawValue: 0b111)
    static let decimalDigits = CategorySet(.decimalNumber)
    /// Letters, marks and decimal digits.
    static let word = CategorySet(rawValue: 0b1_1111_1111)

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// One category by its two letters, or all that begin with a letter.
    init?(named name: String) {
        guard name.utf8.count == 1 || name.utf8.count == 2 else { return nil }
        var bits: UInt32 = 0
        for (index, candidate) in CategorySet.names.enumerated() where candidate.hasPrefix(name) {
            bits |= 1 << UInt32(index)
        }
        guard bits != 0 else { return nil }
        self.init(rawValue: bits)
    }

    init(_ category: Unicode.GeneralCategory) {
        let index: UInt32 =
            switch category {
            case .uppercaseLetter: 0
            case .lowercaseLetter: 1
            case .titlecaseLetter: 2
            case .modifierLetter: 3
            case .otherLetter: 4
            case .nonspacingMark: 5
            case .spacingMark: 6
            case .enclosingMark: 7
            case .decimalNumber: 8
            case .letterNumber: 9
            case .otherNumber: 10
            case .connectorPunctuation: 11
            case .dashPunctuation: 12
            case .openPunctuation: 13
            case .closePunctuation: 14
            case .initialPunctuation: 15
            case .finalPunctuation: 16
            case .otherPunctuation: 17
            case .mathSymbol: 18
            case .currencySymbol: 19
            case .modifierSymbol: 20
            case .otherSymbol: 21
            case .spaceSeparator: 22
            case .lineSeparator: 23
            case .paragraphSeparator: 24
            case .control: 25
            case .format: 26
            case .surrogate: 27
            case .privateUse: 28
            case .unassigned: 29
            @unknown default: 29
            }
        self.init(rawValue: 1 << index)
    }
}
