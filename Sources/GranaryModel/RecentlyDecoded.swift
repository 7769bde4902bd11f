import GranaryPlatform

/// The last few decoded values of a type in this process, by their bytes. A store keeps its schema as JSON and needs it
/// several times while it is opened; decoding takes most of that time.
///
/// It keeps at most eight values, of at most a megabyte of JSON each.
// @unchecked: `entries` is read and written only while `lock` is held.
package final class RecentlyDecoded<Value: Sendable>: @unchecked Sendable {
    private let lock = Lock()
    /// The most recently requested entry is the last.
    private var entries: [(bytes: [UInt8], value: Value)] = []
    private static var capacity: Int { 8 }
    private static var largest: Int { 1 << 20 }

    package init() {}

    /// The decoded value of these bytes.
    ///
    /// - Throws: What `decode` throws. Then nothing is kept.
    package func value(_ bytes: [UInt8], _ decode: ([UInt8]) throws -> Value) throws -> Value {
        guard bytes.count <= Self.largest else { return try decode(bytes) }
        if let known = lock.withLock({ find(bytes) }) { return known }
        let value = try decode(bytes)
        lock.withLock {
            guard find(bytes) == nil else { return }
            if entries.count == Self.capacity { entries.removeFirst() }
            entries.append((bytes, value))
        }
        return value
    }

    private func find(_ bytes: [UInt8]) -> Value? {
        guard let index = entries.lastIndex(where: { $0.bytes == bytes }) else { return nil }
        let entry = entries.remove(at: index)
        entries.append(entry)
        return entry.value
    }
}
