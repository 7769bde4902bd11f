import CZlib
import Foundation
import GranaryFormats
import TestSupport
import Testing

/// A gzip archive of bytes.
func gzip(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
    var zlib = z_stream()
    guard
        deflateInit2_(
            &zlib, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, zlibVersion(), Int32(MemoryLayout<z_stream>.size))
            == Z_OK
    else { throw GranaryError(.io, "zlib") }
    defer { deflateEnd(&zlib) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&zlib, UInt(bytes.count))) + 64)
    let count = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            zlib.next_in = input.baseAddress
            zlib.avail_in = UInt32(input.count)
            zlib.next_out = output.baseAddress
            zlib.avail_out = UInt32(output.count)
            _ = deflate(&zlib, Z_FINISH)
            return output.count - Int(zlib.avail_out)
        }
    }
    return Array(output.prefix(count))
}

/// All bytes of a source, or the code of the error.
func readAll(_ source: ByteSource) throws -> [UInt8] {
    let stream = try source.open()
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = try chunk.withUnsafeMutableBytes { try stream.read(into: $0) }
        if count == 0 { return all }
        all += chunk.prefix(count)
    }
}

private func chunked(_ bytes: [UInt8], _ chunk: Int) -> ByteSource {
    ByteSource("test") { ArrayStream(bytes, chunk: chunk) }
}

struct ByteSourceTests {
    private let text = Array(String(repeating: "{\"name\":\"Ärger\"}\n", count: 1000).utf8)

    @Test func `a file is read, whole and again`() throws {
        let folder = try TemporaryFolder()
        try Data(text).write(to: URL(fileURLWithPath: folder("a.jsonl")))
        let source = ByteSource.file(folder("a.jsonl"))
        #expect(try readAll(source) == text)
        #expect(try readAll(source) == text)
    }

    @Test func `a path that cannot be read is a typed error`() throws {
        let folder = try TemporaryFolder()
        #expect(code { try readAll(.file(folder("none"))) } == .invalidPath)
        #expect(code { try readAll(.file(folder.path)) } == .invalidPath)
        #expect(code { try readAll(.descriptor(-1, name: "nothing")) } == .io)
    }

    @Test func `a pipe is read to its end`() throws {
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data("[1]".utf8))
        try pipe.fileHandleForWriting.close()
        #expect(try readAll(.descriptor(pipe.fileHandleForReading.fileDescriptor, name: "pipe")) == Array("[1]".utf8))
    }

    @Test(arguments: chunkSizes) func `an archive is unpacked, whatever the chunks`(_ chunk: Int) throws {
        let archive = try gzip(text)
        #expect(try readAll(chunked(archive, chunk)) == text)
        #expect(try readAll(chunked(archive + archive, chunk)) == text + text)
        #expect(try readAll(chunked(archive + [0, 0, 0, 0], chunk)) == text)
        #expect(try readAll(chunked(try gzip([]), chunk)) == [])
    }

    @Test(arguments: chunkSizes) func `an archive that is cut off or damaged is a typed error`(_ chunk: Int) throws {
        let archive = try gzip(text)
        for count in [2, 3, 9, 10, 11, archive.count / 2, archive.count - 9, archive.count - 8, archive.count - 1] {
            #expect(
                code { try readAll(chunked(Array(archive.prefix(count)), chunk)) } == .invalidInput, "\(count) bytes")
        }
        for offset in [2, archive.count / 2, archive.count - 6, archive.count - 1] {
            var damaged = archive
            damaged[offset] ^= 0x55
            #expect(code { try readAll(chunked(damaged, chunk)) } == .invalidInput, "byte \(offset)")
        }
        #expect(code { try readAll(chunked(archive + [1], chunk)) } == .invalidInput)
        #expect(code { try readAll(chunked(archive + [0, 1], chunk)) } == .invalidInput)
        #expect(code { try readAll(chunked(archive + [0x1F, 0x8B], chunk)) } == .invalidInput)
    }

    @Test func `an archive that unpacks to too much is refused`() throws {
        let bomb = try gzip([UInt8](repeating: 0x20, count: 80 << 20))
        #expect(bomb.count < 1 << 20)
        #expect(code { try readAll(.bytes(bomb)) } == .limit)
        var small = ByteSource.bytes(try gzip(text))
        small.unpackingLimits.maximumSize = text.count - 1
        #expect(code { try readAll(small) } == .limit)
        small.unpackingLimits.maximumSize = text.count
        #expect(try readAll(small) == text)
    }

    @Test func `an error of the source has the reader's position, and no line can be skipped`() throws {
        let archive = try gzip(text)
        var reader = JSONReader(
            try chunked(Array(archive.prefix(archive.count - 20)), .max).open(), name: "a.gz",
            JSONOptions(layout: .lines))
        let error = #expect(throws: GranaryError.self) {
            while try reader.nextDocument() { while try reader.next() != .end {} }
        }
        #expect((error?.position?.line ?? 0) >= 1)
        #expect(throws: GranaryError.self) { try reader.skipLine() }
    }

    @Test func `an asynchronous sequence is read by a thread that waits`() async throws {
        let text = text
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        for start in stride(from: 0, to: text.count, by: 777) {
            continuation.yield(Array(text[start..<min(start + 777, text.count)]))
        }
        continuation.finish()
        let (bytes, feeder) = AsyncStream<UInt8>.makeStream()
        for byte in text { feeder.yield(byte) }
        feeder.finish()
        #expect(try await onThread { try readAll(.chunks(of: stream)) } == text)
        #expect(try await onThread { try readAll(.bytes(of: bytes)) } == text)
    }

    @Test func `an error of the sequence is the reader's, and a reader that stops ends it`() async throws {
        let failing = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield(Array("[1,".utf8))
            continuation.finish(throwing: GranaryError(.busy, "later"))
        }
        let ended = AsyncStream<Void>.makeStream()
        let code = try await onThread {
            _ = try ByteSource.chunks(of: EndlessChunks { ended.continuation.finish() }).open()
            var reader = try JSONReader(.chunks(of: failing))
            return TestSupport.code { while try reader.next() != .end {} }
        }
        #expect(code == .busy)
        for await _ in ended.stream {}
    }
}

/// Chunks without end. Calls a closure when they are not iterated any more.
private struct EndlessChunks: AsyncSequence, Sendable {
    let onEnd: @Sendable () -> Void

    func makeAsyncIterator() -> Iterator { Iterator(end: End(onEnd: onEnd)) }

    struct Iterator: AsyncIteratorProtocol {
        let end: End
        mutating func next() async -> [UInt8]? { [0x20, 0x20] }
    }

    final class End: Sendable {
        private let onEnd: @Sendable () -> Void
        init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
        deinit { onEnd() }
    }
}

/// Runs a body on a thread of its own, which may block.
private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
