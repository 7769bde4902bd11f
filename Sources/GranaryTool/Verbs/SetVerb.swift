import ArgumentParser
import GranaryCore

struct SetVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "set", abstract: "Change attributes of the record with a key, or insert a record.",
            discussion: """
                Prints the record as it is then. A date is a day and a time, 2024-05-01T12:30:00Z; data is base64; a reference is \
                the key of the record that it names. The tool of an app refuses what the app's record types refuse, such as a \
                value that an enum does not have. Exit code 1 if the record does not exist, 65 if a rule of the schema \
                refuses it; nothing is changed then.

                \(example(
                    "set Music.granary Artist 100 name='Jimi Hendrix' rating=4.7",
                    "set Music.granary Artist 100 --unset rating",
                    "set Music.granary Song 0 title=Fire artist=100 --insert"))
                """)
    }

    @OptionGroup var record: RecordArguments

    @Argument(help: "Attributes and their values: name=value.")
    var values: [String] = []

    @Option(help: "An attribute that becomes nil; may be repeated.")
    var unset: [String] = []

    @Flag(help: "Insert a new record. The key 0 has the store assign one, where the entity's keys are assigned.")
    var insert = false

    @Flag(help: "Print long values, too, in place of their sizes.")
    var full = false

    @OptionGroup var options: FormatOptions

    func validate() throws {
        for value in values where !value.contains("=") {
            throw ValidationError("\"\(value)\" is not of the form name=value.")
        }
        if values.isEmpty && unset.isEmpty && !insert {
            throw ValidationError("Nothing is to be set. Give name=value, --unset or --insert.")
        }
    }

    func perform(_ output: Output) async throws {
        let (values, unset, insert) = (values, unset, insert)
        try await record.store.withRecordTypes(.readWrite) { [record, isJSON, full] stack in
            let (entity, key) = try record.resolve(in: stack.schema)
            let missing = record.missing(entity)
            let types = RecordTypeCheck(stack.schema)
            let stored = try await stack.write(as: "granary") { tx in
                var changed = DynamicRecord(entity)
                if insert {
                    try changed.set(entity.key, toStored: key)
                } else {
                    guard let found = try tx.find(entity.name, key) else { throw missing }
                    changed = found
                }
                for value in values {
                    let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                    let attribute = entity.attributes[try entity.position(ofAttribute: String(parts[0]))]
                    try changed.set(attribute.name, toStored: attribute.value(fromText: String(parts[1]), in: entity))
                }
                for name in unset { try changed.set(name, toStored: .null) }
                guard changed.key == key else {
                    throw GranaryError(
                        .typeMismatch,
                        "The key of a record does not change. Insert a record with the new key, and delete the old one.",
                        entity: entity.name, attributes: [entity.key])
                }
                try types?.require(changed)
                if insert { return try tx.insert(changed) }
                try tx.update(changed)
                // A version attribute has counted this change.
                return try tx.find(entity.name, key) ?? changed
            }
            try stored.write(output, asJSON: isJSON, isFull: full)
        }
    }
}
