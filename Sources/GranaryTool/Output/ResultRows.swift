import GranaryCore
import GranaryFormats
import GranaryPlatform

/// Writes rows of values as a table, JSON or CSV, each as it comes, in bounded memory.
final class ResultRows {
    enum Format {
        /// A table. The first rows determine the width of its columns.
        case table
        /// An array of objects, one object per line.
        case json
        /// As in RFC 4180: a line with the names, nil as an empty field, an empty text as `""`.
        case csv
    }

    struct Column {
        var name: String
        var type: AttributeType
    }

    private let columns: [Column]
    /// The entity, if the rows are whole records.
    private let entity: Entity?
    private let isFull: Bool
    private let format: Format
    private let output: Output
    private var csv: CSVWriter?
    private var json: JSONLines?
    private(set) var count = 0
    /// The rows that determine a table's widths; nil once they are written.
    private var first: [[String?]]? = []
    private var widths: [Int] = []

    private static let measured = 500
    /// The widest value, in characters, that can widen a column. On a terminal, longer values are cut.
    private let widest: Int

    /// - Parameter isFull: Whether a table has long values completely, instead of their sizes.
    init(
        _ columns: [Column], _ format: Format, _ output: Output, isFull: Bool = false, of entity: Entity? = nil
    ) throws {
        (self.columns, self.format, self.output) = (columns, format, output)
        (self.isFull, self.entity) = (isFull, entity)
        widest = output.terminalWidth ?? 60
        switch format {
        case .table: break
        case .json: json = JSONLines(output)
        case .csv:
            csv = CSVWriter(OutputSink(output))
            try csv?.row(columns.map { csvField($0.name) })
        }
    }

    convenience init(_ entity: Entity, _ format: Format, _ output: Output, isFull: Bool = false) throws {
        let columns = entity.attributes.map { Column(name: $0.name, type: $0.type) }
        try self.init(columns, format, output, isFull: isFull, of: entity)
    }

    /// - Returns: Whether the output still has a reader.
    func add(_ values: [StoredValue]) throws -> Bool {
        count += 1
        switch format {
        case .json:
            try json?.add(.object(zip(columns, values).map { ($0.name, $1.json(as: $0.type)) }))
        case .csv:
            let fields = zip(columns, values).map { csvField($1.text(as: $0.type)) }
            do {
                try csv?.row(fields)
            } catch {
                throw named(error, fields, values)
            }
        case .table:
            let row = zip(columns, values).map { shown($1.shown(as: $0.type, isFull: isFull)) }
            first?.append(row)
            if let first {
                if first.count == ResultRows.measured { beginTable() }
            } else {
                write(row)
            }
        }
        return !output.isClosed
    }

    func finish() throws {
        switch format {
        case .json: json?.finish()
        case .csv: try csv?.finish()
        case .table: if first != nil { beginTable() }
        }
    }

    private func beginTable() {
        let rows = first ?? []
        first = nil
        widths = columns.indices.map { column in
            // A longer value makes its own line longer, not the column wider.
            let widest = rows.map { $0[column]?.count ?? 0 }.filter { $0 <= self.widest }.max() ?? 0
            return max(columns[column].name.inOneLine.count, widest)
        }
        let names = columns.indices.map { pad(columns[$0].name.inOneLine, $0) }
        output.line(trimmed(names.joined(separator: "  ")), .bold)
        for row in rows { write(row) }
    }

    private func write(_ row: [String?]) {
        let fields = columns.indices.map { pad(row[$0] ?? "", $0) }
        output.line(trimmed(fields.joined(separator: "  ")))
    }

    /// A value in one line, without characters that a terminal obeys.
    private func shown(_ text: String?) -> String? {
        guard let line = text?.inOneLine else { return nil }
        guard output.isTerminal, line.count > widest else { return line }
        return line.prefix(widest - 1) + "…"
    }

    /// The error for a text that CSV cannot represent, with the attribute, and the key if the row is a whole record.
    private func named(_ error: any Error, _ fields: [String?], _ values: [StoredValue]) -> any Error {
        guard var error = error as? GranaryError, error.code == .range,
            let column = fields.firstIndex(where: { $0?.utf8.contains(0) ?? false })
        else { return error }
        error.entity = entity?.name
        error.attributes = [columns[column].name]
        error.key = entity.map { values[$0.keyPosition] }
        return error.with(value: fields[column])
    }

    /// A field unchanged; on a terminal without characters that it obeys.
    private func csvField(_ text: String?) -> String? { output.isTerminal ? text?.inOneLine : text }

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
