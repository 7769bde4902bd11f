public import GranaryPlatform

extension UUID: RecordKey {
    /// A new UUID of version 7 (RFC 9562, section 5.7): UUIDs are ordered by the time of their creation, within this
    /// process strictly.
    ///
    /// 48 bits of milliseconds since 1970, 12 + 14 bits of a counter that begins at random each millisecond and only
    /// grows within one, 48 random bits. If the clock stands still or goes back, the last time is used further.
    public static func timeOrdered() -> UUID {
        let (milliseconds, counter) = TimeOrderedUUIDClock.shared.next()
        let random = UInt64.random(in: 0...UInt64.max)
        let high = milliseconds << 16 | 0x7000 | (counter >> 14 & 0x0FFF)
        let low = 0x8000_0000_0000_0000 | (counter & 0x3FFF) << 48 | random >> 16
        return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
    }
}

/// The state that makes UUIDs increase within a process.
private final class TimeOrderedUUIDClock: Sendable {
    static let shared = TimeOrderedUUIDClock()

    private let lock = Lock()
    // Both are read and written only while `lock` is held.
    nonisolated(unsafe) private var milliseconds: UInt64 = 0
    nonisolated(unsafe) private var counter: UInt64 = 0

    func next() -> (milliseconds: UInt64, counter: UInt64) {
        let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
        return lock.withLock {
            if now > milliseconds {
                milliseconds = now
                // The top bit is clear at the start, to leave room for counting.
                counter = UInt64.random(in: 0..<(1 << 25))
            } else {
                counter += 1
                if counter >= 1 << 26 {
                    milliseconds += 1
                    counter = 0
                }
            }
            return (milliseconds, counter)
        }
    }
}
