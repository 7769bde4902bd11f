public import GranaryCore

/// A ``Sample`` with an index over each of its attributes: what a query answers must not depend on an index.
public struct IndexedSample: Record, Equatable {
    public var sample: Sample

    public var id: Int64 { sample.id }

    public init(_ sample: Sample) { self.sample = sample }
}

extension IndexedSample {
    public static let entityName = "IndexedSample"
    public static let entity = Entity(
        entityName, key: Sample.entity.key, attributes: Sample.entity.attributes,
        indexes: Sample.entity.attributes.dropFirst().map { .index($0.name) } + [.index("integer", "int8", "text")])

    public init(row: borrowing Row) throws { sample = try Sample(row: row) }

    public func encode(into row: inout RowWriter) throws { try sample.encode(into: &row) }

    /// Those of ``Sample``, by the same names.
    @dynamicMemberLookup public struct Fields: Sendable {
        public subscript<Value>(dynamicMember field: KeyPath<Sample.Fields, Field<Sample, Value>>)
            -> Field<IndexedSample, Value>
        {
            Field(Sample.fields[keyPath: field].attributePath)
        }
    }
    public static let fields = Fields()
}
