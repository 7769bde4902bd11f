import ArgumentParser
import GranaryCore
import GranaryStoreKit

struct DeleteVerb: FormattedVerb {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "delete", abstract: "Delete the record with a key, following the delete rules.",
            discussion: """
                Records that refer to it are deleted, too, or lose the reference, or deny the deletion, as the schema says. Asks \
                before, and says how many others would be deleted. Exit code 1 if the record does not exist, 65 if its deletion is denied.

                \(example("delete Music.granary Artist 100", "delete Music.granary Artist 100 --yes"))
                """)
    }

    @OptionGroup var record: RecordArguments
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var options: FormatOptions

    func perform(_ output: Output) async throws {
        // Searched before the question: there is no question about a record that does not exist.
        let going = try await record.store.withStack { [record] stack in
            let (entity, key) = try record.resolve(in: stack.schema)
            return try await stack.read { snapshot -> [GoingRecords] in
                guard try snapshot.find(entity.name, key) != nil else { throw record.missing(entity) }
                return try snapshot.recordsGoing(with: key, of: entity)
            }
        }
        let others = going.map { "\($0.count) \($0.entity)" }.joined(separator: ", ")
        try confirmation.ask(
            "Delete \(record.entity) \(record.key) of \(record.store)\(others.isEmpty ? "" : ", and with it \(others)")?"
        )
        try await record.store.withStack(.readWrite) { [record, isJSON] stack in
            let (entity, key) = try record.resolve(in: stack.schema)
            let gone = try await stack.write(as: "granary") { tx -> [GoingRecords] in
                // Computed again: the store may have changed since the question.
                let gone = try tx.recordsGoing(with: key, of: entity)
                guard try tx.delete(entity.name, key) else { throw record.missing(entity) }
                return gone
            }
            if isJSON {
                let counts = JSONText.object(gone.map { ($0.entity, .count($0.count)) })
                try output.json(.object([("deleted", .bool(true)), ("withIt", counts)]))
            } else {
                for records in gone { output.line("deleted with it: \(records.count) \(records.entity)") }
            }
        }
    }
}

/// Records of an entity that are deleted together with another record, because they refer to it.
private struct GoingRecords: Sendable {
    let entity: String
    let count: Int
}

extension ReadContext {
    /// The records that a deletion of `key` would delete too, in the order of the schema. Links do not count as
    /// records.
    fileprivate func recordsGoing(with key: StoredValue, of entity: Entity) throws -> [GoingRecords] {
        let first = RecordChange.Place(entity: try schema.position(ofEntity: entity.name), key: key)
        var gone: Set<RecordChange.Place> = [first]
        try EntityRules.all(of: schema).followCascades(from: [first]) { request, _ in
            let keyPosition = schema.entities[request.entity].keyPosition
            var joining: [RecordChange.Place] = []
            let rows = try rows(request)
            while let row = try rows.next() {
                let place = RecordChange.Place(entity: request.entity, key: StoredValue(row[keyPosition]))
                if gone.insert(place).inserted { joining.append(place) }
            }
            return joining
        }
        return schema.entities.enumerated().compactMap { number, entity in
            let count = gone.count { $0.entity == number && $0 != first }
            return count == 0 || entity.linkedRelationship != nil
                ? nil : GoingRecords(entity: entity.name, count: count)
        }
    }
}
