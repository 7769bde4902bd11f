/// The records of a query, each with what is loaded with it: a tuple of the record and one member for each relationship.
///
/// ```swift
/// for (artist, genre, songs) in try snapshot.fetch(Artist.all.with(\.genre, \.songs)) { … }
/// for (artist, albums) in try snapshot.fetch(Artist.all.with { $0.albums.with(\.songs) }) {
///     for (album, songs) in albums { … }
/// }
/// let first = try snapshot.first(Artist.where { $0.id == 7 }.with(\.songs))
/// ```
///
/// ``Query/with(_:)`` makes it; narrow, sort and cut the query before that. A to-one relationship gives a record, an optional
/// one nil where the reference is nil; a to-many one gives an array, in the relationship's order, else by key.
///
/// Cost: one query for each relationship, two for a many-to-many one, however many records there are.
public struct LoadedQuery<Root: Record, Output: Sendable>: RecordRequest {
    /// The query for the records.
    public var query: Query<Root>
    let related: LoadedRelationships<Root, Output>

    init(_ query: Query<Root>, _ related: LoadedRelationships<Root, Output>) {
        self.query = query
        self.related = related
    }

    public var loaded: LoadedQuery { self }
}

/// A request for records, alone or with what is loaded with them: a ``Query`` or a ``LoadedQuery``.
///
/// What takes a request takes both: ``page(in:after:size:)``,
/// ``Stack/observe(_:)-(RecordRequest)``, ``Stack/observeChanges(_:)``, ``FetchedResults``.
public protocol RecordRequest<Root, Output>: Sendable {
    associatedtype Root: Record
    /// What the request gives for each record: the record, or a tuple of the record and what is loaded with it.
    associatedtype Output: Sendable

    /// The query, and what is loaded with its records.
    var loaded: LoadedQuery<Root, Output> { get }
}

extension Query: RecordRequest {
    /// The query with nothing loaded.
    public var loaded: LoadedQuery<Root, Root> { LoadedQuery(self, LoadedRelationships()) }
}
