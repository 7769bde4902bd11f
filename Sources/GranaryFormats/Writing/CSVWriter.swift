import GranaryText

/// Writes CSV to a sink, field by field and in constant memory.
///
/// ```swift
/// var writer = CSVWriter(try FileSink("artists.csv"))
/// try writer.row(["name", "born"])
/// try writer.field("Nina Simone")
/// try writer.field(nil)
/// try writer.endRow()
/// try writer.finish()
/// ```
///
/// The form is that of RFC 4180, with CRLF after each row. Fields are quoted only if they must be. No value is written
/// as an empty field, an empty text as `""`: ``CSVReader/isQuoted(_:)`` tells them apart. Without a quote, as in TSV, a
/// text that would have to be quoted is refused. In a table of one column a row without a value is an empty line, which
/// reads back only after a header.
public struct CSVWriter: ~Copyable {
    private var output: OutputBuffer
    private let delimiter: UInt8
    private let quote: UInt8?
    private var fieldCount = 0
    private var columnCount: Int?

    /// A writer to a sink, with the delimiter and the quote of the options.
    public init(_ sink: any ByteSink, _ options: CSVOptions = CSVOptions()) {
        output = OutputBuffer(sink)
        delimiter = options.delimiter
        quote = options.quote
    }

    /// Writes the next field of the row; nil for no value.
    ///
    /// - Throws: ``GranaryError/Code/range`` for a text with NUL, which CSV cannot represent; without quotes, also for
    ///   a text with a delimiter or a line break, and for an empty text.
    public mutating func field(_ text: String?) throws {
        guard var text else { return try beginField() }
        let result = text.withUTF8 { utf8 in Result { try field(utf8: UnsafeRawBufferPointer(utf8)) } }
        try result.get()
    }

    /// Writes the next field of the row, given as UTF-8.
    public mutating func field(utf8: UnsafeRawBufferPointer) throws {
        guard UTF8Scan.endOfValid(utf8) == utf8.count else { throw GranaryError.invalidText() }
        var needsQuotes = utf8.isEmpty
        for byte in utf8 {
            if byte == 0 {
                throw GranaryError(.range, "CSV has no NUL character. Export this attribute as JSON.")
            }
            if byte == delimiter || byte == quote || byte == 0x0A || byte == 0x0D { needsQuotes = true }
        }
        // A text that begins with a byte order mark would lose it at the beginning of the file.
        let isFirst = columnCount == nil && fieldCount == 0
        if utf8.count >= 3, utf8[0] == 0xEF, utf8[1] == 0xBB, utf8[2] == 0xBF, quote != nil || isFirst {
            needsQuotes = true
        }
        guard needsQuotes else {
            try beginField()
            return try output.append(utf8)
        }
        guard let quote else { throw unquotable(utf8) }
        try beginField()
        try output.append(quote)
        var start = 0
        while let index = utf8[start...].firstIndex(of: quote) {
            try output.append(UnsafeRawBufferPointer(rebasing: utf8[start...index]))
            try output.append(quote)
            start = index + 1
        }
        try output.append(UnsafeRawBufferPointer(rebasing: utf8[start...]))
        try output.append(quote)
    }

    /// The error for a text that needs quotes.
    private func unquotable(_ utf8: UnsafeRawBufferPointer) -> GranaryError {
        let what =
            if utf8.isEmpty {
                "an empty text, because an empty field is nil"
            } else if utf8.contains(delimiter) {
                delimiter == 0x09 ? "a tab" : "the delimiter"
            } else if utf8.contains(0x0A) || utf8.contains(0x0D) {
                "a line break"
            } else {
                "a byte order mark at the beginning of the file"
            }
        return GranaryError(
            .range, "A field without quotes, as in TSV, cannot have \(what). Export it as CSV with quotes, or as JSON.")
    }

    /// Ends the row.
    ///
    /// - Throws: ``GranaryError/Code/invalidInput`` if it has more or fewer fields than the first.
    public mutating func endRow() throws {
        let expected = columnCount ?? fieldCount
        guard fieldCount == expected, fieldCount > 0 else {
            throw GranaryError(.invalidInput, "A row has \(fieldCount) fields, and the first row has \(expected).")
        }
        columnCount = expected
        fieldCount = 0
        try output.append("\r\n")
    }

    /// Writes a row.
    public mutating func row(_ fields: some Sequence<String?>) throws {
        for text in fields { try field(text) }
        try endRow()
    }

    /// Writes the buffered bytes, and finishes the sink.
    public mutating func finish() throws {
        guard fieldCount == 0 else {
            throw GranaryError(.invalidInput, "The last row has no end. Call endRow() first.")
        }
        try output.finish()
    }

    private mutating func beginField() throws {
        try output.requireOpen()
        if fieldCount > 0 { try output.append(delimiter) }
        fieldCount += 1
    }
}
