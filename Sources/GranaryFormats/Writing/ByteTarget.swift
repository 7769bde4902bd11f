import GranaryPlatform

/// Where the bytes of a format go: a file, a descriptor, memory or a ``ByteSink`` of your own. The inverse of ``ByteSource``.
public struct ByteTarget: Sendable {
    /// What reports call it.
    public let name: String
    /// The path of a file; nil for other targets.
    package private(set) var path: String?
    private let opening: @Sendable () throws -> any ByteSink

    /// A target of your own.
    ///
    /// - Parameters:
    ///   - name: What reports call the target.
    ///   - opening: Makes a sink. It is called once for each time that something is written to the target.
    public init(_ name: String, opening: @escaping @Sendable () throws -> any ByteSink) {
        self.name = name
        self.opening = opening
    }

    /// A file, packed with gzip if its name ends with `.gz`. See ``FileSink``.
    public static func file(_ path: String) -> ByteTarget {
        var target = ByteTarget(path) {
            let file = try FileSink(path)
            return path.lowercased().hasSuffix(".gz") ? try GzipSink(file) : file
        }
        target.path = path
        return target
    }

    /// What the process writes to its standard output.
    public static var standardOutput: ByteTarget { descriptor(1, name: "standard output") }

    /// A file descriptor that is open for writing. It is not closed.
    public static func descriptor(_ descriptor: Int32, name: String) -> ByteTarget {
        ByteTarget(name) { DescriptorSink(descriptor, name: name) }
    }

    /// Memory. The report of what writes to it has the bytes.
    public static var bytes: ByteTarget { ByteTarget("bytes") { MemorySink() } }

    /// The sink, which begins empty.
    ///
    /// - Throws: What opening the target throws.
    public func open() throws -> any ByteSink { try opening() }
}
