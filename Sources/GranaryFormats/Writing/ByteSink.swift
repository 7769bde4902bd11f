/// Where bytes are written, one after the other.
///
/// A sink belongs to one writer at a time; it need not be safe to call from several threads.
public protocol ByteSink: AnyObject {
    /// Writes all of the bytes. The buffer is valid until the call returns.
    func write(_ bytes: UnsafeRawBufferPointer) throws

    /// Ends writing: afterwards everything that was written is where it belongs. Called once.
    func finish() throws
}

/// Keeps what is written in memory.
public final class MemorySink: ByteSink {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
    public func finish() {}
}
