import Foundation
public import GranaryCore
public import GranaryImport
import GranaryMemory

/// Imports a document into a new store in memory, and compares all records of a type with those that are expected.
///
/// ```swift
/// try await expectImport(
///     ImportValue(json: #"[{"id": 1, "name": "Nina Simone"}]"#), as: Artist.self, in: Schema(Artist.self, Song.self),
///     gives: [Artist(id: 1, name: "Nina Simone")])
/// ```
///
/// Records are compared by key, attribute by attribute, in their stored form, in any order. So a type needs no `==`, and
/// two decimals with equal values are equal.
///
/// - Parameters:
///   - source: The document: an `ImportValue`, a file, or any other source of an import.
///   - type: The type of the records.
///   - schema: The types that the import writes.
///   - importer: How objects become records.
///   - records: The expected records, with their keys.
///   - prepare: Writes what the store has before the import.
/// - Returns: The report of the import.
/// - Throws: ``ExpectationFailure`` with each difference: `Artist 1, name: expected "Nina", found "Nina Simone"`; also
///   for problems that the import reports. What opening, `prepare` and the import throw.
@discardableResult public func expectImport<R: Record>(
    _ source: some ImportSource, as type: R.Type, in schema: Schema, with importer: Importer = Importer(),
    gives records: [R], into prepare: @escaping @Sendable (Transaction) throws -> Void = { _ in }
) async throws -> ImportReport {
    try await ImportTrial(source, R.entityName, schema, importer, prepare).run { snapshot in
        let entity = try snapshot.schema.entity(R.entityName)
        let found = try Dictionary(
            snapshot.fetch(Request(R.entityName)).map { ($0.key, $0.values) }
        ) { first, _ in first }
        var rest = found
        var differences: [String] = []
        for record in records {
            let expected = try entity.values(of: record)
            let key = expected[entity.keyPosition]
            let name = "\(entity.name) \(entity.text(key, at: entity.keyPosition))"
            guard let values = rest.removeValue(forKey: key) else {
                differences.append(
                    found[key] == nil ? "\(name): expected, and not imported" : "\(name): expected twice")
                continue
            }
            for place in entity.attributes.indices where values[place] != expected[place] {
                differences.append(
                    "\(name), \(entity.attributes[place].name): expected \(entity.text(expected[place], at: place)), found \(entity.text(values[place], at: place))"
                )
            }
        }
        for key in rest.keys.sorted(by: { "\($0)" < "\($1)" }) {
            differences.append("\(entity.name) \(entity.text(key, at: entity.keyPosition)): imported, and not expected")
        }
        return differences
    }
}

/// Imports a document into a new store in memory, and compares values of one record by the names of attributes and by
/// paths through to-one relationships: a test of a mapping.
///
/// ```swift
/// try await expectImport(
///     ImportValue(json: #"{"id": 7, "song_title": "Sinnerman", "artist": {"id": 1, "name": "Nina"}}"#),
///     as: Song.self, in: schema, key: 7, has: ["title": "Sinnerman", "artist.name": "Nina", "rating": nil])
/// ```
///
/// A value is compared as `where("title == %@", value)` does it: literals are texts, integers, doubles and truth values;
/// for other types write `.value(Decimal(12.5))`, `.value(date)`.
///
/// - Parameters:
///   - source: The document: an `ImportValue`, a file, or any other source of an import.
///   - type: The type of the record.
///   - schema: The types that the import writes.
///   - importer: How objects become records.
///   - key: The key of the record.
///   - values: The expected values by attribute or path. Attributes that are not named may have any value.
///   - prepare: Writes what the store has before the import.
/// - Returns: The report of the import.
/// - Throws: ``ExpectationFailure`` with each difference; `unknownAttribute` and `typeMismatch` for names and values
///   that the schema does not have; what opening, `prepare` and the import throw.
@discardableResult public func expectImport<R: Record>(
    _ source: some ImportSource, as type: R.Type, in schema: Schema, with importer: Importer = Importer(), key: R.Key,
    has values: KeyValuePairs<String, QueryArgument>,
    into prepare: @escaping @Sendable (Transaction) throws -> Void = { _ in }
) async throws -> ImportReport {
    let values = values.map { ($0.key, $0.value) }
    return try await ImportTrial(source, R.entityName, schema, importer, prepare).run { snapshot in
        let entity = try snapshot.schema.entity(R.entityName)
        let key = try StoredValue(encoding: key)
        let record = Request(R.entityName).where(.compare(entity.attributes[entity.keyPosition].name, .equal, key))
        let name = "\(entity.name) \(entity.text(key, at: entity.keyPosition))"
        guard try record.exists(in: snapshot) else { return ["\(name): expected, and not imported"] }
        return try values.compactMap { path, value in
            guard try record.where("%K == %@", QueryArgument.attribute(path), value).count(in: snapshot) == 0 else {
                return nil
            }
            let found = try record.select([.attribute(path)]).fetch(in: snapshot).first?.first ?? .null
            let place = entity.attributes.firstIndex { $0.name == path }
            return "\(name), \(path): found \(place.map { entity.text(found, at: $0) } ?? "\(found)")"
        }
    }
}

/// One import into a new store in memory.
private struct ImportTrial<Source: ImportSource> {
    private let source: Source
    private let entity: String
    private let schema: Schema
    private let importer: Importer
    private let prepare: @Sendable (Transaction) throws -> Void

    init(
        _ source: Source, _ entity: String, _ schema: Schema, _ importer: Importer,
        _ prepare: @escaping @Sendable (Transaction) throws -> Void
    ) {
        self.source = source
        self.entity = entity
        self.schema = schema
        self.importer = importer
        self.prepare = prepare
    }

    func run(_ differences: @escaping @Sendable (Snapshot) throws -> [String]) async throws -> ImportReport {
        let stack = try await Stack(schema, store: .inMemory)
        try await stack.write(prepare)
        let report = try await stack.import(source, as: entity, with: importer)
        let found = try await stack.read(differences)
        try await stack.close()
        let all = report.issues.map { "problem at \($0)" } + found
        if !all.isEmpty { throw ExpectationFailure(all) }
        return report
    }
}

extension Schema {
    fileprivate func entity(_ name: String) throws -> Entity { entities[try position(ofEntity: name)] }
}

extension Entity {
    /// The stored values of a record.
    fileprivate func values<R: Record>(of record: R) throws -> [StoredValue] {
        var writer = RowWriter(count: attributes.count)
        try record.encode(into: &writer)
        return writer.withRow { row in attributes.indices.map { StoredValue(row[$0]) } }
    }

    private static var times: Date.ISO8601FormatStyle {
        .iso8601.year().month().day().time(includingFractionalSeconds: true)
    }

    /// A stored value as a person writes it.
    fileprivate func text(_ value: StoredValue, at place: Int) -> String {
        if value == .null { return "nil" }
        let text: String? =
            switch attributes[place].type {
            case .bool: value == .integer(0) ? "false" : "true"
            case .decimal: (try? value.value(as: Decimal.self)).map { "\($0)" }
            case .scaledDecimal(let places):
                if case .integer(let number) = value {
                    "\(Decimal(sign: .plus, exponent: -places, significand: Decimal(number)))"
                } else {
                    nil
                }
            case .date: (try? value.value(as: Date.self)).map { $0.formatted(Entity.times) }
            case .uuid: (try? value.value(as: UUID.self)).map(\.uuidString)
            case .string, .url, .json: (try? value.value(as: String.self)).map { "\"\($0)\"" }
            default: nil
            }
        return text ?? "\(value)"
    }
}
