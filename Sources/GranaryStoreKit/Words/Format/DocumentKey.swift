/// A document's key as cursors and blocks handle it: integers as numbers, others as bytes.
///
/// | requirement | what it must guarantee |
/// |---|---|
/// | `<` | the order of the encoded bytes by `memcmp` |
/// | `encode` | writes the key so that `decode` reads it after the same previous key |
/// | `decodeNext` | throws `corrupt` unless the key is greater than the previous one |
/// | `decodeFirst` | reads the first key of a block, which may equal the previous one |
protocol DocumentKey: Comparable {
    static var form: DocumentKeyForm { get }
    /// What the first key of a block without a key of its own is encoded after.
    static var origin: Self { get }
    init(encoded: UnsafeRawBufferPointer) throws
    /// The least key after this one; the key itself if there is none.
    var successor: Self { get }
    func append(to bytes: inout [UInt8])
    /// Becomes equal to another key without sharing its memory, so that both may change without allocations.
    mutating func copy(_ other: Self)
    func encode(after previous: Self, into bytes: inout [UInt8])
    /// Replaces the previous key.
    mutating func decodeFirst(_ reader: inout BlockBytes) throws
    /// Replaces the previous key.
    mutating func decodeNext(_ reader: inout BlockBytes) throws
}

extension DocumentKey {
    /// A key that is a part of a block's key.
    init(stored: UnsafeRawBufferPointer) throws {
        do {
            try self.init(encoded: stored)
        } catch {
            throw WordIndexError.corrupt("a block whose key has no suitable document key")
        }
    }

    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}

/// An integer with its sign bit flipped. In blocks, the difference from the previous one.
extension UInt64: DocumentKey {
    static var form: DocumentKeyForm { .integers }
    /// The integer 0.
    static var origin: UInt64 { 1 << 63 }

    init(encoded: UnsafeRawBufferPointer) throws {
        guard encoded.count == 8 else { throw WordIndexError.unsuitableKey(byteCount: encoded.count) }
        self = UInt64(bigEndian: encoded.loadUnaligned(as: UInt64.self))
    }

    var successor: UInt64 { self == .max ? self : self + 1 }

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: bigEndian) { bytes.append(contentsOf: $0) }
    }

    @inline(__always) mutating func copy(_ other: UInt64) { self = other }

    @inline(__always) func encode(after previous: UInt64, into bytes: inout [UInt8]) {
        bytes.appendVarint(self &- previous)
    }

    mutating func decodeFirst(_ reader: inout BlockBytes) throws {
        self &+= try reader.varint()
    }

    @inline(__always) mutating func decodeNext(_ reader: inout BlockBytes) throws {
        let (next, overflow) = addingReportingOverflow(try reader.varint())
        guard next > self, !overflow else { throw WordIndexError.corrupt("document keys do not ascend") }
        self = next
    }
}

/// A key of any bytes. In blocks, the number of first bytes that it shares with the previous key, and the others.
struct ByteKey: DocumentKey {
    private(set) var bytes: [UInt8]

    static var form: DocumentKeyForm { .bytes }
    static var origin: ByteKey { ByteKey(bytes: []) }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    init(encoded: UnsafeRawBufferPointer) throws {
        guard encoded.count <= WordIndexOptions.longestDocumentKey else {
            throw WordIndexError.unsuitableKey(byteCount: encoded.count)
        }
        bytes = [UInt8](encoded)
    }

    static func == (left: ByteKey, right: ByteKey) -> Bool {
        left.bytes.withUnsafeBytes { left in right.bytes.withUnsafeBytes { equalBytes(left, $0) } }
    }

    static func < (left: ByteKey, right: ByteKey) -> Bool {
        left.bytes.withUnsafeBytes { left in right.bytes.withUnsafeBytes { compareBytes(left, $0) < 0 } }
    }

    var successor: ByteKey { ByteKey(bytes: bytes.successor) }

    func append(to bytes: inout [UInt8]) { bytes.append(contentsOf: self.bytes) }

    mutating func copy(_ other: ByteKey) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: other.bytes)
    }

    func encode(after previous: ByteKey, into output: inout [UInt8]) {
        let most = min(bytes.count, previous.bytes.count)
        var shared = 0
        while shared < most, bytes[shared] == previous.bytes[shared] { shared += 1 }
        output.appendVarint(shared)
        output.appendVarint(bytes.count - shared)
        output.append(contentsOf: bytes[shared...])
    }

    mutating func decodeFirst(_ reader: inout BlockBytes) throws { try decode(&reader, mayBeEqual: true) }
    mutating func decodeNext(_ reader: inout BlockBytes) throws { try decode(&reader, mayBeEqual: false) }

    private mutating func decode(_ reader: inout BlockBytes, mayBeEqual: Bool) throws {
        let shared = try reader.smallVarint()
        let count = try reader.smallVarint()
        let start = reader.offset
        try reader.skip(UInt64(count))
        guard shared <= bytes.count, shared + count <= WordIndexOptions.longestDocumentKey else {
            throw WordIndexError.corrupt("a document key is too long")
        }
        // The first byte that differs decides, so this is the whole comparison.
        let ascends = count > 0 ? shared == bytes.count || reader.bytes[start] > bytes[shared] : shared == bytes.count
        guard ascends, count > 0 || mayBeEqual else { throw WordIndexError.corrupt("document keys do not ascend") }
        bytes.removeSubrange(shared...)
        bytes.append(contentsOf: reader.bytes[start..<start + count])
    }
}
