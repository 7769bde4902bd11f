extension OpenFile {
    /// Reads the whole file. Throws `.limit` if it is longer than `limit`: nothing is allocated for the size that a
    /// file claims to have.
    public func readAll(limit: Int) throws(GranaryError) -> [UInt8] {
        let limit = max(0, min(limit, .max - 1))
        return try withDescriptor { descriptor throws(GranaryError) in
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: max(1, min(limit + 1, 65_536)))
            while true {
                let room = min(chunk.count, limit - bytes.count + 1)
                let count = chunk.withUnsafeMutableBytes {
                    pread(descriptor, $0.baseAddress, room, off_t(bytes.count))
                }
                if count < 0 {
                    let number = errno
                    if number == EINTR { continue }
                    throw .posix(number, "read", path)
                }
                if count == 0 { return bytes }
                bytes.append(contentsOf: chunk[..<count])
                if bytes.count > limit {
                    throw GranaryError(.limit, "\(path) is longer than \(limit) bytes, the most it may have.")
                }
            }
        }
    }

    /// Fills a buffer with the bytes of the file from `offset` on, and returns their number.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int = 0) throws(GranaryError) -> Int {
        try withDescriptor { descriptor throws(GranaryError) in
            var done = 0
            while done < buffer.count {
                let count = pread(
                    descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset + done))
                if count < 0 {
                    let number = errno
                    if number == EINTR { continue }
                    throw .posix(number, "read", path)
                }
                if count == 0 { break }
                done += count
            }
            return done
        }
    }

    /// Writes all bytes, with as many calls as needed.
    public func write(_ bytes: [UInt8], at offset: Int64 = 0) throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            try Self.writeAll(bytes, at: offset, path) { pwrite(descriptor, $0, $1, off_t($2)) }
        }
    }

    /// Writes all bytes of this file to another file, which is empty.
    package func copy(to other: OpenFile) throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            var chunk = [UInt8](repeating: 0, count: 1 << 20)
            var done = 0
            while true {
                let count = chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(done)) }
                if count < 0 {
                    let number = errno
                    if number == EINTR { continue }
                    throw .posix(number, "read", path)
                }
                if count == 0 { return }
                try other.write(Array(chunk[..<count]), at: Int64(done))
                done += count
            }
        }
    }

    /// Cuts the file off after its first `size` bytes, or extends it with zeros to that size.
    public func truncate(to size: Int64) throws(GranaryError) {
        try withDescriptor { descriptor throws(GranaryError) in
            try posixWrite("change the size of", path) { ftruncate(descriptor, off_t(size)) }
        }
    }

    /// Reserves disk space for the file's first `size` bytes, if the system can: then writing to them through a map
    /// cannot fail.
    package func reserve(_ size: Int64) throws(GranaryError) {
        #if os(Linux)
            let current = try status().size
            let whole = (max(size, current) + 4095) & ~4095
            try withDescriptor { descriptor throws(GranaryError) in
                var number = EINTR
                while number == EINTR { number = posix_fallocate(descriptor, 0, off_t(whole)) }
                guard number == 0 else { throw .posixWriting(number, "reserve room for", path) }
            }
        #endif
    }

    /// The loop of ``write(_:at:)`` over any `pwrite`: continues after a short write, and repeats a call after a
    /// signal.
    static func writeAll(
        _ bytes: [UInt8], at offset: Int64, _ path: String,
        _ write: (_ bytes: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int
    ) throws(GranaryError) {
        var done = 0
        while done < bytes.count {
            // errno is read inside: leaving the scope may run other code that changes it.
            let (count, number) = bytes.withUnsafeBytes { buffer -> (Int, Int32) in
                guard let base = buffer.baseAddress else { return (0, 0) }
                let count = write(base + done, buffer.count - done, offset + Int64(done))
                return (count, errno)
            }
            if count > 0 {
                done += count
            } else if count == 0 {
                throw .posixWriting(EIO, "write", path)  // a disk that takes nothing and gives no reason
            } else if number != EINTR {
                throw .posixWriting(number, "write", path)
            }
        }
    }
}
