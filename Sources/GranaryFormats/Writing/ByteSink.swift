/// A target for bytes, written one after the other.
///
/// A sink belongs to one writer at a time; it need not be safe to call from several threads.
public protocol ByteSink: AnyObject {
    /// Writes all bytes. The buffer is valid until the call returns.
    func write(_ bytes: UnsafeRawBufferPointer) throws

    /// Ends writing: afterwards all bytes are at their destination. Called once.
    func finish() throws
}

/// Keeps the written bytes in memory.
public final class MemorySink: ByteSink {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public func write(_ bytes: UnsafeRawBufferPointer) { self.bytes.append(contentsOf: bytes) }
    public func finish() {}
}
