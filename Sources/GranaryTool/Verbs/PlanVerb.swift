import ArgumentParser
import GranaryCore

struct PlanVerb: ToolVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "plan", abstract: "Say what would change if a store were migrated to another schema.",
            discussion: """
                Touches nothing. Each change is instant (no record is written), rewriting (each record of the entity is read and \
                perhaps written) or lossy (values may be lost), with the number of the entity's records. With --check the exit \
                code is 1 if anything differs: for a build that must not ship a schema that stores do not have.

                \(example("plan Music.granary schema.json", "plan Music.granary New.granary --json", "plan schema.json Music.granary --check"))
                """)
    }

    @Argument(help: "A store, or a schema's JSON file.")
    var source: SchemaArgument

    @Argument(
        help:
            "The other schema: a store, or a schema's JSON file. The records of the app that embeds the tool without it."
    )
    var target: SchemaArgument?

    @Flag(help: "Exit with code 1 if anything differs.")
    var check = false

    @OptionGroup var options: FormatOptions

    var isJSON: Bool { options.json }

    func perform(_ output: Output) async throws {
        let wanted = try await SchemaArgument.schema(target, named: "the other schema")
        let stored = try await source.schema()
        let difference = SchemaDifference(from: stored, to: wanted)
        let counts = try await counts(difference, stored)
        if isJSON {
            let changes = difference.changes.map { change -> JSONText in
                guard case .object(let members) = change.json else { return .null }
                return .object(members + [("records", counts[change.entity].map { .count($0) } ?? .null)])
            }
            output.json(
                .object([("cost", .text(difference.cost?.rawValue)), ("changes", .array(changes))]))
        } else if difference.isEmpty {
            output.line("Nothing differs.")
        } else {
            for change in difference.changes {
                let records = counts[change.entity].map { ", \($0) records" } ?? ""
                output.line("\(change) (\(change.cost.rawValue)\(records))")
            }
        }
        if check && !difference.isEmpty { throw ToolExit.negative }
    }

    /// How many records the entities have that are there; none of a file.
    private func counts(_ difference: SchemaDifference, _ stored: Schema) async throws -> [String: Int] {
        let names = Set(difference.changes.map(\.entity)).intersection(stored.entities.map(\.name))
        guard !source.isFile, !names.isEmpty else { return [:] }
        return try await source.store.withStack { stack in
            try await stack.read { snapshot in
                try Dictionary(uniqueKeysWithValues: names.map { ($0, try snapshot.count(DynamicQuery($0))) })
            }
        }
    }
}
