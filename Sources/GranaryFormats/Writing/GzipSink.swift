import CZlib
import GranaryPlatform

/// Packs the written bytes as one member of gzip (RFC 1952), and writes that to another sink.
public final class GzipSink: ByteSink {
    private static let chunk = 65_536

    private let packed: any ByteSink
    private let output: UnsafeMutablePointer<UInt8>
    // zlib keeps this address.
    private let zlib: UnsafeMutablePointer<z_stream>

    public init(_ packed: any ByteSink) throws {
        self.packed = packed
        output = .allocate(capacity: GzipSink.chunk)
        zlib = .allocate(capacity: 1)
        zlib.initialize(to: z_stream())
        // 15: the largest window; 16: gzip with its checksums; 8: the memory that zlib uses by default.
        let result = deflateInit2_(
            zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, zlibVersion(),
            Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else { throw GzipSink.failure(result) }
    }

    deinit {
        deflateEnd(zlib)
        zlib.deallocate()
        output.deallocate()
    }

    public func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(UInt32.max >> 1)))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
            // zlib only reads it.
            let start = UnsafeMutableRawPointer(mutating: part.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            zlib.pointee.next_in = start
            zlib.pointee.avail_in = UInt32(part.count)
            try pack(Z_NO_FLUSH)
        }
    }

    public func finish() throws {
        zlib.pointee.next_in = nil
        zlib.pointee.avail_in = 0
        try pack(Z_FINISH)
        try packed.finish()
    }

    /// Packs the bytes that zlib has been given, until it can take more.
    private func pack(_ flush: Int32) throws {
        repeat {
            zlib.pointee.next_out = output
            zlib.pointee.avail_out = UInt32(GzipSink.chunk)
            let result = deflate(zlib, flush)
            guard result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR else {
                throw GzipSink.failure(result)
            }
            let count = GzipSink.chunk - Int(zlib.pointee.avail_out)
            if count > 0 { try packed.write(UnsafeRawBufferPointer(start: output, count: count)) }
        } while zlib.pointee.avail_out == 0
    }

    private static func failure(_ result: Int32) -> GranaryError {
        GranaryError(.io, "The bytes cannot be packed with gzip.")
            .causedBy("zlib", result, String(cString: zError(result)))
    }
}
