import ArgumentParser
import GranaryCore

struct DeleteVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete", abstract: "Delete the record with a key, following the delete rules.",
            discussion: """
                Records that refer to it are deleted, too, or lose the reference, or deny the deletion, as the schema says. Asks \
                before. Exit code 1 if the record does not exist, 65 if its deletion is denied.

                \(example("delete Music.granary Artist 100", "delete Music.granary Artist 100 --yes"))
                """)
    }

    @OptionGroup var record: RecordArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        // Looked for before it is asked: a record that does not exist is not asked about.
        try await record.store.withStack { [record] stack in
            let (entity, key) = try record.resolve(in: stack.schema)
            guard try await stack.read({ try $0.find(entity.name, key: key) }) != nil else {
                throw record.missing(entity)
            }
        }
        try confirmation.ask("Delete \(record.entity) \(record.key) of \(record.store)?")
        try await record.store.withStack(.readWrite) { [record, isJSON] stack in
            let (entity, key) = try record.resolve(in: stack.schema)
            guard try await stack.write(as: "granary", { try $0.delete(entity.name, key: key) }) else {
                throw record.missing(entity)
            }
            if isJSON { try output.json(.object([("deleted", .bool(true))])) }
        }
    }
}
