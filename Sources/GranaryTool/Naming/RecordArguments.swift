import ArgumentParser
import GranaryCore
import GranaryPlatform

/// A record on a command line: a store, an entity and a key.
struct RecordArguments: ParsableArguments {
    @Argument(help: "The store.")
    var store: StoreArgument

    @Argument(help: "The record's entity.")
    var entity: String

    @Argument(help: "The record's key. Write -- before a negative number.")
    var key: String

    /// - Throws: `unknownEntity`, `typeMismatch`.
    func resolve(in schema: Schema) throws -> (entity: Entity, key: StoredValue) {
        let entity = schema.entities[try schema.position(ofEntity: entity)]
        return (entity, try entity.attributes[entity.keyPosition].value(fromText: key, in: entity))
    }

    /// The error for a record that does not exist. It names the key as it was typed.
    func missing(_ entity: Entity) -> GranaryError {
        var error = GranaryError(
            .recordNotFound, "\(entity.name) has no record with this key. Check the key.", entity: entity.name)
        error.knownKey = GivenKey(text: key)
        return error
    }
}

/// A key as it was typed on the command line. An error shows it, whatever its type is.
struct GivenKey: KeyOfError {
    let text: String

    var textOfError: String? { text.inOneLine }
    var textOfData: String? { textOfError }
}

extension DynamicRecord {
    /// Prints the record: one line per attribute, or a JSON object.
    ///
    /// - Parameter isFull: Whether long values are printed completely, instead of their sizes. JSON always has them.
    func write(_ output: Output, asJSON: Bool, isFull: Bool) throws {
        var facts = Facts()
        for (attribute, value) in zip(entity.attributes, values) {
            let text = value.shown(as: attribute.type, isFull: isFull)
            facts.add(attribute.name, text ?? "nil", (attribute.name, value.json(as: attribute.type)))
        }
        try facts.write(output, asJSON: asJSON)
    }
}
