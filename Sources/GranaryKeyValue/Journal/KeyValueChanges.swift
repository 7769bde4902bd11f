import GranaryStoreKit

/// Changes of an engine's entries as bytes, in the order in which they were made.
///
/// A ``JournalingWriter`` makes the bytes, an engine with a log writes them, and the next opening repeats the changes:
///
/// ```swift
/// try KeyValueChanges.apply(bytes, to: writer)
/// ```
///
/// The bytes contain neither a checksum nor their own length: the log must keep both. All numbers are little-endian:
///
/// ```
/// change   keyspace: UInt32  length of the key, 0 for all keys: UInt32  1 + length of the value, 0 deletes: UInt32  key  value
/// ```
public enum KeyValueChanges {
    private static let headSize = 12

    /// Adds the writing of an entry to the bytes.
    public static func add(_ entry: KeyValueEntry, in keyspace: Keyspace, to bytes: inout [UInt8]) {
        addHead(keyspace, entry.key, valueSize: entry.value.count, to: &bytes)
        bytes += entry.value
    }

    /// Adds a change without the bytes of its value, which must follow.
    ///
    /// - Parameter valueSize: Nil if the key is deleted; an empty key then stands for all keys.
    static func addHead(
        _ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, valueSize: Int?, to bytes: inout [UInt8]
    ) {
        for number in [keyspace.number, UInt32(clamping: key.count), UInt32(clamping: (valueSize ?? -1) + 1)] {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        bytes += key
    }

    /// Calls the closure with each change. If there is no value, the key is deleted; an empty key then means all keys
    /// of the keyspace. The pointers are into `bytes`.
    ///
    /// - Throws: `corrupt` if the bytes do not end with a complete change, after the closure was called with the
    ///   complete ones; the errors of the closure.
    public static func forEach(
        in bytes: UnsafeRawBufferPointer,
        _ body: (_ keyspace: Keyspace, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) throws -> Void
    ) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let head = take(headSize, from: &rest),
                let key = take(Int(clamping: number(head, at: 4)), from: &rest)
            else { throw damaged }
            let keyspace = Keyspace(number(head, at: 0))
            let size = Int(clamping: number(head, at: 8))
            if size == 0 {
                try body(keyspace, key, nil)
            } else {
                guard let value = take(size - 1, from: &rest) else { throw damaged }
                try body(keyspace, key, value)
            }
        }
    }

    /// Repeats the changes. Their keyspaces must be prepared.
    ///
    /// - Throws: `corrupt` if the bytes are not complete changes; the errors of the writer. Then the transaction can
    ///   only be ended.
    public static func apply(_ bytes: UnsafeRawBufferPointer, to writer: any KeyValueWriter) throws {
        try forEach(in: bytes) { keyspace, key, value in
            if let value {
                try writer.reserve(key, count: value.count, in: keyspace, mode: .replace)?.copyMemory(from: value)
            } else if key.isEmpty {
                try writer.deleteAll(in: keyspace)
            } else {
                _ = try writer.delete(key, in: keyspace)
            }
        }
    }

    private static var damaged: GranaryError {
        .damaged("A change in a log")
    }

    private static func take(_ count: Int, from rest: inout Slice<UnsafeRawBufferPointer>) -> UnsafeRawBufferPointer? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }

    private static func number(_ head: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(littleEndian: head.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
