/// A question: which records of a type, in which order, how many, and in what form.
///
/// ```swift
/// Artist.where { $0.rating >= 4.5 }.sorted(by: \.name).limit(20)     // Request<Artist, Artist>, a Query<Artist>
/// Artist.all.select { ($0.name, $0.rating) }                         // Request<Artist, (String, Double?)>
/// Artist.all.with(\.songs)                                           // Request<Artist, (Artist, [Song])>
/// Song.all.grouped(by: \.genre).select { ($0.genre, $0.plays.sum) }  // Request<Song, (Ref<Genre>?, Int)>
/// Request("Song").where("plays > 100")                               // Request<DynamicRecord, DynamicRecord>
/// ```
///
/// It is a value and holds no records. A context answers it: `request.fetch(in: snapshot)`. All these kinds of requests
/// have the same verbs.
///
/// Without an order, records come by key, and groups and distinct values by their values. Ties are broken in the same
/// way, in the direction of the last term. So every result is total and repeatable, and limits and offsets are well
/// defined. Nils come first ascending and last descending.
public struct Request<Root: Fetchable, Output: Sendable>: Sendable {
    /// The request without its types.
    public internal(set) var untyped: AnyRequest
    /// How outputs are made of the rows; nil for plain records, as in most requests.
    private let made: Making<Root, Output>?
    /// The list that the request is for; nil for most requests.
    @usableFromInline var list: RequestedList?

    init(_ untyped: AnyRequest, _ making: Making<Root, Output>) {
        self.untyped = untyped
        made = making
    }

    var making: Making<Root, Output> { made ?? .records(LoadedRelationships(one: Request.same, all: Request.same)) }

    /// Casts a value to a type that is known to be the same. Requests without ``made`` have outputs that are their
    /// records.
    private static func same<From, To>(_ value: From) throws -> To {
        guard let same = value as? To else {
            throw GranaryError(.invalidQuery, "The request gives \(From.self), and \(To.self) is asked for.")
        }
        return same
    }
}

/// A request for the records of a type alone.
public typealias Query<Root: Fetchable> = Request<Root, Root>

/// How the rows of a request become its outputs.
enum Making<Root: Fetchable, Output: Sendable>: Sendable {
    /// Records, each with what is loaded with it.
    case records(LoadedRelationships<Root, Output>)
    /// Chosen values, of rows or of groups.
    case values(Selection<Output>)
}

extension Request where Output == Root {
    init(records untyped: AnyRequest) {
        self.untyped = untyped
        made = nil
    }
}

extension Request where Root: Record, Output == Root {
    /// Every record.
    init() { self.init(records: AnyRequest(Root.entityName)) }
}

extension Request where Root == DynamicRecord, Output == DynamicRecord {
    /// The records of an entity, by names.
    ///
    /// ```swift
    /// try Request("Song").where("plays > 100").sorted(by: "artist.name,-plays").fetch(in: snapshot)
    /// ```
    public init(_ entity: String) { self.init(records: AnyRequest(entity)) }

    /// The request for the records of an untyped request, even if that chooses values.
    public init(recordsOf untyped: AnyRequest) { self.init(records: untyped.rowsAlone) }
}

extension Request where Root == DynamicRecord, Output == [StoredValue] {
    /// The request with the outputs of an untyped request, in stored form: the chosen values, or the values of every
    /// attribute.
    public init(_ untyped: AnyRequest) {
        if let columns = untyped.columns {
            self.init(untyped, .values(Selection(stored: columns)))
        } else {
            self.init(
                untyped, .records(LoadedRelationships(one: { $0.values }, all: { records in records.map(\.values) })))
        }
    }
}

extension Record {
    /// The request for every record of this type.
    public static var all: Query<Self> { Query() }

    /// The request for the records for which a condition holds.
    public static func `where`(@ConditionBuilder<Self> _ condition: (Fields) -> Condition<Self>) -> Query<Self> {
        all.where(condition)
    }

    /// The request for the records for which a condition holds.
    public static func `where`(_ condition: Condition<Self>) -> Query<Self> { all.where(condition) }

    /// The request for the records for which a condition in text form holds.
    ///
    /// - Throws: `invalidQuery`, see ``AnyCondition/init(parsing:arguments:named:)``.
    public static func `where`(_ text: String, _ arguments: any QueryArgumentConvertible...) throws -> Query<Self> {
        try all.where(text, arguments: arguments.map(\._queryArgument))
    }

    /// The request for every record, ordered by a field or an expression; ties by key, in its direction.
    public static func sorted<Value: QueryExpression>(
        by value: (Fields) -> Value, _ direction: SortDirection = .ascending, nils: NilPosition? = nil
    ) -> Query<Self> where Value.Root == Self { all.sorted(by: value, direction, nils: nils) }

    /// The request for every record, ordered by attribute names: `"name,-rating"`.
    public static func sorted(by text: String) -> Query<Self> { all.sorted(by: text) }
}
