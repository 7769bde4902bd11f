/// The differences that a comparison of texts ignores. If empty, texts are compared by their bytes.
///
/// ```swift
/// TextMatch(.contains, "strasse", [.caseInsensitive])        // finds "Hauptstraße"
/// TextMatch(.equal, "Bjork", [.diacriticInsensitive])        // finds "Björk", not "björk"
/// ```
///
/// Both sides are folded, then their bytes are compared. Folding a text has these steps:
///
/// 1. with ``caseInsensitive``, each scalar is converted to lower case, then to upper case, then to lower case again,
///    by Unicode's full mappings and those of no locale: ß is ss, ς and Σ are σ, K (Kelvin) is k, İ is i with a dot
///    above. The dotless ı stays unchanged;
/// 2. with ``diacriticInsensitive``, the text is decomposed and its marks that take no space (general category Mn) are
///    dropped: é, ễ and e are e. Letters with a stroke (Ø, ł) have no marks and stay unchanged;
/// 3. in both cases it is composed again (NFC), so that é is the same as one scalar and as two.
///
/// Folding a folded text changes nothing. The result depends on no locale and is the same on every platform. Scalars
/// that a later version of Unicode gives a meaning may fold differently from then on.
///
/// **Cost.** About a nanosecond a byte for ASCII, about 10 to 150 nanoseconds a scalar for the rest, most of it for
/// decomposing and composing texts. The byte order of folded texts is not the alphabetical order of any language.
public struct TextFolding: OptionSet, Sendable, Hashable, Codable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper-case and lower-case letters are equal. Written `[c]` in a condition's text.
    public static let caseInsensitive = TextFolding(rawValue: 1)
    /// Letters with and without marks are equal. Written `[d]` in a condition's text.
    public static let diacriticInsensitive = TextFolding(rawValue: 2)
}

extension TextFolding: CustomStringConvertible {
    /// `[c]`, `[d]`, `[cd]`, or nothing when it is empty.
    public var description: String {
        if isEmpty { return "" }
        return "[\(contains(.caseInsensitive) ? "c" : "")\(contains(.diacriticInsensitive) ? "d" : "")]"
    }
}

extension TextFolding {
    /// Folds one text, for a pattern or a single value. For many texts, keep a ``TextFolder``.
    /// - Throws: `corrupt` for bytes that are not UTF-8.
    package func folded(_ utf8: [UInt8]) throws(GranaryError) -> [UInt8] {
        if isEmpty { return utf8 }
        var folder = TextFolder(self)
        var output: [UInt8] = []
        // `withUnsafeBytes` passes on untyped errors only, so a result carries this error.
        let result = utf8.withUnsafeBytes { bytes in
            Result { () throws(GranaryError) in try folder.fold(bytes, into: &output) }
        }
        try result.get()
        return output
    }
}
