/// Reads CSV row by row, from any source and in constant memory.
///
/// ```swift
/// var reader = try CSVReader(.file("artists.csv"))
/// print(reader.header)
/// while try reader.nextRow() {
///     for column in 0..<reader.fieldCount { print(reader.string(column)) }
/// }
/// ```
///
/// The rules are those of RFC 4180, with any delimiter, with any quote or none, and with CRLF or LF after each row.
/// UTF-8 is checked, a byte order mark skipped. A field contains all characters between the delimiters, blanks
/// included. An empty line is not a row, unless rows have one column.
///
/// Errors are ``GranaryError/Code/invalidInput`` for input that is not CSV, ``GranaryError/Code/limit`` for a row that
/// is too long, and the errors of the source. ``GranaryError/position`` gives the place, with the column's name. After
/// an error ``nextRow()`` goes on with the line after the error, unless the source itself has failed. After an error in
/// a quoted field over several lines it goes on with the second line of that field: its quote is most often one that is
/// never closed.
public struct CSVReader: ~Copyable {
    struct Field {
        var start: Int
        var end: Int
        var isQuoted: Bool
    }

    let name: String
    let options: CSVOptions
    /// The quote; the delimiter if fields are never quoted, because the search for the end of a field looks for two
    /// characters.
    let quote: UInt8
    var window: InputWindow
    /// The fields of the row without quotes, with a zero after each, so that no character spans two fields.
    var row = ByteBuffer()
    var fields: [Field] = []
    var currentLine = 1
    var rowOffset = 0
    var columnCount: Int?
    var sourceFailure: (any Error)?
    /// Whether the cursor is within a row that could not be read. The rest of its line is skipped only when the next
    /// row is read: the line may be of any length.
    var isWithinBadRow = false
    /// Whether the cursor has been put back to the second line of a malformed field.
    var isAtNextLine = false

    /// The names of the columns; empty without a header.
    public private(set) var header: [String] = []
    /// The line in which the last row begins, counted from 1.
    public internal(set) var line = 1

    /// A reader at the first row after the header. This reads the header.
    ///
    /// - Throws: Also ``GranaryError/Code/invalidInput`` if there is no header, or a name occurs twice in it.
    public init(_ source: ByteSource, _ options: CSVOptions = CSVOptions()) throws {
        try self.init(try source.open(), name: source.name, options)
    }

    package init(_ stream: any ByteStream, name: String, _ options: CSVOptions = CSVOptions()) throws {
        self.name = name
        self.options = options
        quote = options.quote ?? options.delimiter
        window = InputWindow(stream)
        let special = [options.delimiter, quote]
        guard options.delimiter != options.quote,
            special.allSatisfy({ $0 < 0x80 && $0 != 0x0A && $0 != 0x0D && $0 != 0 })
        else {
            throw GranaryError(
                .unsupported,
                "The delimiter and the quote of CSV must be two different ASCII characters, and not line breaks.")
        }
        try skipByteOrderMark()
        if options.hasHeader { try readHeader() }
    }

    private mutating func readHeader() throws {
        guard try nextRow() else {
            throw GranaryError(
                .invalidInput, "There is no header: the input is empty.", at: position)
        }
        header = fields.indices.map { string($0) }
        var columns: [[UInt8]: Int] = [:]
        for (index, name) in header.enumerated() {
            guard let first = columns.updateValue(index, forKey: Array(name.utf8)) else { continue }
            throw GranaryError(
                .invalidInput,
                "Columns \(first + 1) and \(index + 1) of the header are both called \"\(name.shortened)\". Give each column a name of its own.",
                at: position)
        }
    }

    private mutating func skipByteOrderMark() throws {
        try window.fill(3)
        let start = window.rest
        if start.count >= 3, start[0] == 0xEF, start[1] == 0xBB, start[2] == 0xBF { window.cursor += 3 }
    }
}

extension CSVReader {
    /// The number of fields of the last row.
    public var fieldCount: Int { fields.count }

    /// A field of the last row without its quotes; empty if the row has fewer fields.
    ///
    /// The bytes belong to the reader and are valid until the next row is read.
    public func field(_ index: Int) -> UnsafeRawBufferPointer {
        guard fields.indices.contains(index) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: row.bytes[fields[index].start..<fields[index].end])
    }

    /// Whether a field stands in quotes. `""` is an empty text; a field with no characters at all may mean no value.
    public func isQuoted(_ index: Int) -> Bool { fields.indices.contains(index) && fields[index].isQuoted }

    /// A copy of a field.
    public func string(_ index: Int) -> String { String(decoding: field(index), as: UTF8.self) }

    /// The number of input bytes that have been read.
    package var bytesRead: Int { window.offset }

    /// The position at which the last row begins.
    public var position: InputPosition { InputPosition(source: name, line: line, offset: rowOffset) }

    /// The position of the last row. Its path is the name of `column`, or the number from 1 if there is no header.
    public func position(_ column: Int) -> InputPosition {
        var position = position
        position.path = header.indices.contains(column) ? header[column] : "column \(column + 1)"
        return position
    }
}
