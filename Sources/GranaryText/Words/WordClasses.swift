/// What a scalar does at the boundaries of words: the classes of the property Word_Break (UAX #29) that words need.
enum WordClass: UInt8 {
    /// Anything that is no part of a word.
    case other
    case letter
    case hebrewLetter
    case digit
    /// Joins letters, digits and itself: `_`.
    case connector
    /// Inside of a word between letters: `:`, `·`.
    case midLetter
    /// Between digits: `,`, `;`.
    case midNumber
    /// Between letters and between digits: `.`, `’`.
    case midLetterOrNumber
    case singleQuote
    case doubleQuote
    /// A mark or a format character, which belongs to the scalar before it.
    case extending
    case newline
    /// Katakana, hiragana, an ideograph, or a letter of a script without spaces, such as Thai.
    case unspaced

    /// The letter that stands for the class in ``WordClasses/data``.
    fileprivate init?(_ letter: UInt8) {
        switch letter {
        case UInt8(ascii: "L"): self = .letter
        case UInt8(ascii: "H"): self = .hebrewLetter
        case UInt8(ascii: "N"): self = .digit
        case UInt8(ascii: "U"): self = .connector
        case UInt8(ascii: "m"): self = .midLetter
        case UInt8(ascii: "n"): self = .midNumber
        case UInt8(ascii: "b"): self = .midLetterOrNumber
        case UInt8(ascii: "q"): self = .singleQuote
        case UInt8(ascii: "d"): self = .doubleQuote
        case UInt8(ascii: "x"): self = .extending
        case UInt8(ascii: "r"): self = .newline
        case UInt8(ascii: "K"), UInt8(ascii: "P"): self = .unspaced
        default: return nil
        }
    }
}

/// The class of each scalar, from a table of our own: the same words on every platform, and in an index that was made
/// on another one.
final class WordClasses: Sendable {
    static let shared = WordClasses(parsing: data)

    private static let pageSize = 256
    /// For each page of scalars the place of its classes in ``classes``.
    private let pages: [UInt16]
    /// The classes of pages that differ from each other, as raw values.
    private let classes: [UInt8]

    private init(parsing data: String) {
        let all = WordClasses.classes(in: data)
        var pages: [UInt16] = []
        var classes: [UInt8] = []
        var known: [ArraySlice<UInt8>: UInt16] = [:]
        for start in stride(from: 0, to: all.count, by: WordClasses.pageSize) {
            let page = all[start..<start + WordClasses.pageSize]
            let number = known[page] ?? UInt16(known.count)
            if known.updateValue(number, forKey: page) == nil { classes += page }
            pages.append(number)
        }
        self.pages = pages
        self.classes = classes
    }

    subscript(scalar: UInt32) -> WordClass {
        let page = Int(scalar) / WordClasses.pageSize
        guard page < pages.count else { return .other }
        let place = Int(pages[page]) * WordClasses.pageSize + Int(scalar) % WordClasses.pageSize
        return WordClass(rawValue: classes[place]) ?? .other
    }

    private static func classes(in data: String) -> [UInt8] {
        var all = [UInt8](repeating: WordClass.other.rawValue, count: 0x11_0000)
        var scalar = 0
        var current = WordClass.other
        for token in data.utf8.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }) {
            if token.first == UInt8(ascii: "="), let letter = token.last, let next = WordClass(letter) {
                (current, scalar) = (next, 0)
                continue
            }
            let numbers = token.split(separator: UInt8(ascii: ":")).map { Int(Substring($0), radix: 36) ?? 0 }
            guard let gap = numbers.first else { continue }
            let end = scalar + gap + (numbers.count > 1 ? numbers[1] : 0)
            for place in scalar + gap...end where all.indices.contains(place) { all[place] = current.rawValue }
            scalar = end + 1
        }
        return all
    }
}
