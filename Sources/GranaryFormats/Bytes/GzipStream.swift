import CZlib
import GranaryPlatform

/// Unpacks the gzip archive in a stream (RFC 1952), one member after the other.
final class GzipStream: ByteStream {
    static let magic: [UInt8] = [0x1F, 0x8B]
    private static let chunk = 65_536

    private let packed: any ByteStream
    private let name: String
    private let limits: UnpackingLimits
    private let input: UnsafeMutablePointer<UInt8>
    // zlib keeps this address.
    private let zlib: UnsafeMutablePointer<z_stream>
    private var isWithinMember = true
    private var taken = 0
    private var given = 0

    init(_ packed: any ByteStream, name: String, limits: UnpackingLimits) throws {
        self.packed = packed
        self.name = name
        self.limits = limits
        input = .allocate(capacity: GzipStream.chunk)
        zlib = .allocate(capacity: 1)
        zlib.initialize(to: z_stream())
        // 15: the largest window; 16: gzip with its checksums.
        let result = inflateInit2_(zlib, 15 + 16, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            throw GranaryError(.io, "The archive \(name) cannot be unpacked: zlib cannot begin.")
                .causedBy("zlib", result, String(cString: zError(result)))
        }
    }

    deinit {
        inflateEnd(zlib)
        zlib.deallocate()
        input.deallocate()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let room = min(buffer.count, Int(UInt32.max))
        zlib.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        zlib.pointee.avail_out = UInt32(room)
        while Int(zlib.pointee.avail_out) == room {
            if zlib.pointee.avail_in == 0, try readPacked() == 0 {
                if isWithinMember { throw damaged("is cut off") }
                return 0
            }
            if !isWithinMember, try !beginMember() { return 0 }
            try inflateOnce()
        }
        let count = room - Int(zlib.pointee.avail_out)
        given += count
        try checkLimits()
        return count
    }

    private func inflateOnce() throws {
        let result = inflate(zlib, Z_NO_FLUSH)
        switch result {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isWithinMember = false
        default:
            throw damaged("is damaged").causedBy("zlib", result, String(cString: zError(result)))
        }
    }

    /// Begins the next member after one has ended. Returns false if only zeros follow: tapes are filled up with zeros.
    private func beginMember() throws -> Bool {
        guard zlib.pointee.next_in.pointee != 0 else {
            repeat {
                let rest = UnsafeBufferPointer(start: zlib.pointee.next_in, count: Int(zlib.pointee.avail_in))
                guard rest.allSatisfy({ $0 == 0 }) else { throw damaged("has bytes after its end that are not gzip") }
            } while try readPacked() > 0
            zlib.pointee.avail_in = 0
            return false
        }
        guard zlib.pointee.next_in.pointee == GzipStream.magic[0] else {
            throw damaged("has bytes after its end that are not gzip")
        }
        inflateReset(zlib)
        isWithinMember = true
        return true
    }

    private func readPacked() throws -> Int {
        let count = try packed.read(into: UnsafeMutableRawBufferPointer(start: input, count: GzipStream.chunk))
        taken += count
        zlib.pointee.next_in = input
        zlib.pointee.avail_in = UInt32(count)
        return count
    }

    private func checkLimits() throws {
        if let most = limits.maximumSize, given > most {
            throw GranaryError(
                .limit,
                "The archive \(name) unpacks to more than \(most) bytes. Set a greater maximumSize if this is right.")
        }
        if given > UnpackingLimits.unlimitedStart, given / max(limits.maximumRatio, 1) > taken {
            throw GranaryError(
                .limit,
                "The archive \(name) unpacks to more than \(limits.maximumRatio) times its size. Set a greater maximumRatio if this is right."
            )
        }
    }

    private func damaged(_ how: String) -> GranaryError {
        GranaryError(.invalidInput, "The gzip archive \(name) \(how). Get it again from where it came.")
    }
}
