/// A test of a text: whether it equals, contains, begins with, ends with or looks like a pattern.
///
/// ```swift
/// TextMatch(.prefix, "Wed")
/// TextMatch(.contains, "straße", [.caseInsensitive])
/// TextMatch(.like, "*.fl?c")
/// TextMatch(.matches, #"(19|20)\d\d-[01]\d"#)
/// ```
///
/// ``Kind/equal``, ``Kind/contains``, ``Kind/prefix`` and ``Kind/suffix`` compare bytes. With a ``folding`` both sides
/// are folded before anything else; an empty pattern is contained in every text.
///
/// ``Kind/like`` tests the whole text: `?` stands for one Unicode scalar, `*` for any number of scalars, also zero, and
/// `\?`, `\*` and `\\` for the characters themselves. With a folding, `?` is one scalar of the folded text: é in two
/// scalars needs two `?` without a folding and one with it.
///
/// ``Kind/matches`` is a regular expression that must match the whole text, from its first scalar to its last:
///
/// | written | matches |
/// |---|---|
/// | `a`, `\.`, `\n \t \r \f \v` | the scalar; a backslash takes the meaning from any ASCII character but letters and digits |
/// | `\x{1F600}`, `\x41`, `\u00E9` | the scalar with that number: 1 to 6, 2, 4 hexadecimal digits |
/// | `.` | any scalar but the newline U+000A |
/// | `[a-z_]`, `[^0-9]` | one of the scalars, one that is not in the set; escapes and the classes below may stand inside, `-` for itself at the beginning or end |
/// | `\d`, `\D` | a decimal digit of any script (Nd); any other scalar |
/// | `\w`, `\W` | a letter, mark, decimal digit or `_`; any other scalar |
/// | `\s`, `\S` | white space (Unicode's White_Space); any other scalar |
/// | `\p{Lu}`, `\pL`, `\P{N}` | a general category, of one letter or two; any other scalar |
/// | `(ab)`, `(?:ab)` | a group; nothing is captured |
/// | `ab\|cd` | one or the other |
/// | `a*`, `a+`, `a?`, `a{3}`, `a{3,}`, `a{3,5}` | repetitions, at most 1 000 counted; followed by `?` they mean the same |
/// | `^`, `\A`, `$`, `\z` | the beginning, the end of the text |
/// | `\b`, `\B` | between a `\w` and a `\W`; anywhere else |
/// | `(?i)`, `(?s)`, `(?m)`, `(?ims)` | at the beginning only: as ``TextFolding/caseInsensitive``; `.` also matches the newline; `^` and `$` also match at newlines |
///
/// With a folding the text is folded, and so are the letters and sets of the expression. A set stands for single
/// scalars: `[ß]` finds nothing where `ß` finds ss. If case is ignored, the categories of upper-case and lower-case
/// letters are one.
///
/// Backreferences, lookaround, named and atomic groups and possessive repetitions do not exist here: an expression with
/// one of them is refused. All other expressions can be decided in one pass over the text.
///
/// **Limits.** A regular expression has at most 10 000 scalars and 100 nested groups, and at most 10 000 steps when its
/// counted repetitions are written out.
///
/// **Cost.** Bytes are compared at the speed of memory. A regular expression looks at each scalar of the text once and
/// takes at most as many steps for it as the expression has; the same is true of a piece of a `like` pattern with `?`
/// in it. A text that needs more than 200 million steps gives a `limit` error.
///
/// **Errors.** A pattern that is not valid throws `invalidQuery`, which names the column: the number, from 1, of the
/// Unicode scalar in the pattern.
public struct TextMatch: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case equal
        case contains
        case prefix
        case suffix
        /// Wildcards `?` and `*`.
        case like
        /// A regular expression.
        case matches
    }

    public var kind: Kind
    /// The pattern in UTF-8. It is compared as bytes: two strings that Swift holds equal may differ in their bytes.
    public var pattern: [UInt8]
    /// The differences that are ignored.
    public var folding: TextFolding

    public init(_ kind: Kind, utf8 pattern: [UInt8], _ folding: TextFolding = []) {
        self.kind = kind
        self.pattern = pattern
        self.folding = folding
    }

    public init(_ kind: Kind, _ pattern: String, _ folding: TextFolding = []) {
        self.init(kind, utf8: Array(pattern.utf8), folding)
    }
}

extension TextMatch: Codable {
    private enum CodingKeys: String, CodingKey {
        case kind, pattern, folding
    }

    /// The pattern is coded as a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Kind.self, forKey: .kind), try container.decode(String.self, forKey: .pattern),
            try container.decodeIfPresent(TextFolding.self, forKey: .folding) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        guard let text = String(validating: pattern, as: UTF8.self) else {
            throw EncodingError.invalidValue(
                pattern,
                EncodingError.Context(
                    codingPath: container.codingPath + [CodingKeys.pattern],
                    debugDescription: "The pattern is not UTF-8."))
        }
        try container.encode(kind, forKey: .kind)
        try container.encode(text, forKey: .pattern)
        if !folding.isEmpty { try container.encode(folding, forKey: .folding) }
    }
}
