import GranaryKeyValue
import GranaryStoreKit

/// The bytes of the log: a header, then a frame a commit. All numbers are little-endian.
///
/// ```
/// header   "GranLog1"  length of the log when it was closed, 0 while it is in use: UInt64  checksum: UInt64
/// frame    length of the changes: UInt64  their checksum, seeded by the frame's place: UInt64  changes
/// change   keyspace: UInt32  length of the key, 0 for all keys: UInt32  1 + length of the value, 0 deletes: UInt32  key  value
/// ```
enum LogFormat {
    static let headerSize = 24
    private static let frameHeaderSize = 16
    private static let changeHeaderSize = 12
    private static let magic = Array("GranLog1".utf8)

    static func header(closedAt length: Int) -> [UInt8] {
        let start = magic + bytes(UInt64(length))
        return start + bytes(start.withUnsafeBytes { StoreBytes.checksum($0, seed: 0) })
    }

    /// A frame without changes, for ``add(_:_:valueSize:to:)``.
    static let emptyFrame = [UInt8](repeating: 0, count: frameHeaderSize)

    /// Adds a change. The caller adds the value's bytes.
    static func add(_ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, valueSize: Int?, to frame: inout [UInt8]) {
        frame += bytes(keyspace.number) + bytes(UInt32(key.count)) + bytes(UInt32((valueSize ?? -1) + 1))
        frame += key
    }

    /// Fills in the head of a frame that has all its changes.
    static func finish(_ frame: inout [UInt8], at place: Int) {
        let sum = frame.withUnsafeBytes {
            StoreBytes.checksum(.init(rebasing: $0[frameHeaderSize...]), seed: UInt64(place))
        }
        frame.replaceSubrange(..<frameHeaderSize, with: bytes(UInt64(frame.count - frameHeaderSize)) + bytes(sum))
    }

    /// Calls the body with each change of all whole frames - a value of nil deletes, an empty key is all keys - and says
    /// where the last frame ends and whether the log was closed there. Nil if the log is damaged.
    ///
    /// A commit is on the disk before the next is written, so only the last frame can be torn; and only if the log is in
    /// use, as closing it writes its length.
    static func replay(
        _ log: UnsafeRawBufferPointer,
        _ body: (_ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) throws -> Void
    ) rethrows -> (end: Int, isClosed: Bool)? {
        guard log.count >= headerSize else { return nil }
        let closedAt = Int(clamping: number(log, 8, UInt64.self))
        guard header(closedAt: closedAt).elementsEqual(log[..<headerSize]) else { return nil }
        var end = headerSize
        while log.count - end >= frameHeaderSize {
            let size = number(log, end, UInt64.self)
            guard size <= log.count - end - frameHeaderSize else { break }
            let changes = UnsafeRawBufferPointer(rebasing: log[(end + frameHeaderSize)...].prefix(Int(size)))
            guard StoreBytes.checksum(changes, seed: UInt64(end)) == number(log, end + 8, UInt64.self) else { break }
            var offset = 0
            while changes.count - offset >= changeHeaderSize {
                let keyStart = offset + changeHeaderSize
                let valueStart = keyStart + Int(number(changes, offset + 4, UInt32.self))
                let valueSize = Int(number(changes, offset + 8, UInt32.self)) - 1
                let next = valueStart + max(0, valueSize)
                guard next <= changes.count else { return nil }
                try body(
                    Keyspace(number(changes, offset, UInt32.self)), .init(rebasing: changes[keyStart..<valueStart]),
                    valueSize < 0 ? nil : .init(rebasing: changes[valueStart..<next]))
                offset = next
            }
            end += frameHeaderSize + Int(size)
        }
        let isClosed = closedAt != 0
        return isClosed && (end != closedAt || log.count != closedAt) ? nil : (end, isClosed)
    }

    private static func number<T: FixedWidthInteger>(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _: T.Type) -> T {
        T(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
