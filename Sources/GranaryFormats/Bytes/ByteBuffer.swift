/// Bytes that grow in place and are lent as pointers.
///
/// At least ``slack`` bytes after the last byte can be read and written, so that whole words can be read and written.
struct ByteBuffer: ~Copyable {
    /// More than the widest read or write past the end.
    static let slack = 64
    /// The capacity that is kept when the buffer is emptied.
    private static let kept = 65_536

    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int

    init(capacity: Int = 256) {
        self.capacity = capacity
        start = ByteBuffer.allocate(capacity)
    }

    deinit { start.deallocate() }

    private static func allocate(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
        let start = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + slack)
        start.initialize(repeating: 0, count: capacity + slack)
        return start
    }

    var end: UnsafeMutablePointer<UInt8> { start + count }
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Makes room for more bytes after the last.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(count + more) }
    }

    @inline(never)
    private mutating func grow(_ needed: Int) {
        let larger = max(needed, capacity * 2)
        let moved = ByteBuffer.allocate(larger)
        moved.update(from: start, count: count)
        start.deallocate()
        start = moved
        capacity = larger
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafePointer<UInt8>, _ more: Int) {
        reserve(more)
        (start + count).update(from: bytes, count: more)
        count += more
    }

    /// Appends a text of a reader; at least 15 bytes after the text must be readable. Most texts are so short that a
    /// call takes longer than the copy.
    @inline(__always)
    mutating func append(text: UnsafePointer<UInt8>, _ more: Int) {
        guard more <= 16 else { return append(text, more) }
        reserve(more)
        // Bytes written beyond the text are within the slack.
        let (source, target) = (UnsafeRawPointer(text), UnsafeMutableRawPointer(start + count))
        let (low, high) = (
            source.loadUnaligned(as: UInt64.self), source.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
        target.storeBytes(of: low, as: UInt64.self)
        target.storeBytes(of: high, toByteOffset: 8, as: UInt64.self)
        count += more
    }

    /// Counts bytes that were written after the last; there must be room for them.
    @inline(__always)
    mutating func extend(_ more: Int) { count += more }

    /// Drops all bytes after the first `length`.
    @inline(__always)
    mutating func truncate(_ length: Int) { count = min(count, length) }

    /// Drops all bytes, and frees the memory if an unusually long text has made the buffer large.
    @inline(__always)
    mutating func removeAll() {
        count = 0
        if capacity > ByteBuffer.kept { shrink() }
    }

    @inline(never)
    private mutating func shrink() {
        start.deallocate()
        capacity = ByteBuffer.kept
        start = ByteBuffer.allocate(capacity)
    }
}
