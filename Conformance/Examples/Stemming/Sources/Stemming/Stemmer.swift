import CStemmer
import GranaryCore

/// A stemmer of Snowball for one language: "walking" and "walks" have the stem "walk".
final class Stemmer {
    private let stemmer: OpaquePointer

    /// - Parameter language: The name of an algorithm, such as `english`.
    /// - Throws: `unsupported` if the library does not have the algorithm.
    init(_ language: String) throws {
        guard let stemmer = sb_stemmer_new(language, "UTF_8") else {
            throw GranaryError(.unsupported, "libstemmer has no algorithm \"\(language)\". Choose one of its list.")
        }
        self.stemmer = stemmer
    }

    deinit { sb_stemmer_delete(stemmer) }

    /// The stem of a word in lower case with its accents, as the algorithms expect it.
    func stem(_ word: String) -> String {
        var word = word
        return word.withUTF8 { utf8 in
            guard let count = Int32(exactly: utf8.count),
                let stem = sb_stemmer_stem(stemmer, utf8.baseAddress, count)
            else { return String(decoding: utf8, as: UTF8.self) }
            let length = Int(sb_stemmer_length(stemmer))
            return String(decoding: UnsafeBufferPointer(start: stem, count: length), as: UTF8.self)
        }
    }
}
