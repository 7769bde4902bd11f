/// Which words a search looks for: in the attributes of a record that are declared `@Searchable`.
///
/// ```swift
/// Song.where { $0.search(.all("hendrix fire")) }          // both words, in any order
/// Song.where { $0.search(.any("fire smoke") && !.phrase("purple haze")) }
/// Song.where { $0.search(SearchText(fromUser: field.text)) }.sorted(by: .rank)
/// ```
///
/// Case, accents and punctuation do not matter: "Björk" finds `bjork`. Words are those of Unicode's default rules
/// (UAX #29). In scripts without spaces (Han, kana, Thai and the like) each two characters that follow each other are a
/// word.
///
/// A search without words, such as `.all("...")`, finds nothing. Its size is bounded: ``maximumWords`` and
/// ``maximumDepth``; a larger one throws `invalidQuery` when it is run.
public struct SearchText: Sendable, Hashable {
    /// The greatest number of words and phrases.
    public static let maximumWords = 1_000
    /// The greatest depth of nested parts.
    public static let maximumDepth = 50
    /// The greatest distance of ``near(_:within:)``.
    public static let maximumDistance = 1_000

    /// The parts of a search.
    public indirect enum Node: Sendable, Hashable {
        /// Words that follow each other, or one word. If it is a beginning, the last word may go on.
        case words(String, isBeginning: Bool)
        /// Words that stand near the first of them.
        case near(String, distance: Int)
        case all([Node])
        case any([Node])
        case not(Node)
        /// A part that looks only into one attribute.
        case attribute(String, Node)
        /// A part that cannot be run, with the reason.
        case invalid(String)
    }

    public let root: Node
    private let depth: Int
    private let count: Int

    private init(_ root: Node, depth: Int, count: Int) {
        let reason: String? =
            if depth > SearchText.maximumDepth {
                "A search is nested more than \(SearchText.maximumDepth) deep."
            } else if count > SearchText.maximumWords {
                "A search has more than \(SearchText.maximumWords) words and phrases. Search for fewer."
            } else {
                nil
            }
        (self.root, self.depth, self.count) = reason.map { (.invalid($0), 1, 1) } ?? (root, depth, count)
    }

    private init(invalid reason: String) { self.init(.invalid(reason), depth: 1, count: 1) }

    /// Finds nothing.
    static var nothing: SearchText { SearchText(.any([]), depth: 1, count: 0) }

    static func words(_ text: String, isBeginning: Bool) -> SearchText {
        SearchText(.words(text, isBeginning: isBeginning), depth: 1, count: 1)
    }
}

extension SearchText {
    /// Every word of a text, in any order and in any attribute.
    ///
    /// - Parameters:
    ///   - text: The words, with anything between them.
    ///   - beginnings: Whether each word may be the beginning of a word: `hend` then finds "Hendrix".
    public static func all(_ text: String, beginnings: Bool = false) -> SearchText {
        let words = parts(of: text, beginnings)
        return words.isEmpty ? .nothing : .all(words)
    }

    /// At least one word of a text.
    ///
    /// - Parameters:
    ///   - text: The words, with anything between them.
    ///   - beginnings: Whether each word may be the beginning of a word: `hend` then finds "Hendrix".
    public static func any(_ text: String, beginnings: Bool = false) -> SearchText { .any(parts(of: text, beginnings)) }

    /// No word of a text.
    public static func none(_ text: String) -> SearchText { !any(text) }

    /// The words of a text, following each other in one attribute.
    ///
    /// - Parameters:
    ///   - text: The words, with anything between them.
    ///   - beginning: Whether the last word may be the beginning of a word.
    public static func phrase(_ text: String, beginning: Bool = false) -> SearchText {
        text.hasSearchedWord ? .words(text, isBeginning: beginning) : .nothing
    }

    /// The words of a text, each at most `distance` words away from the first of them, in one attribute. Words that
    /// follow each other have the distance 1.
    public static func near(_ text: String, within distance: Int = 10) -> SearchText {
        guard (1...maximumDistance).contains(distance) else {
            return SearchText(
                invalid: "Words are searched within 1 to \(maximumDistance) words of each other, not \(distance).")
        }
        return text.hasSearchedWord ? SearchText(.near(text, distance: distance), depth: 1, count: 1) : .nothing
    }

    /// Every one of some searches. Without any it finds nothing.
    public static func all(_ parts: [SearchText]) -> SearchText {
        if parts.isEmpty { return .nothing }
        return joined(parts) {
            if case .all(let inner) = $0 { inner } else { nil }
        } make: {
            .all($0)
        }
    }

    /// At least one of some searches. Without any it finds nothing.
    public static func any(_ parts: [SearchText]) -> SearchText {
        joined(parts) {
            if case .any(let inner) = $0, !inner.isEmpty { inner } else { nil }
        } make: {
            .any($0)
        }
    }

    public static func && (left: SearchText, right: SearchText) -> SearchText { .all([left, right]) }
    public static func || (left: SearchText, right: SearchText) -> SearchText { .any([left, right]) }
    public static prefix func ! (search: SearchText) -> SearchText {
        switch search.root {
        case .not(let inner): SearchText(inner, depth: search.depth, count: search.count)
        case .invalid: search
        default: SearchText(.not(search.root), depth: search.depth + 1, count: search.count)
        }
    }

    /// The same search in one attribute, given by its name.
    ///
    /// ```swift
    /// Song.where { $0.search(.all("fire").in("title") && .all("1967")) }
    /// ```
    public func `in`(_ attribute: String) -> SearchText {
        if case .invalid = root { return self }
        return SearchText(.attribute(attribute, root), depth: depth + 1, count: count)
    }

    private static func joined(
        _ parts: [SearchText], _ inner: (Node) -> [Node]?, make: ([Node]) -> Node
    ) -> SearchText {
        if parts.count == 1 { return parts[0] }
        var nodes: [Node] = []
        var (depth, count) = (0, 0)
        for part in parts {
            if case .invalid = part.root { return part }
            count += part.count
            if let inner = inner(part.root) {
                nodes += inner
                depth = max(depth, part.depth - 1)
            } else {
                nodes.append(part.root)
                depth = max(depth, part.depth)
            }
        }
        return SearchText(make(nodes), depth: depth + 1, count: count)
    }

    /// The words of a text. Those that overlap are a phrase.
    private static func parts(of text: String, _ beginnings: Bool) -> [SearchText] {
        var parts: [SearchText] = []
        for words in text.searchedWords {
            parts.append(.words(words, isBeginning: beginnings))
            // A sum beyond the limit is an error, whatever the words are.
            if parts.count > maximumWords { break }
        }
        return parts
    }
}

extension String {
    /// The words of a text one by one; words of a script without spaces that overlap as one text.
    var searchedWords: [String] {
        var text = self
        return text.withUTF8 { utf8 in
            let utf8 = UnsafeRawBufferPointer(utf8)
            var scanner = WordScanner(utf8)
            var places: [Range<Int>] = []
            while let place = scanner.next() {
                if let last = places.last, place.lowerBound < last.upperBound {
                    places[places.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
                } else {
                    places.append(place)
                }
            }
            return places.map { String(decoding: utf8[$0], as: UTF8.self) }
        }
    }

    /// Whether the text has a word.
    var hasSearchedWord: Bool {
        var text = self
        return text.withUTF8 { utf8 in
            var scanner = WordScanner(UnsafeRawBufferPointer(utf8))
            return scanner.next() != nil
        }
    }
}
