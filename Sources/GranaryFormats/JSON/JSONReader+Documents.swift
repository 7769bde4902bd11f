import GranaryPlatform

extension JSONReader {
    /// Goes to the next document: the next line of JSON lines, or the one value of other input. The unread rest of the
    /// previous document is skipped.
    ///
    /// - Returns: False at the end of the input.
    /// - Throws: Also ``GranaryError/Code/invalidInput`` if the layout is ``JSONOptions/Layout/document`` and the input
    ///   has no value, or has something after the value.
    public mutating func nextDocument() throws -> Bool {
        let isFirst = expectation == .start
        if isFirst {
            try skipByteOrderMark()
        } else {
            while try next() != .end {}
        }
        if options.layout == .lines {
            try skipEmptyLines()
        } else if isFirst {
            _ = try skipWhiteSpace()
        }
        guard !window.isAtLimit else {
            if isFirst && options.layout == .document { throw unexpected("a value") }
            expectation = .ended
            return false
        }
        if window.cursor.pointee == 0 { throw unexpected("a value") }
        expectation = .value
        return true
    }

    /// Skips the line that cannot be read, or the rest of the current line.
    ///
    /// For JSON lines only: ``nextDocument()`` gives the line after it. Errors of the source itself cannot be skipped.
    public mutating func skipLine() throws {
        if let failure, !canGoOn || options.layout != .lines { throw failure }
        failure = nil
        isAfterRepeatedKey = false
        frames.removeAll(keepingCapacity: true)
        expectation = .ended
        repeat {
            if let newline = memchr(window.cursor, 0x0A, window.available) {
                window.cursor += newline - UnsafeMutableRawPointer(window.cursor)
                return
            }
            window.cursor += window.available
        } while try readMore()
    }

    /// Goes on after the error about a repeated key: skips the rest of all values that are open beyond `depth`.
    /// ``next()`` gives the event after them. Further repeated keys are skipped too.
    ///
    /// - Throws: The error itself, if it is about something else: nothing after it can be read. Also errors in the
    ///   skipped part.
    public mutating func skipRest(to depth: Int) throws {
        while true {
            do {
                if isAfterRepeatedKey {
                    isAfterRepeatedKey = false
                    failure = nil
                    guard try skipWhiteSpace() == UInt8(ascii: ":") else { throw unexpected("a colon after the key") }
                    window.cursor += 1
                    expectation = .value
                    try skip()
                }
                while frames.count > depth { _ = try next() }
                if let failure { throw failure }
                return
            } catch {
                guard isAfterRepeatedKey else { throw error }
            }
        }
    }

    /// Requires that nothing follows the value in the input, or in the line.
    mutating func endDocument() throws {
        if options.layout == .lines {
            try skipBlanks()
            guard window.isAtLimit || window.cursor.pointee == 0x0A else { throw unexpected("the end of the line") }
        } else {
            _ = try skipWhiteSpace()
            guard window.isAtLimit else { throw unexpected("nothing after the value") }
        }
        expectation = .ended
    }

    private mutating func skipEmptyLines() throws {
        try skipBlanks()
        while !window.isAtLimit, window.cursor.pointee == 0x0A {
            line += 1
            window.cursor += 1
            try skipBlanks()
        }
    }

    /// Skips white space within a line. The cursor is at the limit only at the end of the input.
    private mutating func skipBlanks() throws {
        while true {
            switch window.cursor.pointee {
            case 0x20, 0x09, 0x0D: window.cursor += 1
            case 0:
                guard window.isAtLimit else { return }
                guard try readMore() else { return }
            default: return
            }
        }
    }

    private mutating func skipByteOrderMark() throws {
        try fill(3)
        let start = window.rest
        if start.count >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF {
            window.cursor += 3
        } else if start.count >= 2, (start[0] == 0xFE && start[1] == 0xFF) || (start[0] == 0xFF && start[1] == 0xFE) {
            throw fail(.invalidInput, "The input is UTF-16. Convert it to UTF-8, the only encoding of JSON.")
        }
    }
}
