/// The keys of an index's blocks.
///
/// | block | key |
/// |---|---|
/// | totals | index number (4 bytes, big-endian), 0 |
/// | header of a term | index number, 1, term |
/// | postings of a term | index number, 2, term, 0, a document key at or before the first posting |
struct WordKeys {
    let index: [UInt8]

    init(index: UInt32) {
        self.index = withUnsafeBytes(of: index.bigEndian) { [UInt8]($0) }
    }

    var totals: [UInt8] { index + [0] }
    var allHeaders: [UInt8] { index + [1] }
    var allPostings: [UInt8] { index + [2] }

    /// Also the first bytes of the headers of all terms that begin with these bytes.
    func header(_ term: UnsafeRawBufferPointer) -> [UInt8] { allHeaders + term }

    /// The first bytes of the keys of a term's blocks.
    func postings(_ term: UnsafeRawBufferPointer) -> [UInt8] { allPostings + term + [0] }

    /// The term of a header's key, or nil if the key is not the key of a header.
    func term(ofHeader key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        hasPrefix(key, allHeaders) ? key.part(allHeaders.count..<key.count) : nil
    }
}

extension [UInt8] {
    /// The least key after this one.
    var successor: [UInt8] { self + [0] }
}
