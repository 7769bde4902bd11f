/// How CSV is read, and its limits.
public struct CSVOptions: Sendable, Hashable {
    /// What happens with a row that has more or fewer fields than the first.
    public enum UnevenRows: Sendable, Hashable {
        /// Reading the row fails; the next one can be read.
        case error
        /// The row is given with its fields, however many there are.
        case accept
    }

    /// Whether the first row has the names of the columns.
    public var hasHeader: Bool
    /// The ASCII character between fields.
    public var delimiter: UInt8
    /// The ASCII character around fields that contain delimiters, line breaks or this character itself, doubled. With
    /// nil no field is quoted: every character but the delimiter and the line break belongs to the field.
    public var quote: UInt8?
    public var unevenRows: UnevenRows
    /// The greatest length in bytes of all fields of a row together. A row is held in memory as a whole.
    public var maximumRowLength: Int

    public init(
        hasHeader: Bool = true, delimiter: UInt8 = UInt8(ascii: ","), quote: UInt8? = UInt8(ascii: "\""),
        unevenRows: UnevenRows = .error, maximumRowLength: Int = 32 << 20
    ) {
        self.hasHeader = hasHeader
        self.delimiter = delimiter
        self.quote = quote
        self.unevenRows = unevenRows
        self.maximumRowLength = maximumRowLength
    }

    /// The form of `text/tab-separated-values`: tabs between fields, and no quotes.
    public static let tsv = CSVOptions(delimiter: UInt8(ascii: "\t"), quote: nil)
}
