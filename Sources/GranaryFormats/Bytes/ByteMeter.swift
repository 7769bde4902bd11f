import Synchronization

/// Counts the bytes read from sources, as they are stored: for an archive, the packed bytes.
///
/// One thread may read the count while another one reads the source.
package final class ByteMeter: Sendable {
    private let read = Atomic<Int>(0)

    package init() {}

    package var count: Int { read.load(ordering: .relaxed) }

    fileprivate func add(_ count: Int) { read.wrappingAdd(count, ordering: .relaxed) }
}

/// A stream whose bytes are counted.
private final class MeteredStream: ByteStream {
    private let base: any ByteStream
    private let meter: ByteMeter

    init(_ base: any ByteStream, _ meter: ByteMeter) { (self.base, self.meter) = (base, meter) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try base.read(into: buffer)
        meter.add(max(0, count))
        return count
    }
}

extension ByteMeter {
    /// A stream that counts the bytes read from `stream`.
    func metering(_ stream: any ByteStream) -> any ByteStream { MeteredStream(stream, self) }
}
