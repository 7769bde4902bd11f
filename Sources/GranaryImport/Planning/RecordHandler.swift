import GranaryCore

/// The part of an entity's record type in an import: hooks, validation, and its own form of values.
protocol RecordHandler: AnyObject, Sendable {
    /// The type's own mapping.
    var mapping: ImportMapping? { get }
    /// Whether the type has hooks, which need the object.
    var hasHooks: Bool { get }

    func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue?

    /// Whether the type may change or refuse rows. If not, they need not become records to be written.
    ///
    /// - Parameter row: Any row of the import.
    func isNeeded(for row: borrowing Row) -> Bool

    /// Makes the record of a row, lets its type change and validate it, and encodes it with the type's own code.
    ///
    /// - Throws: `DecodingFailure` if a value of the row does not fit its attribute; the errors of the type's code.
    func finish(
        _ row: borrowing Row, _ value: ImportValue?, _ place: ImportPlace, into writer: inout RowWriter) throws
}

final class TypedHandler<R: Record>: RecordHandler {
    private let mapped = R.self as? any ImportMapped.Type
    private let importable = R.self as? any Importable.Type

    init(_ type: R.Type) {}

    var mapping: ImportMapping? { mapped?.importMapping }
    var hasHooks: Bool { importable != nil }

    func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? {
        guard let importable else { return value }
        return try importable.willImport(value, place)
    }

    func isNeeded(for row: borrowing Row) -> Bool {
        guard importable == nil, R.keepsValues, R.entity.attributes.allSatisfy(\.isPlain), let record = try? R(row: row)
        else { return true }
        // If the rules throw, the type has rules.
        return (try? DefaultRules.validate(record)) ?? true
    }

    func finish(
        _ row: borrowing Row, _ value: ImportValue?, _ place: ImportPlace, into writer: inout RowWriter
    ) throws {
        var record = try R(row: row)
        if let value, var hooked = record as? any Importable {
            try hooked.didImport(value, place)
            if let changed = hooked as? R { record = changed }
        }
        try record.validate()
        try record.encode(into: &writer)
    }
}

extension Schema {
    /// The handler of an entity that has a record type.
    func handler(of entity: String) -> (any RecordHandler)? {
        func handler<R: Record>(_ type: R.Type) -> any RecordHandler { TypedHandler(type) }
        return recordTypes.first { $0.entityName.hasSameBytes(as: entity) }.map { handler($0) }
    }

    /// The mapping of an entity's type, if there is one, overridden by `mappings`.
    func importMapping(of entity: String, over mappings: ImportMapping?...) -> ImportMapping {
        mappings.reduce(handler(of: entity)?.mapping ?? ImportMapping()) { $0.overridden(by: $1) }
    }
}
