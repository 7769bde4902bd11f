import GranaryCore
import Rainbow

/// Rows of values as a table, JSON or CSV, written as they come, in bounded memory.
final class ResultRows {
    enum Format {
        /// Columns as wide as the values of the first rows.
        case table
        /// An array of objects, an object a line.
        case json
        /// As RFC 4180 has it: a line with the names, nil as nothing, an empty text as `""`.
        case csv
    }

    struct Column {
        var name: String
        var type: AttributeType
    }

    private let columns: [Column]
    private let format: Format
    private let output: Output
    private(set) var count = 0
    /// The rows that a table's widths are taken from; nil once they are written.
    private var first: [[String?]]? = []
    private var widths: [Int] = []

    private static let measured = 500
    /// On a terminal, longer values are cut.
    private static let widest = 60

    init(_ columns: [Column], _ format: Format, _ output: Output) {
        (self.columns, self.format, self.output) = (columns, format, output)
        switch format {
        case .table: break
        case .json: output.write("[")
        case .csv: output.write(columns.map { CSVText.field($0.name) }.joined(separator: ",") + "\r\n")
        }
    }

    convenience init(_ entity: Entity, _ format: Format, _ output: Output) {
        self.init(entity.attributes.map { Column(name: $0.name, type: $0.type) }, format, output)
    }

    /// - Returns: Whether anything reads the output still.
    func add(_ values: [StoredValue]) -> Bool {
        count += 1
        switch format {
        case .json:
            let members = zip(columns, values).map { ($0.name, $1.json(as: $0.type)) }
            output.write((count == 1 ? "\n  " : ",\n  ") + JSONText.object(members).compact)
        case .csv:
            let fields = zip(columns, values).map { $1.text(as: $0.type).map(CSVText.field) ?? "" }
            output.write(fields.joined(separator: ",") + "\r\n")
        case .table:
            let row = zip(columns, values).map { shown($1.text(as: $0.type)) }
            first?.append(row)
            if let first {
                if first.count == ResultRows.measured { beginTable() }
            } else {
                write(row)
            }
        }
        return !output.isClosed
    }

    func finish() {
        switch format {
        case .json: output.line(count == 0 ? "]" : "\n]")
        case .csv: break
        case .table: if first != nil { beginTable() }
        }
    }

    private func beginTable() {
        let rows = first ?? []
        first = nil
        widths = columns.indices.map { column in
            max(columns[column].name.count, rows.map { $0[column]?.count ?? 0 }.max() ?? 0)
        }
        let names = columns.indices.map { pad(columns[$0].name, $0) }
        output.line(trimmed(names.joined(separator: "  ")).styled(output) { $0.bold })
        for row in rows { write(row) }
    }

    private func write(_ row: [String?]) {
        let fields = columns.indices.map { pad(row[$0] ?? "", $0) }
        output.line(trimmed(fields.joined(separator: "  ")))
    }

    /// A value in one line, and no sign in it that a terminal would obey.
    private func shown(_ text: String?) -> String? {
        guard let line = text?.inOneLine else { return nil }
        guard output.isTerminal, line.count > ResultRows.widest else { return line }
        return line.prefix(ResultRows.widest - 1) + "…"
    }

    private func pad(_ text: String, _ column: Int) -> String {
        let space = String(repeating: " ", count: max(0, widths[column] - text.count))
        return columns[column].type.isNumber ? space + text : text + space
    }

    private func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}

enum CSVText {
    /// A field, in quotes where it needs them; an empty text has them, as nil is written as nothing.
    static func field(_ text: String) -> String {
        let isPlain = !text.isEmpty && !text.utf8.contains { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension AttributeType {
    fileprivate var isNumber: Bool {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double, .decimal,
            .scaledDecimal:
            true
        default: false
        }
    }
}

extension String {
    /// The text with control characters written out: a line end as `\n`.
    var inOneLine: String {
        guard unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        return unicodeScalars.map { scalar in
            switch scalar {
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            case _ where scalar.properties.generalCategory == .control:
                "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: String(scalar)
            }
        }.joined()
    }

    /// The text in a style where a person looks at it.
    func styled(_ output: Output, _ style: (String) -> String) -> String { output.isTerminal ? style(self) : self }
}
