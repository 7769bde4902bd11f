/// A stream whose first bytes have already been read, to recognise its format.
final class PrefixedStream: ByteStream {
    private var prefix: ArraySlice<UInt8>
    private let rest: any ByteStream

    init(_ prefix: [UInt8], _ rest: any ByteStream) {
        self.prefix = prefix[...]
        self.rest = rest
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard !prefix.isEmpty else { return try rest.read(into: buffer) }
        let count = min(prefix.count, buffer.count)
        buffer.copyBytes(from: prefix.prefix(count))
        prefix.removeFirst(count)
        return count
    }
}
