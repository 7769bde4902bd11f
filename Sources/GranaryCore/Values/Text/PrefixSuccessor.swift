/// The least byte string that is after everything that begins with these bytes; nil if there is none (all of them FF).
///
/// With it a prefix is a range: from the prefix, included, to its successor, excluded.
package func successorOfPrefix(_ bytes: [UInt8]) -> [UInt8]? {
    var bytes = bytes
    while let last = bytes.last {
        if last < 0xFF {
            bytes[bytes.count - 1] = last + 1
            return bytes
        }
        bytes.removeLast()
    }
    return nil
}
