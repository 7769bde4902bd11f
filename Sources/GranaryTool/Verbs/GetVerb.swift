import ArgumentParser
import GranaryCore

struct GetVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "get", abstract: "Print the record with a key.",
            discussion: "Exit code 1 if it does not exist.\n\n"
                + example("get Music.granary Artist 100", "get Music.granary Artist 100 --json"))
    }

    @OptionGroup var record: RecordArguments
    @Flag(help: "Print long values, too, in place of their sizes.")
    var full = false

    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        try await record.store.withStack { [record, isJSON, full] stack in
            let (entity, key) = try record.resolve(in: stack.schema)
            guard let found = try await stack.read({ try $0.find(entity.name, key) }) else {
                throw record.missing(entity)
            }
            try found.write(output, asJSON: isJSON, isFull: full)
        }
    }
}
