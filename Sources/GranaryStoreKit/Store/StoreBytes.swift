import GranaryPlatform

/// Functions of stores on bytes.
public enum StoreBytes {
    /// Orders bytes like `memcmp`, with a prefix first: less than 0 if `left` comes first, 0 if they are equal.
    public static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        compareBytes(left, right)
    }

    /// A checksum of 64 bits that stays the same in every version and on every machine. It finds accidents, not
    /// attackers.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to sum up.
    ///   - seed: The place of the bytes, so that bytes in a wrong place are detected.
    public static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 { hash64(bytes, seed: seed) }
}

/// A number of bytes for display: `4.2 MB`.
package func readableSize(_ bytes: Int) -> String {
    var (size, unit) = (Double(bytes), 0)
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"]
    while size >= 1000, unit < units.count - 1 {
        size /= 1000
        unit += 1
    }
    return unit == 0 ? "\(bytes) bytes" : "\((size * 10).rounded() / 10) \(units[unit])"
}
