/// A key to search for: its bytes, and its first eight bytes as a number with the same order.
///
/// Most comparisons are decided by this head alone, which is in the page's slots. Only keys that agree in eight bytes
/// and are both longer are compared in full. A key shorter than eight bytes has zeros at the end of its head. If two
/// heads are equal and one key has at most eight bytes, that key is a prefix of the other one, apart from zeros that
/// the other key really contains: the shorter key comes first.
struct Key {
    let start: UnsafeRawPointer
    let count: Int
    let head: UInt64

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(bytes.baseAddress ?? UnsafeRawPointer(Key.nothing), bytes.count)
    }

    @inline(__always)
    init(_ start: UnsafeRawPointer, _ count: Int) {
        self.start = start
        self.count = count
        head = count >= 8 ? UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) : Key.shortHead(start, count)
    }

    /// An address for keys without bytes.
    // nonisolated(unsafe): written once here, never read or written through afterwards.
    nonisolated(unsafe) private static let nothing = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)

    private static func shortHead(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
        var head: UInt64 = 0
        for index in 0..<8 {
            head = head << 8 | (index < count ? UInt64(start.load(fromByteOffset: index, as: UInt8.self)) : 0)
        }
        return head
    }

    /// Less than zero if this key comes before the other, zero if they are the same.
    func compare(_ other: Key) -> Int {
        if head != other.head { return head < other.head ? -1 : 1 }
        let shared = min(count, other.count)
        if shared > 8 {
            let order = Platform.compare(start + 8, other.start + 8, shared - 8)
            if order != 0 { return order }
        }
        return count - other.count
    }

    /// The shortest beginning of this key that still comes after `left`, which must come before this key.
    func separator(after left: Key) -> Key {
        let shared = min(count, left.count)
        var index = 0
        while index < shared,
            start.load(fromByteOffset: index, as: UInt8.self) == left.start.load(fromByteOffset: index, as: UInt8.self)
        {
            index += 1
        }
        return Key(start, min(index + 1, count))
    }
}
