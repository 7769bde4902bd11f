import GranaryStoreKit

/// The bytes of the log: a header, then a frame a commit. All numbers are little-endian.
///
/// ```
/// header   "GranLog1"  length of the log when it was closed, 0 while it is in use: UInt64  checksum: UInt64
/// frame    length of the changes: UInt64  their checksum, seeded by the frame's place: UInt64  changes
/// ```
///
/// The changes are those of `KeyValueChanges`.
enum LogFormat {
    static let headerSize = 24
    private static let frameHeaderSize = 16
    private static let magic = Array("GranLog1".utf8)

    static func header(closedAt length: Int) -> [UInt8] {
        let start = magic + bytes(UInt64(length))
        return start + bytes(start.withUnsafeBytes { StoreBytes.checksum($0, seed: 0) })
    }

    static func frame(_ changes: [UInt8], at place: Int) -> [UInt8] {
        let sum = changes.withUnsafeBytes { StoreBytes.checksum($0, seed: UInt64(place)) }
        return bytes(UInt64(changes.count)) + bytes(sum) + changes
    }

    /// Calls the body with the changes of each whole frame, and says where the last frame ends and whether the log was closed
    /// there. Nil if the log is damaged.
    ///
    /// A commit is on the disk before the next is written, so only the last frame can be torn; and only if the log is in
    /// use, as closing it writes its length.
    static func replay(
        _ log: UnsafeRawBufferPointer, _ body: (_ changes: UnsafeRawBufferPointer) throws -> Void
    ) rethrows -> (end: Int, isClosed: Bool)? {
        guard log.count >= headerSize else { return nil }
        let closedAt = Int(clamping: number(log, 8))
        guard header(closedAt: closedAt).elementsEqual(log[..<headerSize]) else { return nil }
        var end = headerSize
        while log.count - end >= frameHeaderSize {
            let size = number(log, end)
            guard size <= log.count - end - frameHeaderSize else { break }
            let changes = UnsafeRawBufferPointer(rebasing: log[(end + frameHeaderSize)...].prefix(Int(size)))
            guard StoreBytes.checksum(changes, seed: UInt64(end)) == number(log, end + 8) else { break }
            try body(changes)
            end += frameHeaderSize + Int(size)
        }
        let isClosed = closedAt != 0
        return isClosed && (end != closedAt || log.count != closedAt) ? nil : (end, isClosed)
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
