import GranaryCore
import GranaryFormats
import GranaryPlatform

/// Writes records as rows of CSV. If a mapping names a related record by an attribute, that record is looked up.
final class CSVExport {
    private let context: ReadContext
    private let schema: Schema
    private let exporter: Exporter
    private let plan: ExportPlan
    private let hasHeader: Bool
    private let hasQuotes: Bool
    private var related: [Int: ExportPlan] = [:]
    private var writer: CSVWriter

    init(
        _ exporter: Exporter, _ plan: ExportPlan, _ sink: any ByteSink, _ options: CSVOptions, in context: ReadContext
    ) {
        self.context = context
        self.exporter = exporter
        self.plan = plan
        schema = context.schema
        hasHeader = options.hasHeader
        hasQuotes = options.quote != nil
        writer = CSVWriter(sink, options)
    }

    func begin() throws {
        if hasHeader { try writer.row(plan.members.map { $0.key }) }
    }

    func write(_ row: borrowing Row) throws {
        // Reading related records could end the lent row.
        guard plan.asksForOthers else { return try named(row) }
        var copy = RowWriter(count: plan.entity.attributes.count)
        for position in plan.entity.attributes.indices { try copy.setCopy(of: row[position], at: position) }
        try copy.withRow { row in try named(row) }
    }

    /// Writes a row. Errors get the key of the record.
    private func named(_ row: borrowing Row) throws {
        do {
            try fields(row)
        } catch var error as GranaryError {
            if error.key == nil { error.key = StoredValue(row[plan.entity.positionOfKeyInErrors]) }
            throw error
        }
    }

    func finish() throws { try writer.finish() }

    private func fields(_ row: borrowing Row) throws {
        for member in plan.members {
            switch member.content {
            case .attribute(let position):
                if !hasQuotes, row[position].rawBytes.isEmpty, plan.mapping.takesEmptyField(position, of: plan.entity) {
                    try writer.field(nil)
                } else {
                    try field(row[position], plan, position)
                }
            case .reference(let reference):
                let cell = row[reference.attribute]
                if let naming = reference.naming.first, !cell.isNull {
                    try name(StoredValue(cell), reference.related, naming)
                } else {
                    try field(cell, plan, reference.attribute)
                }
            case .relationship, .object: break
            }
        }
        try writer.endRow()
    }

    private func name(_ key: StoredValue, _ entity: Int, _ position: Int) throws {
        let plan = try related[entity] ?? ExportPlan(entity, schema, exporter, top: self.plan.position, isTable: true)
        related[entity] = plan
        let request = FetchRequest(
            entity: entity, condition: .compare(position: plan.entity.keyPosition, .equal, key), limit: 1)
        let cursor = try context.rows(request)
        try withExtendedLifetime(cursor) {
            guard let row = try cursor.next() else { return try writer.field(nil) }
            try field(row[position], plan, position)
        }
    }

    private func field(_ cell: Cell, _ plan: ExportPlan, _ position: Int) throws {
        let values = plan.writers[position]
        do {
            let value = try values.value(of: cell)
            if let transform = values.transform { return try field(try transform(try value.imported)) }
            switch value {
            case .null: try writer.field(nil)
            case .bool(let value): try writer.field(value ? "true" : "false")
            case .integer(let value): try writer.field(String(value))
            case .real(let value): try writer.field(value.description)
            case .number(let text), .string(let text): try writer.field(text)
            case .text(let utf8), .json(let utf8): try writer.field(utf8: utf8)
            }
        } catch {
            throw GranaryError.wrapping(error, plan.entity).about(plan.entity.name, values.attribute.name)
        }
    }

    /// A value made by a transformer: a text unchanged, any other value as JSON.
    private func field(_ value: ImportValue) throws {
        switch value {
        case .null: try writer.field(nil)
        case .string(let text): try writer.field(text)
        case .data(let data): try writer.field(data.base64EncodedString())
        case .date(let date): try writer.field(DateText.written(date.timeIntervalSinceReferenceDate))
        case .bool, .integer, .decimal, .double, .array, .object:
            try writer.field(String(decoding: try value.canonicalJSON(), as: UTF8.self))
        }
    }
}
