/// What requests are observed in: a ``Stack``, which shows what is committed, or an ``EditContext``, which also shows its own
/// changes before they are saved, and those of its parents.
///
/// ```swift
/// for try await artists in stack.observe(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) { show(artists) }
/// for try await artists in context.observe(Artist.all.with(\.albums)) { for (artist, albums) in artists { … } }
/// ```
public protocol ObservationSource {
    var _source: ObservedSource { get }
}

/// Which kind of ``ObservationSource`` one is.
public enum ObservedSource {
    case stack(Stack)
    case context(EditContext)
}

extension Stack: ObservationSource {
    public var _source: ObservedSource { .stack(self) }
}

extension EditContext: ObservationSource {
    public var _source: ObservedSource { .context(self) }
}

extension ObservationSource {
    /// What a request gives, in its order, now and whenever that changes; see ``Observed``.
    ///
    /// An unknown attribute and the like are thrown by the loop. A change only of what is loaded with a record gives
    /// a new value, too. ``observeChanges(_:)`` and ``FetchedResults`` tell which records that concerns. Changes of what is not
    /// chosen, asked or ordered by are not looked at.
    ///
    /// Cost of what is loaded: a commit that touches the entities of the request or of a relationship asks the request and its
    /// relationships again; an answer equal to the last is not given.
    public func observe<Root, Output>(_ request: Request<Root, Output>) -> Observed<Self, [Output]> {
        Observed(self, ObservedQueries.outputs(request))
    }

    /// The record with a key, or nil, now and whenever it changes.
    public func observe<R: Record>(_ type: R.Type, _ key: R.Key) -> Observed<Self, R?> {
        Observed(self, ObservedQueries.outputs(Query<R>(key: key)).map(\.first))
    }

    /// How many a request gives, its limit and offset included, now and whenever the number changes.
    public func observeCount<Root, Output>(_ request: Request<Root, Output>) -> Observed<Self, Int> {
        Observed(self, ObservedQueries.count(request))
    }

    /// What a request gives, now and whenever it changes, each time with the difference: what came, what went, what has
    /// moved, what has other values, and of which only what is loaded with it changed. The first value is all insertions.
    ///
    /// ```swift
    /// for try await change in stack.observeChanges(Song.sorted(by: \.title)) {
    ///     for place in change.difference.deletions.reversed() { rows.remove(at: place) } …
    /// }
    /// ```
    ///
    /// As ``observe(_:)`` otherwise. A loop that is slow gets one difference over several commits.
    ///
    /// Cost: the key and a hash of each row are kept as well, 32 bytes; O(n log n) where much has moved.
    public func observeChanges<Root, Output>(
        _ request: Request<Root, Output>
    ) -> Observed<Self, QueryChange<Root, Output>> {
        Observed(self, ObservedQueries.changes(request))
    }

    /// Aggregates of all records of a request: `stack.observeAggregate(Song.all.select { ($0.id.count, $0.plays.sum) })`. See
    /// ``Request/aggregate(in:)``.
    public func observeAggregate<Root, Output>(_ chosen: Request<Root, Output>) -> Observed<Self, Output> {
        Observed(self, ObservedQueries.aggregates(chosen))
    }
}

extension Request where Root: Record, Output == Root {
    /// The record with a key.
    init(key: Root.Key) {
        self.init()
        let name = Root.entity.key
        do {
            untyped.condition = .compare(name, .equal, try StoredValue(encoding: key))
        } catch let error as GranaryError {
            untyped.condition = .invalid(error.code, error.message, attribute: name)
        } catch {
            untyped.condition = .invalid(.range, "The key cannot be stored: \(type(of: error)).", attribute: name)
        }
    }
}
