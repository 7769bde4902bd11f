import GranaryPlatform

/// Gives the bytes of an import.
///
/// ```swift
/// let cities = ByteSource.file("cities.jsonl.gz")
/// var reader = try JSONReader(cities, JSONOptions(layout: .lines))
/// ```
///
/// A gzip archive is recognised by its first bytes and unpacked, whatever the source and its name.
///
/// A source is a description: nothing is opened or read before a reader is made for it. Files and arrays can be read
/// any number of times; standard input, descriptors and sequences once.
public struct ByteSource: Sendable {
    /// The name of the source in errors and reports.
    public var name: String
    /// Limits on the unpacked size of a gzip archive.
    public var unpackingLimits = UnpackingLimits()
    /// The path of the file; nil for other sources.
    private var path: String?
    private var isInMemory = false
    /// Counts the bytes that are read.
    private var meter: ByteMeter?
    private let opening: @Sendable () throws -> any ByteStream

    /// A source of your own.
    ///
    /// - Parameters:
    ///   - name: The name of the source in errors and reports.
    ///   - opening: Makes a stream that begins with the first byte. It is called each time the source is read.
    public init(_ name: String, opening: @escaping @Sendable () throws -> any ByteStream) {
        self.name = name
        self.opening = opening
    }

    /// A file, or anything else that can be read at a path, such as a FIFO.
    public static func file(_ path: String) -> ByteSource {
        var source = ByteSource(path) { try DescriptorStream(path: path) }
        source.path = path
        return source
    }

    /// The standard input of the process.
    public static var standardInput: ByteSource { descriptor(0, name: "standard input") }

    /// A file descriptor that is open for reading. Granary does not close it.
    public static func descriptor(_ descriptor: Int32, name: String) -> ByteSource {
        ByteSource(name) { DescriptorStream(descriptor: descriptor, name: name) }
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8], name: String = "bytes") -> ByteSource {
        var source = ByteSource(name) { ArrayStream(bytes) }
        source.isInMemory = true
        return source
    }

    /// A text, as UTF-8.
    public static func text(_ text: String, name: String = "text") -> ByteSource {
        bytes(Array(text.utf8), name: name)
    }

    /// The chunks of an asynchronous sequence, one after the other.
    ///
    /// Chunks are taken from the sequence as fast as their bytes are needed. Meanwhile the reader blocks its thread, so
    /// it must not run on Swift's cooperative pool, where it could keep the sequence from going on. Transactions do not
    /// run there.
    public static func chunks<S: AsyncSequence & Sendable>(of sequence: S, name: String = "sequence") -> ByteSource
    where S.Element: Sequence<UInt8> {
        ByteSource(name) { AsyncByteStream(sequence) }
    }

    /// The bytes of an asynchronous sequence, such as those of a file handle or a network connection; see
    /// ``chunks(of:name:)``.
    public static func bytes<S: AsyncSequence & Sendable>(of sequence: S, name: String = "sequence") -> ByteSource
    where S.Element == UInt8 {
        ByteSource(name) { AsyncByteStream(GatheredBytes(base: sequence)) }
    }

    /// Whether all bytes are available now, in memory or in a file, so that reading them neither waits nor runs other
    /// code.
    package var isAtHand: Bool {
        guard let path else { return isInMemory }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// The name of the file without its folder; nil for other sources.
    package var fileName: String? { path.flatMap { $0.split(separator: "/").last.map(String.init) } }

    /// The size of the file as it is stored; nil for other sources.
    package var fileSize: Int? {
        guard let path else { return nil }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(status.st_size)
    }

    /// The same source, with a meter that counts the bytes read.
    package func metered(by meter: ByteMeter?) -> ByteSource {
        var source = self
        source.meter = meter
        return source
    }

    /// Opens the source: a stream of unpacked bytes, from the first byte on.
    ///
    /// - Throws: The error of opening the source; ``GranaryError/Code/invalidInput`` for an archive that cannot be
    ///   unpacked.
    public func open() throws -> any ByteStream {
        let opened = try opening()
        let stream = meter?.metering(opened) ?? opened
        var first = [UInt8](repeating: 0, count: GzipStream.magic.count)
        var count = 0
        while count < first.count {
            let read = try first.withUnsafeMutableBytes {
                try stream.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
            }
            if read <= 0 { break }
            count += min(read, first.count - count)
        }
        let whole = PrefixedStream(Array(first.prefix(count)), stream)
        return first == GzipStream.magic ? try GzipStream(whole, name: name, limits: unpackingLimits) : whole
    }
}
