import GranaryCore
import GranaryStoreKit

/// Checks records that the tool reads and writes by names against the record types of an app: an enum accepts only some
/// values, and a type may have rules.
struct RecordTypeCheck: Sendable {
    private let schema: Schema
    private static let mostFaults = 100

    /// Nil for a schema without record types.
    init?(_ schema: Schema) {
        guard !schema.recordTypes.isEmpty else { return nil }
        self.schema = schema
    }

    /// - Throws: `typeMismatch` for a value that the type of a property does not have, and the errors of the type's own
    ///   rules.
    func require(_ record: DynamicRecord) throws {
        guard let type = schema.recordTypes.first(where: { $0.entityName == record.entity.name }) else { return }
        try require(record, type)
    }

    private func require<R: Record>(_ record: DynamicRecord, _ type: R.Type) throws {
        do {
            try StoredRow(record.values).withRow { row in try R(row: row).validate() }
        } catch let failure as DecodingFailure {
            let entity = record.entity
            let attribute = entity.attributes[failure.position]
            var error = GranaryError(
                .typeMismatch,
                "The value is not one that \(entity.name).\(attribute.name) has in Swift, \(failure.type). Give it one of the values of that type.",
                entity: entity.name, attributes: [attribute.name]
            ).with(value: record.values[failure.position].textOfError(as: attribute.type))
            error.key = record.values[entity.positionOfKeyInErrors]
            throw error
        } catch var error as GranaryError {
            if error.key == nil { error.key = record.values[record.entity.positionOfKeyInErrors] }
            throw error
        }
    }

    /// The records that their types refuse: one line each, for the first 100 of an entity, and the number of the
    /// others.
    func faults(in snapshot: Snapshot) throws -> [String] {
        var lines: [String] = []
        for (number, entity) in schema.entities.enumerated() {
            var count = 0
            let rows = try snapshot.rows(FetchRequest(entity: number))
            while let row = try rows.next() {
                do {
                    try require(DynamicRecord(entity, row: row))
                } catch {
                    count += 1
                    guard count <= RecordTypeCheck.mostFaults else { continue }
                    lines.append(
                        (error as? GranaryError)?.descriptionWithData(atPlace: false) ?? "\(entity.name): \(error)")
                }
            }
            if count > RecordTypeCheck.mostFaults {
                lines.append("and \(count - RecordTypeCheck.mostFaults) more of \(entity.name)")
            }
        }
        return lines
    }
}
