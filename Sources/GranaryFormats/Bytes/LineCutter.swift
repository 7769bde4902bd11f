import GranaryPlatform

/// Some whole lines of an input.
package struct LinePart: Sendable {
    package let bytes: [UInt8]
    /// The number of its first line, from 1.
    package let line: Int
    /// The number of input bytes before it.
    package let offset: Int
    /// The number of non-empty lines before it.
    package let index: Int
    /// The number of its non-empty lines.
    package let count: Int
    /// The error that reading the source threw after these bytes.
    fileprivate let failure: (any Error)?

    /// A stream that gives the bytes, and then throws the error of the source, if there is one.
    package var stream: any ByteStream { PartStream(bytes, failure) }
}

/// Cuts JSON lines into parts that several threads can read at once. No JSON value contains a newline byte.
package final class LineCutter {
    /// A longer line is not held in memory as a whole.
    private static let longestLine = 1 << 20
    private static let readSize = 1 << 17

    private let stream: any ByteStream
    /// The bytes that have been read. The bytes before `start` belong to parts already cut.
    private var bytes: [UInt8] = []
    /// Memory for one read. Made in init, freed in deinit, never handed out.
    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: LineCutter.readSize, alignment: 16)
    private var start = 0
    private var isAtEnd = false
    private var failure: (any Error)?
    private var line = 1
    private var offset = 0
    private var index = 0

    package init(_ source: ByteSource) throws { stream = try source.open() }

    deinit { piece.deallocate() }

    package enum Cut {
        case part(LinePart)
        /// The next line is too long for a part. The stream gives it and all the rest of the input. The numbers mean
        /// the same as in a `LinePart`.
        case rest(any ByteStream, line: Int, offset: Int, index: Int)
        case end
    }

    /// The next lines: at most `lines` non-empty lines, all of which begin within the next `limit` bytes.
    package func next(lines: Int, bytes limit: Int) -> Cut {
        bytes.removeFirst(start)
        start = 0
        var (end, scanned, found, ends) = (0, 0, 0, 0)
        while found < lines, end < limit {
            if let newline = newline(from: scanned) {
                if !isEmpty(end..<newline) { found += 1 }
                ends += 1
                end = newline + 1
                scanned = end
            } else if isAtEnd || failure != nil {
                if !isEmpty(end..<bytes.count) { found += 1 }
                end = bytes.count
                break
            } else if bytes.count - end > LineCutter.longestLine {
                break
            } else {
                scanned = bytes.count
                readMore()
            }
        }
        let failed = end == bytes.count ? failure : nil
        guard end > 0 || failed != nil else {
            guard !bytes.isEmpty else { return .end }
            isAtEnd = true
            defer { bytes = [] }
            return .rest(PrefixedStream(bytes, stream), line: line, offset: offset, index: index)
        }
        if failed != nil {
            failure = nil
            isAtEnd = true
        }
        defer {
            start = end
            line += ends
            offset += end
            index += found
        }
        return .part(
            LinePart(
                bytes: Array(bytes[..<end]), line: line, offset: offset, index: index, count: found, failure: failed))
    }

    private func newline(from position: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard position < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + position, 0x0A, bytes.count - position)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Whether a line has only blanks.
    private func isEmpty(_ line: Range<Int>) -> Bool {
        var line = line
        // The byte order mark of the input.
        if offset == 0, line.lowerBound == 0, line.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
            line = 3..<line.upperBound
        }
        return bytes[line].allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
    }

    private func readMore() {
        do {
            let count = try stream.readChecked(into: piece)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<count]))
            isAtEnd = count == 0
        } catch {
            failure = error
        }
    }
}

/// The bytes of a part, then the error of the source, if there is one.
private final class PartStream: ByteStream {
    private let bytes: ArrayStream
    private let failure: (any Error)?

    init(_ bytes: [UInt8], _ failure: (any Error)?) {
        self.bytes = ArrayStream(bytes)
        self.failure = failure
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = bytes.read(into: buffer)
        if count == 0, let failure { throw failure }
        return count
    }
}
