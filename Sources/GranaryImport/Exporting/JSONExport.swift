import GranaryCore
import GranaryFormats
import GranaryPlatform

/// Writes records as JSON objects, with related records nested in them. Holds one record of each level at a time.
final class JSONExport {
    /// The members of a record that lead back to the record around it. They are left out.
    private struct Way {
        var attribute: Int?
        var relationships: [Int] = []
        /// The attribute that an import reads from the dictionary key of the record.
        var dictionaryKey: Int?
    }

    /// A copied row, which stays valid while other rows are read.
    private final class RowCopy {
        var writer: RowWriter

        init(_ count: Int) { writer = RowWriter(count: count) }
    }

    private let context: ReadContext
    private let exporter: Exporter
    private let schema: Schema
    private let root: [String]
    private let isLines: Bool
    /// The attribute whose values are the keys in a dictionary; nil if the records are an array.
    private let key: Int?
    /// The position of the exported entity.
    private let top: Int
    private var plans: [ExportPlan?]
    private var writer: JSONWriter
    /// The records in progress, outermost first, and their rows.
    private var open: [(entity: Int, key: StoredValue)] = []
    private var copies: [RowCopy] = []
    private(set) var nested = 0
    private var stack = ThreadStack()

    init(
        _ exporter: Exporter, _ plan: ExportPlan, key: Int?, _ sink: any ByteSink, _ layout: JSONOptions.Layout,
        isPretty: Bool, in context: ReadContext
    ) throws {
        self.exporter = exporter
        self.context = context
        schema = context.schema
        root = try exporter.rootKeys
        isLines = layout == .lines
        self.key = key
        top = plan.position
        plans = schema.entities.map { _ in nil }
        plans[plan.position] = plan
        writer = JSONWriter(sink, layout: layout, isPretty: isPretty)
    }

    func begin() throws {
        guard !isLines else { return }
        try beginRoot()
        if key == nil { try writer.beginArray() } else { try writer.beginObject() }
    }

    func write(_ row: borrowing Row, _ plan: ExportPlan) throws {
        if isLines { try beginRoot() }
        if let key { try dictionaryKey(row[key], plan, key) }
        try record(row, plan, exporter.relationships.depth, Way(dictionaryKey: key == nil ? nil : plan.dictionaryKey))
        if isLines { for _ in root { try writer.endObject() } }
    }

    func finish() throws {
        if !isLines {
            if key == nil { try writer.endArray() } else { try writer.endObject() }
            for _ in root { try writer.endObject() }
        }
        try writer.finish()
    }

    private func beginRoot() throws {
        for key in root {
            try writer.beginObject()
            try writer.key(key)
        }
    }

    /// The plan of an entity. If a relationship leads to the top entity, that entity keeps its own mapping.
    private func plan(_ entity: Int) throws -> ExportPlan {
        if let plan = plans[entity] { return plan }
        let plan = try ExportPlan(entity, schema, exporter, top: top, isTable: false)
        plans[entity] = plan
        return plan
    }

    // MARK: Records

    /// - Parameter depth: How many levels of objects may be nested in the record.
    private func record(_ row: borrowing Row, _ plan: ExportPlan, _ depth: Int, _ way: Way) throws {
        if way.dictionaryKey == nil, let error = plan.needsDictionary { throw error }
        try checkDepth(plan)
        try writer.beginObject()
        if plan.asksForOthers {
            let level = open.count
            if copies.count == level { copies.append(RowCopy(schema.entities.map(\.attributes.count).max() ?? 0)) }
            let copy = copies[level]
            copy.writer.reset(count: plan.entity.attributes.count)
            for position in plan.entity.attributes.indices {
                try copy.writer.setCopy(of: row[position], at: position)
            }
            open.append((plan.position, StoredValue(row[plan.entity.keyPosition])))
            defer { open.removeLast() }
            try copy.writer.withRow { row in try members(plan.members, row, plan, depth, way) }
        } else {
            try members(plan.members, row, plan, depth, way)
        }
        try writer.endObject()
    }

    private func members(
        _ members: [ExportPlan.Member], _ row: borrowing Row, _ plan: ExportPlan, _ depth: Int, _ way: Way
    ) throws {
        for member in members {
            switch member.content {
            case .attribute(let position):
                guard way.dictionaryKey != position else { continue }
                try writer.key(member.key)
                try value(row[position], plan, position)
            case .object(let inner):
                try writer.key(member.key)
                try writer.beginObject()
                try self.members(inner, row, plan, depth, way)
                try writer.endObject()
            case .reference(let reference):
                guard way.attribute != reference.attribute else { continue }
                try writer.key(member.key)
                try self.reference(row, reference, plan, depth)
            case .relationship(let relationship):
                guard depth > 0 || exporter.relationships == .lists, !way.relationships.contains(relationship.index)
                else { continue }
                try writer.key(member.key)
                try list(relationship, of: StoredValue(row[plan.entity.keyPosition]), depth)
            }
        }
    }

    private func reference(
        _ row: borrowing Row, _ reference: ExportedReference, _ plan: ExportPlan, _ depth: Int
    ) throws {
        let cell = row[reference.attribute]
        guard !cell.isNull else { return try writer.null() }
        if depth > 0, !reference.isConnection,
            try object(reference.related, StoredValue(cell), depth - 1, Way(relationships: reference.leadsBack))
        {
            return
        }
        guard !reference.naming.isEmpty else { return try value(cell, plan, reference.attribute) }
        if try !name(reference.related, StoredValue(cell), reference.naming) { try writer.null() }
    }

    private func list(_ relationship: ExportedRelationship, of owner: StoredValue, _ depth: Int) throws {
        let links = relationship.links
        let depth = relationship.isConnection ? 0 : depth
        let related = try plan(links.related)
        let keyPosition = related.entity.keyPosition
        var request = FetchRequest(
            entity: links.source, condition: .compare(position: links.owner, .equal, owner))
        request.order = links.place.map { [FetchRequest.OrderTerm(position: $0, isDescending: false)] } ?? []
        var way = Way(attribute: relationship.leadsBackBy, relationships: relationship.leadsBack)
        let dictionaryKey = relationship.dictionaryKey
        try checkDepth(related)
        if dictionaryKey == nil {
            try writer.beginArray()
        } else {
            way.dictionaryKey = related.dictionaryKey
            try writer.beginObject()
        }
        let cursor = try context.rows(request)
        while let row = try cursor.next() {
            if let dictionaryKey {
                try member(row, of: relationship, related, under: dictionaryKey, depth, way)
                continue
            }
            if depth > 0 {
                let key = StoredValue(row[links.member])
                if !links.isManyToMany, !isOpen(links.related, key) {
                    nested += 1
                    try record(row, related, depth - 1, way)
                    continue
                }
                if links.isManyToMany, try object(links.related, key, depth - 1, way) { continue }
                // A record within itself is written only as its name.
            }
            if relationship.naming.isEmpty {
                try value(row[links.member], related, keyPosition)
            } else if !links.isManyToMany {
                try names(row, related, relationship.naming)
            } else {
                _ = try name(links.related, StoredValue(row[links.member]), relationship.naming)
            }
        }
        if dictionaryKey == nil { try writer.endArray() } else { try writer.endObject() }
    }

    /// Writes a related record as a member of a dictionary.
    ///
    /// - Parameter row: The record, or the link to it.
    private func member(
        _ row: borrowing Row, of relationship: ExportedRelationship, _ related: ExportPlan, under position: Int,
        _ depth: Int, _ way: Way
    ) throws {
        let links = relationship.links
        guard links.isManyToMany else {
            return try member(row, relationship.naming, related, under: position, depth, way)
        }
        let isThere = try withRow(of: related, StoredValue(row[links.member])) { row in
            try member(row, relationship.naming, related, under: position, depth, way)
        }
        // If the related record does not exist, only its key can be written.
        guard !isThere, position == related.entity.keyPosition, relationship.naming.isEmpty else { return }
        try dictionaryKey(row[links.member], related, position)
        try value(row[links.member], related, position)
    }

    private func member(
        _ row: borrowing Row, _ naming: [Int], _ related: ExportPlan, under position: Int, _ depth: Int, _ way: Way
    ) throws {
        try dictionaryKey(row[position], related, position)
        let keyPosition = related.entity.keyPosition
        if !isOpen(related.position, StoredValue(row[keyPosition])) {
            nested += 1
            try record(row, related, depth - 1, way)
        } else if naming.isEmpty {
            try value(row[keyPosition], related, keyPosition)
        } else {
            try names(row, related, naming)
        }
    }

    /// Throws if an object or array would be nested deeper than an import reads, or deeper than the stack of the thread
    /// allows.
    private func checkDepth(_ plan: ExportPlan) throws {
        let isTooDeep = writer.depth >= ImportRun.maximumDepth
        guard isTooDeep || stack.isNearlyFull() else { return }
        let limit = isTooDeep ? "\(ImportRun.maximumDepth) levels" : "the stack of this thread holds"
        throw GranaryError(
            .limit, "Records are nested deeper than \(limit). Export them with a smaller depth, or as keys or lists.",
            entity: plan.entity.name)
    }

    private func isOpen(_ entity: Int, _ key: StoredValue) -> Bool {
        open.contains { $0.entity == entity && $0.key == key }
    }

    /// Writes a related record as an object. Returns false, and writes nothing, if the record is already being written
    /// or does not exist.
    private func object(_ entity: Int, _ key: StoredValue, _ depth: Int, _ way: Way) throws -> Bool {
        guard !isOpen(entity, key) else { return false }
        let plan = try plan(entity)
        return try withRow(of: plan, key) { row in
            nested += 1
            try record(row, plan, depth, way)
        }
    }

    /// Writes the attributes by which a mapping names a related record. Returns false if the record does not exist.
    private func name(_ entity: Int, _ key: StoredValue, _ naming: [Int]) throws -> Bool {
        let plan = try plan(entity)
        return try withRow(of: plan, key) { row in try names(row, plan, naming) }
    }

    private func names(_ row: borrowing Row, _ plan: ExportPlan, _ naming: [Int]) throws {
        for position in naming where row[position].isNull {
            let name = plan.entity.attributes[position].name
            throw GranaryError(
                .required,
                "A record is named by its \(name), which is nil. Give it one, or name records by their key.",
                entity: plan.entity.name, attributes: [name])
        }
        if naming.count == 1 { return try value(row[naming[0]], plan, naming[0]) }
        try writer.beginObject()
        for position in naming {
            try writer.key(plan.entity.attributes[position].name)
            try value(row[position], plan, position)
        }
        try writer.endObject()
    }

    private func withRow(
        of plan: ExportPlan, _ key: StoredValue, _ body: (borrowing Row) throws -> Void
    ) throws -> Bool {
        let request = FetchRequest(
            entity: plan.position, condition: .compare(position: plan.entity.keyPosition, .equal, key), limit: 1)
        let cursor = try context.rows(request)
        return try withExtendedLifetime(cursor) {
            guard let row = try cursor.next() else { return false }
            try body(row)
            return true
        }
    }

    // MARK: Values

    private func dictionaryKey(_ cell: Cell, _ plan: ExportPlan, _ position: Int) throws {
        let values = plan.writers[position]
        do {
            try writer.key(try values.dictionaryKey(of: cell))
        } catch {
            throw GranaryError.wrapping(error, plan.entity).about(plan.entity.name, values.attribute.name)
        }
    }

    private func value(_ cell: Cell, _ plan: ExportPlan, _ position: Int) throws {
        let values = plan.writers[position]
        do {
            if let transform = values.transform {
                return try value(try transform(try values.value(of: cell).imported))
            }
            switch try values.value(of: cell) {
            case .null: try writer.null()
            case .bool(let value): try writer.bool(value)
            case .integer(let value): try writer.integer(value)
            case .real(let value): try writer.double(value)
            case .number(let text): try writer.number(text)
            case .string(let text): try writer.string(text)
            case .text(let utf8): try writer.string(utf8: utf8)
            case .json(let utf8):
                let options = JSONOptions(duplicateKeys: .last, maximumTextLength: .max)
                var reader = try JSONReader(.bytes([UInt8](utf8)), options)
                _ = try reader.nextDocument()
                try writer.value(from: &reader)
            }
        } catch {
            throw GranaryError.wrapping(error, plan.entity).about(plan.entity.name, values.attribute.name)
        }
    }

    /// A value made by a transformer.
    private func value(_ value: ImportValue) throws {
        switch value {
        case .null: try writer.null()
        case .bool(let value): try writer.bool(value)
        case .integer(let value): try writer.integer(value)
        case .double(let value): try writer.double(value)
        case .decimal(let text): try writer.number(text)
        case .string(let text): try writer.string(text)
        case .data(let data): try writer.string(data.base64EncodedString())
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            if let text = DateText.text(seconds) {
                try writer.string(text)
            } else {
                try writer.double(DateText.secondsSince1970(seconds))
            }
        case .array(let elements):
            try writer.beginArray()
            for element in elements { try self.value(element) }
            try writer.endArray()
        case .object(let object):
            try writer.beginObject()
            for member in object.members {
                try writer.key(member.key)
                try self.value(member.value)
            }
            try writer.endObject()
        }
    }
}

extension Exporter {
    /// The keys of the objects around the array.
    fileprivate var rootKeys: [String] {
        get throws {
            guard let root else { return [] }
            guard let keys = ImportPath(root).plainKeys else {
                throw GranaryError(
                    .unsupported,
                    "The exporter's root \(root) is not a path of keys. Use keys alone, as in data.artists.")
            }
            return keys
        }
    }
}
