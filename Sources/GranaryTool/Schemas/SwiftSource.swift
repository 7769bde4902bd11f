import GranaryCore

/// The record types of a schema as Swift source. The source compiles with `import Granary` and gives that schema.
///
/// `@Record` cannot express three things that a store may have; they are comments in the source: an index over several
/// attributes that ignores case, a default without a literal, and many-to-many links that a program keeps itself.
struct SwiftSource {
    private let schema: Schema
    /// The link entities that are made by the relationships of their owners.
    private let links: Set<String>

    init(_ schema: Schema) {
        self.schema = schema
        links = Set(
            schema.entities.filter { entity in
                guard let link = entity.linkedRelationship else { return false }
                let owner = schema.entities.first { $0.name == link.owner }
                return owner?.relationships.contains { $0.name == link.name && $0.entity == entity.name } ?? false
            }.map(\.name))
    }

    var text: String {
        let records = schema.entities.filter { !links.contains($0.name) }
        var parts = ["import Foundation\nimport Granary\n"]
        parts += records.map(record)
        if records.contains(where: { $0.attributes.contains { $0.type == .json } }) {
            parts.append(SwiftSource.anyJSON)
        }
        return parts.joined(separator: "\n")
    }

    private func record(_ entity: Entity) -> String {
        var lines: [String] = []
        let several = entity.indexes.filter { $0.attributes.count > 1 }
        let lists = several.filter(\.folding.isEmpty)
        var arguments: [String] = []
        let type = SwiftName.type(entity.name)
        if type != entity.name { arguments.append("\"\(entity.name)\"") }
        for (label, isUnique) in [("indexes", false), ("unique", true)] {
            let lists = lists.filter { $0.isUnique == isUnique }.map { index in
                "[" + index.attributes.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
            }
            if !lists.isEmpty { arguments.append("\(label): [\(lists.joined(separator: ", "))]") }
        }
        if entity.words.tokenizer == nil, let language = entity.words.stopWords {
            arguments.append("words: WordRules(stopWords: .\(language))")
        }
        lines.append("@Record" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"))
        lines.append("struct \(type) {")
        if entity.words.tokenizer != nil { lines.append("    // Not written here: words by \(entity.words).") }
        for index in several where !index.folding.isEmpty { lines.append("    // Not written here: the \(index).") }
        lines += entity.attributes.flatMap { property($0, of: entity) }.map { "    \($0)" }
        if !entity.relationships.isEmpty { lines.append("") }
        lines += entity.relationships.map { "    \(relationship($0))" }
        return (lines + ["}", ""]).joined(separator: "\n")
    }

    private func property(_ attribute: Attribute, of entity: Entity) -> [String] {
        var marks: [String] = []
        if attribute.name == entity.key { marks.append(entity.keyGeneration == .assigned ? "@Key(.assigned)" : "@Key") }
        if attribute.name == entity.version { marks.append("@Version") }
        for index in entity.indexes where index.attributes == [attribute.name] && !isAutomatic(index, attribute, entity)
        {
            let folding = [
                index.folding.contains(.caseInsensitive) ? ".caseInsensitive" : nil,
                index.folding.contains(.diacriticInsensitive) ? ".diacriticInsensitive" : nil,
            ].compactMap(\.self)
            marks.append(
                (index.isUnique ? "@Unique" : "@Index")
                    + (folding.isEmpty ? "" : "(\(folding.joined(separator: ", ")))"))
        }
        if let reference = attribute.reference, reference.onDelete != (attribute.isOptional ? .nullify : .deny) {
            marks.append(
                "@Reference(onDelete: .\(reference.onDelete == .noAction ? "noAction" : reference.onDelete.rawValue))")
        }
        if let weight = attribute.searchWeight {
            let group = attribute.searchGroup.map { "\"\($0)\"" }
            let arguments = [group, weight == 1 ? nil : "weight: \(weight)"].compactMap(\.self)
            marks.append("@Searchable" + (arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"))
        }
        switch attribute.type {
        case .json: marks.append("@Attribute(.json)")
        case .data where attribute.isExternal:
            let size = attribute.leastExternalSize
            marks.append("@Attribute(.external\(size == Attribute.externalSize ? "" : "(from: \(size))"))")
        case .scaledDecimal(let places): marks.append("@Attribute(.scaled(\(places)))")
        default: break
        }
        let type = attribute.reference.map { "Ref<\(SwiftName.type($0.entity))>" } ?? attribute.type.swiftName
        var line = (marks + ["var \(SwiftName.member(attribute.name)): \(type)"]).joined(separator: " ")
        if attribute.isOptional { line += "?" }
        if attribute.name == entity.key, entity.keyGeneration == .assigned { return [line + " = 0"] }
        guard let value = attribute.defaultValue, value != .null else { return [line] }
        if let literal = attribute.literal(value) { return ["\(line) = \(literal)"] }
        return ["// Not written here: the default of \(attribute.name).", line]
    }

    /// Whether the schema adds the index by itself: a reference gets an index if no other index begins with it.
    private func isAutomatic(_ index: Index, _ attribute: Attribute, _ entity: Entity) -> Bool {
        guard attribute.reference != nil, !index.isUnique, index.folding.isEmpty else { return false }
        return !entity.indexes.contains { $0 != index && $0.attributes.first == attribute.name && $0.folding.isEmpty }
    }

    private func relationship(_ relationship: Relationship) -> String {
        let start = "static let \(SwiftName.member(relationship.name)) = "
        guard relationship.through != nil else {
            let path = "\\\(SwiftName.type(relationship.entity)).Fields.\(SwiftName.member(relationship.attribute))"
            let order = relationship.orderedBy.map { ", orderedBy: \\.\(SwiftName.member($0))" } ?? ""
            return start + "ToMany(\(path)\(order))"
        }
        guard links.contains(relationship.entity),
            let entity = schema.entities.first(where: { $0.name == relationship.entity }),
            let link = entity.linkedRelationship
        else {
            return
                "// Not written here: \(relationship.name), whose links \(relationship.entity) are kept by the program."
        }
        guard relationship.attribute == Relationship.source else {
            return start + "ManyToMany(\\\(SwiftName.type(link.owner)).Fields.\(SwiftName.member(link.name)))"
        }
        func reference(_ name: String) -> Attribute.Reference? {
            entity.attributes.first { $0.name == name }?.reference
        }
        var arguments = ["\(SwiftName.type(reference(Relationship.target)?.entity ?? "")).self"]
        if relationship.orderedBy != nil { arguments.append("ordered: true") }
        if reference(Relationship.source)?.onDelete == .deny { arguments.append("onDelete: .deny") }
        return start + "ManyToMany(\(arguments.joined(separator: ", ")))"
    }

    private static let anyJSON = """
        /// Any JSON. Replace it by the intended type.
        enum AnyJSON: Codable, Hashable, Sendable {
            case null, bool(Bool), number(Double), string(String), array([AnyJSON]), object([String: AnyJSON])

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if value.decodeNil() {
                    self = .null
                } else if let bool = try? value.decode(Bool.self) {
                    self = .bool(bool)
                } else if let number = try? value.decode(Double.self) {
                    self = .number(number)
                } else if let string = try? value.decode(String.self) {
                    self = .string(string)
                } else if let array = try? value.decode([AnyJSON].self) {
                    self = .array(array)
                } else {
                    self = .object(try value.decode([String: AnyJSON].self))
                }
            }

            func encode(to encoder: any Encoder) throws {
                var value = encoder.singleValueContainer()
                switch self {
                case .null: try value.encodeNil()
                case .bool(let bool): try value.encode(bool)
                case .number(let number): try value.encode(number)
                case .string(let string): try value.encode(string)
                case .array(let array): try value.encode(array)
                case .object(let object): try value.encode(object)
                }
            }
        }

        """
}
