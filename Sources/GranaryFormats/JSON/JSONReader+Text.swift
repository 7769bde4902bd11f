import GranaryText

extension JSONReader {
    /// The longest key. Keys are held for every open object.
    static let maximumKeyLength = 65_536

    /// Reads the rest of a key, whose opening quote has been read, into `keys`. Returns false if the object already has
    /// this key and the member is to be skipped.
    @inline(__always)
    mutating func keyText() throws -> Bool {
        try readText(limit: JSONReader.maximumKeyLength)
        let depth = frames.count - 1
        let start = frames[depth].keyStart
        keys.truncate(start)
        keys.append(text: textStart, textCount)
        frames[depth].keyEnd = start + textCount
        // Reading up to the colon may move the window.
        textStart = UnsafePointer(keys.start + start)
        let key = UnsafeBufferPointer(start: textStart, count: textCount)
        if options.duplicateKeys == .last || seen[depth].insert(hash(textStart, textCount), key) { return true }
        if options.duplicateKeys == .first { return false }
        isAfterRepeatedKey = true
        throw fail(
            .invalidInput,
            "The object has this key twice. Remove one, or choose which of them counts with duplicateKeys.")
    }

    /// Reads the rest of a string, whose opening quote has been read.
    ///
    /// If the string lies in the window and has no escapes, the text is that part of the window. Otherwise it is
    /// assembled in `scratch`.
    @inline(__always)
    mutating func readText(limit: Int) throws {
        let start = window.cursor
        let end = TextScan.endOfPlain(UnsafePointer(start))
        guard end.pointee == UInt8(ascii: "\"") else {
            return try readUnusualText(scannedTo: end - UnsafePointer(start), limit)
        }
        textStart = UnsafePointer(start)
        textCount = end - textStart
        guard textCount <= limit else { throw tooLong(limit) }
        window.cursor += textCount + 1
    }

    /// The same for a string with characters beyond ASCII, if it lies in the window.
    @inline(never)
    private mutating func readUnusualText(scannedTo scanned: Int, _ limit: Int) throws {
        let rest = window.rest
        var end = scanned
        while true {
            let plain = end
            end = UTF8Scan.endOfValidNonASCII(rest, from: end)
            if end == plain { break }
            end = TextScan.endOfPlain(UnsafePointer(window.cursor) + end) - UnsafePointer(window.cursor)
        }
        guard window.cursor[end] == UInt8(ascii: "\"") else { return try collectText(scannedTo: end, limit) }
        guard end <= limit else { throw tooLong(limit) }
        textStart = UnsafePointer(window.cursor)
        textCount = end
        window.cursor += end + 1
    }

    /// The same for any string. The bytes up to `scanned` are valid and have no escapes.
    private mutating func collectText(scannedTo scanned: Int, _ limit: Int) throws {
        scratch.removeAll()
        scratch.append(UnsafePointer(window.cursor), scanned)
        window.cursor += scanned
        while true {
            guard scratch.count <= limit else { throw tooLong(limit) }
            let byte = window.cursor.pointee
            switch byte {
            case UInt8(ascii: "\""):
                window.cursor += 1
                textStart = UnsafePointer(scratch.start)
                textCount = scratch.count
                return
            case UInt8(ascii: "\\"): try resolveEscapes(limit)
            case 0x80...: try takeNonASCII()
            case ..<0x20:
                guard window.isAtLimit else { throw controlCharacter(byte) }
                guard try readMore() else {
                    throw fail(.invalidInput, "The input ends within a string. It may have been cut off.")
                }
            default:
                let count = TextScan.endOfPlain(UnsafePointer(window.cursor)) - UnsafePointer(window.cursor)
                scratch.append(UnsafePointer(window.cursor), count)
                window.cursor += count
            }
        }
    }

    private mutating func resolveEscapes(_ limit: Int) throws {
        if window.available < JSONEscape.longest { try fill(JSONEscape.longest) }
        scratch.reserve(window.available + 4)
        var position = 0
        do {
            scratch.extend(try JSONEscape.resolve(window.rest, from: &position, into: scratch.end))
            window.cursor += position
        } catch {
            // The text before the invalid escape may already be too long. This gives the same error as if the window
            // ended before that escape.
            let good = UnsafeRawBufferPointer(rebasing: window.rest[..<position])
            var end = 0
            while end < position, let count = try? JSONEscape.resolve(good, from: &end, into: scratch.end) {
                scratch.extend(count)
            }
            guard scratch.count <= limit else { throw tooLong(limit) }
            window.cursor += position
            switch error {
            case .loneSurrogate:
                throw fail(
                    .invalidInput, "An escape is half of a surrogate pair, which is not a character. Write both halves."
                )
            case .invalid:
                throw fail(
                    .invalidInput,
                    "No escape begins like this. Allowed are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hexadecimal digits."
                )
            }
        }
    }

    private mutating func takeNonASCII() throws {
        if window.available < 4 { try fill(4) }
        let count = UTF8Scan.endOfValidNonASCII(window.rest, from: 0)
        guard count > 0 else { throw notUTF8() }
        scratch.append(UnsafePointer(window.cursor), count)
        window.cursor += count
    }
}
