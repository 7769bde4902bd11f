extension JSONReader {
    /// The number of input bytes that have been read.
    package var bytesRead: Int { window.offset }

    /// The position at which the last event begins, with the path to its value.
    public var position: InputPosition {
        InputPosition(source: name, line: line, offset: eventOffset, path: path)
    }

    /// The path to the current value: `$.artists[3].born`. It is made on each call.
    public var path: String {
        var path = "$"
        for (depth, frame) in frames.enumerated() {
            if depth >= 24 && depth < frames.count - 8 {
                if depth == 24 { path += "..." }
                continue
            }
            if frame.index >= 0 {
                path += "[\(frame.index)]"
            } else if frame.keyEnd > frame.keyStart || depth < frames.count - 1 {
                JSONReader.append(UnsafeBufferPointer(rebasing: keyBytes[frame.keyStart..<frame.keyEnd]), to: &path)
            }
        }
        return path
    }

    private var keyBytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: keys.start, count: keys.count) }

    /// `.key`, or `["odd key"]` where the key is not a plain name.
    private static func append(_ key: UnsafeBufferPointer<UInt8>, to path: inout String) {
        let text = String(decoding: key.prefix(64), as: UTF8.self) + (key.count > 64 ? "..." : "")
        let isPlain = !key.isEmpty && key.prefix(64).allSatisfy(isPlain)
        if isPlain {
            path += ".\(text)"
            return
        }
        path += "[\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" {
                path += "\\\(scalar)"
            } else {
                path += scalar.value < 0x20 ? "\u{FFFD}" : String(scalar)
            }
        }
        path += "\"]"
    }

    /// Whether a byte of a key needs no quotes in a path: letters, digits, `_` and `-`.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The error for the byte at the cursor, which the grammar does not allow there.
    @inline(never)
    mutating func unexpected(_ wanted: String) -> any Error {
        if window.isAtLimit {
            return fail(.invalidInput, "The input ends where \(wanted) should be. It may have been cut off.")
        }
        let byte = window.cursor.pointee
        let found = byte > 0x20 && byte < 0x7F ? "\"\(Unicode.Scalar(byte))\"" : "the byte 0x\(String(byte, radix: 16))"
        return fail(.invalidInput, "There is \(found) where \(wanted) should be.")
    }

    @inline(never)
    mutating func controlCharacter(_ byte: UInt8) -> any Error {
        let digits = (byte < 0x10 ? "000" : "00") + String(byte, radix: 16)
        return fail(.invalidInput, "A string has a control character as it is. Write it as \\u\(digits).")
    }

    @inline(never)
    mutating func notUTF8() -> any Error {
        fail(.invalidInput, "A string has bytes that are not UTF-8. Convert the input to UTF-8.")
    }

    @inline(never)
    mutating func tooLong(_ limit: Int) -> any Error {
        let advice = limit == options.maximumTextLength ? " Set a greater maximumTextLength if this is right." : ""
        return note(
            GranaryError(
                .limit, "A text is longer than \(limit) bytes, the most that is accepted.\(advice)", at: position))
    }

    /// Makes the error for the place of the cursor, and keeps it: nothing after it can be read.
    @inline(never)
    mutating func fail(_ code: GranaryError.Code, _ message: String) -> any Error {
        let position = InputPosition(source: name, line: line, offset: window.offset, path: path)
        return note(GranaryError(code, message, at: position))
    }

    mutating func note(_ error: any Error) -> any Error {
        failure = error
        expectation = .failed
        // The memory that `textStart` points into may have been freed.
        textStart = UnsafePointer(keys.start)
        textCount = 0
        return error
    }

    /// Notes an error of the source, with the position reached so far. No line can be skipped afterwards.
    @inline(never)
    mutating func sourceFailed(_ error: any Error) -> any Error {
        canGoOn = false
        return note(InputPosition(source: name, line: line, offset: window.offset, path: path).added(to: error))
    }
}
