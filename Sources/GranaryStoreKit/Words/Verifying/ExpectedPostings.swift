/// The postings that some documents should have, as sums of hashes in buckets: equal if the postings are the same,
/// whatever their order.
struct PostingSums: Equatable {
    static let buckets = 4096
    private(set) var sums = [UInt64](repeating: 0, count: buckets)

    mutating func add(term: UnsafeRawBufferPointer, document: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer) {
        let termHash = PostingSums.hash(term, 0)
        let hash = PostingSums.hash(body, PostingSums.hash(document, termHash))
        sums[PostingSums.bucket(term)] &+= hash
    }

    static func bucket(_ term: UnsafeRawBufferPointer) -> Int { Int(hash(term, 0) >> 52) }

    /// The buckets in which both differ.
    func differences(_ other: PostingSums) -> Set<Int> {
        Set(sums.indices.filter { sums[$0] != other.sums[$0] })
    }

    /// FNV-1a over the bytes and their number, with the final mix of SplitMix64.
    private static func hash(_ bytes: UnsafeRawBufferPointer, _ seed: UInt64) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        hash = (hash ^ UInt64(bytes.count)) &* 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
        return hash ^ hash >> 31
    }
}

/// One posting, for the comparison of single terms.
struct NamedPosting: Hashable {
    var term: [UInt8]
    var document: [UInt8]
    var body: [UInt8]

    var description: String {
        "the word \"\(String(decoding: term, as: UTF8.self))\" of the document "
            + document.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
