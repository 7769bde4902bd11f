import GranaryPlatform
import GranaryText

extension CSVReader {
    private enum FieldEnd { case delimiter, row, input }

    /// The greatest number of fields of a row. Each field takes memory even if it is empty. No real table has so many
    /// columns.
    static let maximumFields = 1 << 20

    /// Reads the next row.
    ///
    /// - Returns: False at the end of the input.
    public mutating func nextRow() throws -> Bool {
        if let sourceFailure { throw sourceFailure }
        fields.removeAll(keepingCapacity: true)
        row.removeAll()
        if isWithinBadRow {
            isWithinBadRow = false
            try skipLine()
        }
        guard try beginRow() else { return false }
        do {
            while true {
                let isQuoted = window.cursor.pointee == quote && quote != options.delimiter
                let end = try isQuoted ? quotedField() : plainField()
                if end != .delimiter { break }
                guard fields.count < CSVReader.maximumFields else {
                    throw GranaryError(
                        .limit,
                        "A row has more than \(CSVReader.maximumFields) fields. Check the delimiter, and the quotes.",
                        at: position)
                }
                if window.isAtLimit { _ = try readMore() }
            }
        } catch {
            fields.removeAll(keepingCapacity: true)
            isWithinBadRow = sourceFailure == nil && !isAtNextLine
            isAtNextLine = false
            throw error
        }
        try checkRow()
        return true
    }

    /// Skips a row that could not be read, so that the next row can be read.
    ///
    /// - Throws: The error of the source, if the source itself has failed: it gives nothing more.
    public mutating func skipRow() throws {
        if let sourceFailure { throw sourceFailure }
    }

    /// Moves to the first byte of the next row. Returns false if there is none.
    private mutating func beginRow() throws -> Bool {
        while true {
            line = currentLine
            rowOffset = window.offset
            if window.isAtLimit, try !readMore() { return false }
            if columnCount == 1 { return true }
            if window.cursor.pointee == 0x0D, window.available < 2 { _ = try readMore() }
            if window.cursor.pointee == 0x0A {
                window.cursor += 1
            } else if window.cursor.pointee == 0x0D, window.available > 1, window.cursor[1] == 0x0A {
                window.cursor += 2
            } else {
                return true
            }
            currentLine += 1
        }
    }

    /// Reads a field without quotes. Returns what ends the field.
    private mutating func plainField() throws -> FieldEnd {
        let start = row.count
        while true {
            let count =
                TextScan.endOfField(window.cursor, options.delimiter, quote) - UnsafePointer(window.cursor)
            try take(count)
            switch window.cursor.pointee {
            case options.delimiter:
                window.cursor += 1
                endField(start, isQuoted: false)
                return .delimiter
            case quote:
                throw invalid(
                    "There is a quote within a field that does not begin with one. Quote the whole field, and double this quote."
                )
            case 0x0A, 0x0D:
                try endLine()
                endField(start, isQuoted: false)
                return .row
            case 0 where window.isAtLimit:
                if try readMore() { continue }
                endField(start, isQuoted: false)
                return .input
            case 0: throw invalid("There is a NUL character. Convert the input to UTF-8, or remove it.")
            default: try take(1)
            }
        }
    }

    /// Reads a field in quotes. Returns what ends the field.
    ///
    /// A malformed field over several lines most often begins with a quote that is never closed. Then the lines after
    /// the first one are rows of their own, and are read again as rows.
    private mutating func quotedField() throws -> FieldEnd {
        let (start, firstLine, firstOffset) = (row.count, currentLine, window.offset)
        do {
            return try quotedField(start)
        } catch {
            let text = row.bytes[start...]
            guard sourceFailure == nil, let error = error as? GranaryError,
                let lineEnd = text.firstIndex(of: 0x0A)
            else { throw error }
            let lastLine = currentLine
            var bytes: [UInt8] = []
            // The field has ended if its closing quote has been read, with a zero after it.
            let isClosed = fields.last?.start == start
            for byte in text[(lineEnd + 1)...].dropLast(isClosed ? 1 : 0) {
                bytes.append(byte)
                if byte == quote { bytes.append(byte) }
            }
            if isClosed { bytes.append(quote) }
            window.unread(bytes)
            currentLine = firstLine + 1
            isAtNextLine = true
            guard error.code != .limit else { throw error }
            var place = position(fields.count - (isClosed ? 1 : 0))
            (place.line, place.offset) = (firstLine, firstOffset)
            throw GranaryError(
                error.code,
                "The field begins with a quote that is not closed in the right way up to line \(lastLine). Close it, or double quotes that belong to the field.",
                at: place)
        }
    }

    private mutating func quotedField(_ start: Int) throws -> FieldEnd {
        window.cursor += 1
        while true {
            let count = TextScan.endOfQuoted(window.cursor, quote) - UnsafePointer(window.cursor)
            try take(count)
            switch window.cursor.pointee {
            case quote:
                if window.available < 2 { _ = try readMore() }
                if window.available > 1, window.cursor[1] == quote {
                    try take(1)
                    window.cursor += 1
                    continue
                }
                window.cursor += 1
                endField(start, isQuoted: true)
                return try afterQuote()
            case 0x0A:
                currentLine += 1
                try take(1)
            case 0 where window.isAtLimit:
                guard try readMore() else {
                    throw invalid("The input ends within a quoted field. It may have been cut off.")
                }
            case 0: throw invalid("There is a NUL character. Convert the input to UTF-8, or remove it.")
            default: try take(1)
            }
        }
    }

    private mutating func afterQuote() throws -> FieldEnd {
        if window.isAtLimit, try !readMore() { return .input }
        switch window.cursor.pointee {
        case options.delimiter:
            window.cursor += 1
            return .delimiter
        case 0x0A, 0x0D:
            try endLine()
            return .row
        default:
            throw invalid(
                "There is something between a closing quote and the delimiter. Double quotes that belong to the field.",
                column: fields.count - 1)
        }
    }

    /// Moves over LF or CRLF.
    private mutating func endLine() throws {
        if window.cursor.pointee == 0x0D {
            if window.available < 2 { _ = try readMore() }
            guard window.available > 1, window.cursor[1] == 0x0A else {
                let cure = options.quote == nil ? "End" : "Quote the field, or end"
                throw invalid("There is a carriage return without a line feed. \(cure) lines with CRLF or LF.")
            }
            window.cursor += 1
        }
        window.cursor += 1
        currentLine += 1
    }

    /// Adds the next bytes, from the cursor on, to the row.
    @inline(__always)
    private mutating func take(_ count: Int) throws {
        guard row.count + count - fields.count <= options.maximumRowLength else {
            throw GranaryError(
                .limit,
                "A row is longer than \(options.maximumRowLength) bytes. Set a greater maximumRowLength if this is right.",
                at: position)
        }
        row.append(UnsafePointer(window.cursor), count)
        window.cursor += count
    }

    @inline(__always)
    private mutating func endField(_ start: Int, isQuoted: Bool) {
        fields.append(Field(start: start, end: row.count, isQuoted: isQuoted))
        row.reserve(1)
        row.end.pointee = 0
        row.extend(1)
    }

    private mutating func checkRow() throws {
        let valid = UTF8Scan.endOfValid(row.bytes)
        if valid < row.count {
            let column = fields.firstIndex { $0.end > valid } ?? 0
            throw GranaryError(
                .invalidInput, "The field has bytes that are not UTF-8. Convert the input to UTF-8.",
                at: position(column))
        }
        let expected = columnCount ?? fields.count
        columnCount = expected
        if fields.count != expected, options.unevenRows == .error {
            throw GranaryError(
                .invalidInput, "The row has \(fields.count) fields, and the first row has \(expected).", at: position)
        }
    }

    /// The error for the bytes at the cursor.
    private func invalid(_ message: String, column: Int? = nil) -> GranaryError {
        var position = position(column ?? fields.count)
        position.line = currentLine
        position.offset = window.offset
        return GranaryError(.invalidInput, message, at: position)
    }

    /// Moves to the line after the cursor.
    private mutating func skipLine() throws {
        repeat {
            if let newline = memchr(window.cursor, 0x0A, window.available) {
                window.cursor += newline - UnsafeMutableRawPointer(window.cursor) + 1
                currentLine += 1
                return
            }
            window.cursor += window.available
        } while try readMore()
    }

    private mutating func readMore() throws -> Bool {
        do {
            return try window.readMore()
        } catch {
            let position = InputPosition(source: name, line: currentLine, offset: window.offset)
            let failure = position.added(to: error)
            sourceFailure = failure
            throw failure
        }
    }
}
