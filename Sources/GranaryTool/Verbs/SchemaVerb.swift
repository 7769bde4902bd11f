import ArgumentParser
import Foundation
import GranaryCore

struct SchemaVerb: ToolVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "schema",
            abstract: "Print the schema of a store: as text, as JSON, or as record types in Swift.",
            discussion: """
                The JSON is what `plan`, `diff` and `migrate --to` take: keep it with the code, to compare stores with it. The \
                Swift source compiles with `import Granary`, and its schema is that of the store.

                \(example("schema Music.granary", "schema Music.granary --json > schema.json", "schema Music.granary --swift > Records.swift"))
                """)
    }

    enum Form: String, EnumerableFlag {
        case text, json, swift

        static func help(for form: Form) -> ArgumentHelp? {
            switch form {
            case .text: "A line an attribute (default)."
            case .json: "As JSON; an error, too."
            case .swift: "As record types in Swift."
            }
        }
    }

    @Argument(help: "A store, or a schema's JSON file. The records of the app that embeds the tool without it.")
    var source: SchemaArgument?

    @Flag var form = Form.text

    var isJSON: Bool { form == .json }
    var wait: Double? { nil }

    func perform(_ output: Output) async throws {
        let schema = try await SchemaArgument.schema(source, named: "what has the schema")
        switch form {
        case .text: output.line(schema.textWithRelationships)
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            output.line(String(decoding: try encoder.encode(schema), as: UTF8.self))
        case .swift: output.write(SwiftSource(schema).text)
        }
    }
}

extension Schema {
    /// One line for each entity, attribute, index and to-many relationship.
    fileprivate var textWithRelationships: String {
        entities.map { entity in
            ([entity.description] + entity.relationships.map { "    \(text(of: $0))" }).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// `songs: to-many Song.artist, ordered by place`, or `songs: many-to-many Song, ordered`.
    private func text(of relationship: Relationship) -> String {
        guard let through = relationship.through else {
            let order = relationship.orderedBy.map { ", ordered by \($0)" } ?? ""
            return "\(relationship.name): to-many \(relationship.entity).\(relationship.attribute)\(order)"
        }
        let links = entities.first { $0.name == relationship.entity }
        let target = links?.attributes.first { $0.name == through }?.reference?.entity ?? relationship.entity
        return "\(relationship.name): many-to-many \(target)\(relationship.orderedBy == nil ? "" : ", ordered")"
    }
}
