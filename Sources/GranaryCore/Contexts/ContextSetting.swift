import GranaryPlatform

/// What a read or a write knows of its stack: in one object, because each read takes a reference to it. A stack has several
/// equal ones, so that threads do not count references to the same object.
final class ContextSetting: Sendable {
    let schema: Schema
    let types: RecordTypes
    private let end = CacheLines()

    init(_ schema: Schema, _ types: RecordTypes) { (self.schema, self.types) = (schema, types) }

    /// The position of a record type's entity in the schema.
    func position<R: Record>(of type: R.Type) throws -> Int { try types.position(of: type, in: schema) }
}
