import GranaryPlatform

/// The target of written bytes: a file, a descriptor, memory or a ``ByteSink`` of your own. The inverse of
/// ``ByteSource``.
public struct ByteTarget: Sendable {
    /// The name of the target in reports.
    public let name: String
    /// The path of a file; nil for other targets.
    package private(set) var path: String?
    private let opening: @Sendable () throws -> any ByteSink

    /// A target of your own.
    ///
    /// - Parameters:
    ///   - name: The name of the target in reports.
    ///   - opening: Makes a sink. It is called each time the target is written.
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

    /// The standard output of the process.
    public static var standardOutput: ByteTarget { descriptor(1, name: "standard output") }

    /// A file descriptor that is open for writing. Granary does not close it.
    public static func descriptor(_ descriptor: Int32, name: String) -> ByteTarget {
        ByteTarget(name) { DescriptorSink(descriptor, name: name) }
    }

    /// Memory. The report of the export has the bytes.
    public static var bytes: ByteTarget { ByteTarget("bytes") { MemorySink() } }

    /// Opens the target: a new, empty sink.
    ///
    /// - Throws: The error of opening the target.
    public func open() throws -> any ByteSink { try opening() }
}
