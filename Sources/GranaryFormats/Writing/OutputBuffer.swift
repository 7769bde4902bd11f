/// Gathers written bytes, so that a sink gets large pieces.
struct OutputBuffer: ~Copyable {
    private static let size = 65_536

    private let sink: any ByteSink
    private var bytes = ByteBuffer(capacity: OutputBuffer.size)
    private(set) var isFinished = false

    init(_ sink: any ByteSink) { self.sink = sink }

    @inline(__always)
    mutating func append(_ byte: UInt8) throws {
        if bytes.count >= OutputBuffer.size { try flush() }
        bytes.reserve(1)
        bytes.end.pointee = byte
        bytes.extend(1)
    }

    mutating func append(_ more: UnsafeRawBufferPointer) throws {
        guard let start = more.baseAddress else { return }
        if bytes.count + more.count > OutputBuffer.size { try flush() }
        if more.count > OutputBuffer.size { return try sink.write(more) }
        more.withMemoryRebound(to: UInt8.self) {
            bytes.append($0.baseAddress ?? start.assumingMemoryBound(to: UInt8.self), $0.count)
        }
    }

    mutating func append(_ text: StaticString) throws {
        try append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(ascii text: String) throws {
        var text = text
        // `withUTF8` does not pass on typed errors; a result does.
        let result = text.withUTF8 { part in Result { try append(UnsafeRawBufferPointer(part)) } }
        try result.get()
    }

    private mutating func flush() throws {
        guard bytes.count > 0 else { return }
        try sink.write(bytes.bytes)
        bytes.removeAll()
    }

    mutating func requireOpen() throws {
        if isFinished { throw GranaryError(.closed, "The writer has finished. Make another one to write more.") }
    }

    mutating func finish() throws {
        try requireOpen()
        isFinished = true
        try flush()
        try sink.finish()
    }
}
