/// A place in which requests can be observed: a ``Stack``, which shows committed data, or an ``EditContext``, which
/// also shows its own changes before they are saved, and those of its parents.
///
/// ```swift
/// for try await artists in stack.observe(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) { show(artists) }
/// for try await artists in context.observe(Artist.all.with(\.albums)) { for (artist, albums) in artists { … } }
/// ```
public protocol ObservationSource {
    var _source: ObservedSource { get }
}

/// The kinds of ``ObservationSource``.
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
    /// The results of a request, in its order, now and after each change; see ``Observed``.
    ///
    /// ```swift
    /// for try await artists in stack.observe(Artist.where { $0.rating >= 4.5 }.sorted(by: \.name)) { show(artists) }
    /// ```
    ///
    /// Errors in the request, such as an unknown attribute, are thrown by the loop. A change of loaded related records
    /// alone also gives a new value. ``observeChanges(_:)`` and ``FetchedResults`` report the records concerned.
    /// Changes of attributes that the request does not choose, filter or order by are ignored.
    ///
    /// Cost with loaded relationships: a commit that touches the entities of the request or of a relationship runs the
    /// request and its relationships again. An answer equal to the last one is not given.
    public func observe<Root, Output>(_ request: Request<Root, Output>) -> Observed<Self, [Output]> {
        Observed(self, ObservedQueries.outputs(request))
    }

    /// The record with a key, or nil, now and after each change.
    ///
    /// ```swift
    /// for try await artist in stack.observe(Artist.self, 100) { print(artist?.name ?? "deleted") }
    /// ```
    public func observe<R: Record>(_ type: R.Type, _ key: R.Key) -> Observed<Self, R?> {
        Observed(self, ObservedQueries.outputs(Query<R>(key: key)).map(\.first))
    }

    /// The number of results of a request, after its limit and offset, now and after each change of the number.
    ///
    /// ```swift
    /// for try await count in stack.observeCount(Artist.where { $0.rating >= 4.5 }) { print(count) }
    /// ```
    public func observeCount<Root, Output>(_ request: Request<Root, Output>) -> Observed<Self, Int> {
        Observed(self, ObservedQueries.count(request))
    }

    /// The results of a request, now and after each change, each time with the difference: inserted, deleted, moved and
    /// updated records, and unchanged records whose loaded related records changed. In the first value all records are
    /// insertions.
    ///
    /// ```swift
    /// for try await change in stack.observeChanges(Song.sorted(by: \.title)) {
    ///     for place in change.difference.deletions.reversed() { rows.remove(at: place) } …
    /// }
    /// ```
    ///
    /// Otherwise it works like ``observe(_:)``. A slow loop gets one difference over several commits.
    ///
    /// Cost: keeps the key and a hash of each row as well, 32 bytes; O(n log n) if many records have moved.
    public func observeChanges<Root, Output>(
        _ request: Request<Root, Output>
    ) -> Observed<Self, QueryChange<Root, Output>> {
        Observed(self, ObservedQueries.changes(request))
    }

    /// Aggregates of all records of a request:
    /// `stack.observeAggregate(Song.all.select { ($0.id.count, $0.plays.sum) })`. See ``Request/aggregate(in:)``.
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
