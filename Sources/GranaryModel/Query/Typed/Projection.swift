/// Chosen values of the records of a query: a value a record, or a tuple of several.
///
/// ```swift
/// let titles = try snapshot.fetch(Song.where { $0.plays > 100 }.select { ($0.title, $0.album.artist.name) })
/// // [(String, String?)]
/// let names = try snapshot.fetch(Artist.select(\.name).distinct())
/// ```
///
/// Only what is chosen is read; where an index has it all, only the index.
public struct Projection<Root: Record, Output: Sendable>: Sendable {
    public var query: Query<Root>
    /// Whether equal rows are given once. Limit and offset then count different rows, and the order is by chosen values.
    public var isDistinct = false
    package let selection: Selection<Output>

    package init(_ query: Query<Root>, _ selection: Selection<Output>) {
        self.query = query
        self.selection = selection
    }

    /// What is chosen, without its types.
    public var columns: [AnyExpression] { selection.columns }

    /// Gives equal rows once.
    ///
    /// Nil equals nil. Running it throws `invalidQuery` if it is ordered by something that is not chosen.
    public func distinct() -> Projection {
        var projection = self
        projection.isDistinct = true
        return projection
    }

    /// At most this many rows; of different rows if they are distinct. Negative throws `invalidQuery` when it is run.
    public func limit(_ count: Int) -> Projection {
        var projection = self
        projection.query.limit = count
        return projection
    }

    /// Leaves out this many rows from the front. Negative throws `invalidQuery` when it is run.
    public func offset(_ count: Int) -> Projection {
        var projection = self
        projection.query.offset = count
        return projection
    }
}

extension Projection {
    /// The one group of all records, with what is chosen as its columns.
    ///
    /// - Throws: `invalidQuery` if it is distinct.
    package var aggregating: AnyGrouping {
        get throws {
            guard !isDistinct else {
                throw GranaryError(
                    .invalidQuery,
                    "Aggregates are one row, of which `distinct()` changes nothing. Leave it out, or count different values with `distinctCount`.",
                    entity: Root.entityName)
            }
            return AnyGrouping(by: [], columns: columns)
        }
    }
}

extension Query {
    /// Chosen values in place of whole records: `query.select { ($0.title, $0.plays) }`.
    public var select: SelectClause<Root> { SelectClause(query: self) }
}
