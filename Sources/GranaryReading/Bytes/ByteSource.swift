/// Where the bytes of an import come from.
///
/// ```swift
/// let cities = ByteSource.file("cities.jsonl.gz")
/// var reader = try JSONReader(cities, JSONOptions(layout: .lines))
/// ```
///
/// A source is a description: nothing is opened or read before a reader is made for it. Files and arrays can be read any
/// number of times; standard input, descriptors and sequences once.
public struct ByteSource: Sendable {
    /// What errors and reports call it.
    public var name: String
    private let opening: @Sendable () throws -> any ByteStream

    /// A source of the caller's own.
    ///
    /// - Parameters:
    ///   - name: What errors and reports call it.
    ///   - opening: Makes a stream that begins with the first byte. It is called once for each time the source is read.
    public init(_ name: String, opening: @escaping @Sendable () throws -> any ByteStream) {
        self.name = name
        self.opening = opening
    }

    /// A file, or whatever can be read at a path, such as a FIFO.
    public static func file(_ path: String) -> ByteSource {
        ByteSource(path) { try DescriptorStream(path: path) }
    }

    /// What the process reads from its standard input.
    public static var standardInput: ByteSource { descriptor(0, name: "standard input") }

    /// A file descriptor that is open for reading. It is not closed.
    public static func descriptor(_ descriptor: Int32, name: String) -> ByteSource {
        ByteSource(name) { DescriptorStream(descriptor: descriptor, name: name) }
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8], name: String = "bytes") -> ByteSource {
        ByteSource(name) { ArrayStream(bytes) }
    }

    /// The UTF-8 of a text.
    public static func text(_ text: String, name: String = "text") -> ByteSource {
        bytes(Array(text.utf8), name: name)
    }

    /// The stream from the first byte on.
    package func open() throws -> any ByteStream { try opening() }
}
