/// Bytes that are read one after the other, once.
///
/// A stream belongs to one reader at a time; it need not be safe to call from several threads.
public protocol ByteStream: AnyObject {
    /// Reads the next bytes into the beginning of `buffer`, which is not empty.
    ///
    /// Blocks until at least one byte is available, or the input has ended.
    ///
    /// - Returns: The number of bytes read; 0 only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

extension ByteStream {
    /// Reads as ``read(into:)`` does.
    ///
    /// - Throws: Also `io`, if the stream says that it has read more bytes than `buffer` holds.
    func readChecked(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try read(into: buffer)
        guard count >= 0, count <= buffer.count else {
            throw GranaryError(.io, "A byte stream said that it had read \(count) bytes into room for \(buffer.count).")
        }
        return count
    }
}

/// The bytes of an array, in chunks of limited size.
package final class ArrayStream: ByteStream {
    private let bytes: [UInt8]
    private let chunk: Int
    private var position = 0

    package init(_ bytes: [UInt8], chunk: Int = .max) {
        self.bytes = bytes
        self.chunk = max(chunk, 1)
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - position, chunk)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count]))
        }
        position += count
        return count
    }
}
