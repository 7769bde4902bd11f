/// The least byte string after all byte strings that begin with `bytes`; nil if it does not exist (all bytes are FF).
///
/// It makes a range of a prefix: from the prefix, included, to its successor, excluded.
package func successorOfPrefix(_ bytes: [UInt8]) -> [UInt8]? {
    var bytes = bytes
    guard let count = bytes.withUnsafeMutableBytes({ makeSuccessorOfPrefix($0) }) else { return nil }
    bytes.removeLast(bytes.count - count)
    return bytes
}

/// The same in place. Returns the length of the successor.
package func makeSuccessorOfPrefix(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
    var count = bytes.count
    while count > 0, bytes[count - 1] == 0xFF { count -= 1 }
    guard count > 0 else { return nil }
    bytes[count - 1] += 1
    return count
}
