import ConformanceKit
import GranaryCore

extension Program {
    /// The program as Swift, to be put into a test.
    package var swift: String {
        var lines: [String] = []
        var depth = 0
        func add(_ line: String) { lines.append(String(repeating: "    ", count: depth) + line) }
        func open(_ line: String) {
            add(line)
            depth += 1
        }
        func close() {
            depth -= 1
            add("}")
        }
        for step in steps {
            if depth == 0 { open("try? stack.blocking.write { tx in") }
            switch step {
            case .commit, .rollback:
                while depth > 1 { close() }
                if case .rollback = step { add("throw CancellationError()") }
                close()
            case .beginSavepoint: open("try? tx.savepoint {")
            case .releaseSavepoint: if depth > 1 { close() }
            case .rollbackSavepoint:
                if depth > 1 {
                    add("throw CancellationError()")
                    close()
                }
            default: add(Program.swift(step))
            }
        }
        while depth > 0 { close() }
        return lines.joined(separator: "\n")
    }

    private static func swift(_ step: Step) -> String {
        switch step {
        case .insert(let entity, let row): "_ = try? tx.insert(\(record(entity, row)))"
        case .insertMany(let entity, let rows):
            "_ = try? tx.insert([\(rows.map { record(entity, $0) }.joined(separator: ", "))])"
        case .update(let entity, let row): "try? tx.update(\(record(entity, row)))"
        case .upsert(let entity, let row): "_ = try? tx.upsert(\(record(entity, row)))"
        case .delete(let entity, let key): "_ = try? tx.delete(\(name(entity)).self, \(keyLiteral(key)))"
        case .updateAll(let query, let values):
            "_ = try? \(swift(query)).updateAll(in: tx) { "
                + values.map { "$0.set(\\.\($0.name), to: \(literal($0.value, query.entity, $0.name)))" }
                .joined(separator: "; ") + " }"
        case .addAll(let query, let name, let amount):
            "_ = try? \(swift(query)).updateAll(in: tx) { $0.add(\\.\(name), \(literal(amount, query.entity, name))) }"
        case .deleteAll(let query): "_ = try? \(swift(query)).deleteAll(in: tx)"
        case .find(let entity, let key): "_ = try tx.find(\(name(entity)).self, \(keyLiteral(key)))"
        case .fetch(let query): "_ = try tx.fetch(\(swift(query)))"
        case .count(let query): "_ = try tx.count(\(swift(query)))"
        case .beginSavepoint, .releaseSavepoint, .rollbackSavepoint, .commit, .rollback: ""
        }
    }

    private static func name(_ entity: Int) -> String { schema.entities[entity].name }

    private static func record(_ entity: Int, _ row: [StoredValue]) -> String {
        let values = zip(schema.entities[entity].attributes, row).compactMap { attribute, value in
            value == .null ? nil : "\(attribute.name): \(literal(value, entity, attribute.name))"
        }
        return "\(name(entity))(\(values.joined(separator: ", ")))"
    }

    private static func swift(_ query: ProgramQuery) -> String {
        var text =
            "\(name(query.entity))" + (query.condition.map { ".where { \(swift($0.root, query.entity)) }" } ?? ".all")
        for term in query.order {
            text += ".sorted(by: \\.\(term.expression.text)\(term.direction == .descending ? ", .descending" : ""))"
        }
        if let limit = query.limit { text += ".limit(\(limit))" }
        if query.offset > 0 { text += ".offset(\(query.offset))" }
        return text
    }

    private static func swift(_ node: AnyCondition.Node, _ entity: Int) -> String {
        func group(_ nodes: [AnyCondition.Node], _ separator: String) -> String {
            "(" + nodes.map { swift($0, entity) }.joined(separator: separator) + ")"
        }
        return switch node {
        case .always(let value): value ? ".always" : ".never"
        case .compare(let attribute, let comparison, let value):
            "$0.\(attribute) \(comparison.rawValue) \(literal(value, entity, attribute))"
        case .among(let attribute, let values):
            "$0.\(attribute).in([\(values.map { literal($0, entity, attribute) }.joined(separator: ", "))])"
        case .all(let nodes): group(nodes, " && ")
        case .any(let nodes): group(nodes, " || ")
        case .not(let inner): "!(\(swift(inner, entity)))"
        case .relation, .listed, .text, .exists, .amongRows, .search, .invalid: "<\(node)>"
        }
    }

    private static func literal(_ value: StoredValue, _ entity: Int, _ name: String) -> String {
        guard value != .null, let attribute = schema.entities[entity].attributes.first(where: { $0.name == name })
        else { return "nil" }
        if attribute.reference != nil { return "Ref(\(keyLiteral(value)))" }
        if attribute.type == .bool { return value == .integer(1) ? "true" : "false" }
        return keyLiteral(value)
    }

    private static func keyLiteral(_ value: StoredValue) -> String {
        switch value {
        case .null: "nil"
        case .integer(let value): "\(value)"
        case .real(let value): value.isInfinite ? (value < 0 ? "-.infinity" : ".infinity") : "\(value)"
        case .text(let utf8): String(decoding: utf8, as: UTF8.self).debugDescription
        case .bytes(let bytes): "\(bytes)"
        }
    }
}
