/// The part of a stream in memory now: a buffer of a fixed size which slides over the input.
///
/// A zero that is not part of the input follows the last byte. So scans need not compare with the end for each byte:
/// when a scan stops at a zero, the cursor tells whether this is the end.
struct InputWindow: ~Copyable {
    static let size = 65_536

    private var stream: any ByteStream
    private let start: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    /// The next byte.
    var cursor: UnsafeMutablePointer<UInt8>
    /// The end of the bytes that have been read, where a zero lies.
    private(set) var limit: UnsafeMutablePointer<UInt8>
    /// The number of input bytes before the window.
    private var before = 0
    private(set) var isAtEndOfStream = false

    /// - Parameter offset: The number of input bytes before the stream.
    init(_ stream: any ByteStream, capacity: Int = InputWindow.size, offset: Int = 0) {
        self.stream = stream
        before = offset
        self.capacity = capacity
        start = .allocate(capacity: capacity + ByteBuffer.slack)
        start.initialize(repeating: 0, count: capacity + ByteBuffer.slack)
        cursor = start
        limit = start
    }

    deinit { start.deallocate() }

    /// The number of bytes of the input before the cursor.
    @inline(__always) var offset: Int { before + (cursor - start) }
    /// The number of bytes that can be read without filling the window.
    @inline(__always) var available: Int { limit - cursor }
    /// The bytes that can be read without filling the window.
    @inline(__always) var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: cursor, count: limit - cursor) }
    /// Whether the cursor is at the end of the window.
    @inline(__always) var isAtLimit: Bool { cursor == limit }

    /// Reads more bytes after the unconsumed ones. Returns false if the input has ended.
    ///
    /// Pointers into the window are not valid afterwards. The window must not be full: fewer than ``size`` bytes are
    /// unconsumed.
    @inline(never)
    mutating func readMore() throws -> Bool {
        if isAtEndOfStream { return false }
        let kept = available
        if cursor != start, kept == 0 || limit - start > capacity / 2 {
            start.update(from: cursor, count: kept)
            before += cursor - start
            cursor = start
            limit = start + kept
        }
        let room = capacity - (limit - start)
        guard room > 0 else { return false }
        let count = try stream.readChecked(into: UnsafeMutableRawBufferPointer(start: limit, count: room))
        limit += count
        limit.pointee = 0
        isAtEndOfStream = count == 0
        return count > 0
    }

    /// Puts `bytes`, which were read before the cursor, back, to be read again. Pointers into the window are not valid
    /// afterwards.
    mutating func unread(_ bytes: [UInt8]) {
        let all = bytes + rest
        before = offset - bytes.count
        stream = PrefixedStream(all, stream)
        cursor = start
        limit = start
        limit.pointee = 0
        isAtEndOfStream = false
    }

    /// Reads until `count` bytes are available, or the input has ended.
    mutating func fill(_ count: Int) throws {
        while available < min(count, capacity) {
            guard try readMore() else { return }
        }
    }
}
