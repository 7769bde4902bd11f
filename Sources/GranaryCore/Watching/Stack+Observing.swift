extension Stack {
    /// The records of a request, in the query's order, each with what is loaded with it, now and whenever any of that
    /// changes; see ``QueryObservation``.
    ///
    /// ```swift
    /// for try await artists in stack.observe(Artist.sorted(by: \.name)) { … }
    /// for try await artists in stack.observe(Artist.sorted(by: \.name).with(\.albums)) {
    ///     for (artist, albums) in artists { … }
    /// }
    /// ```
    ///
    /// An unknown attribute and the like are thrown by the loop. A commit that changes only what is loaded with a record gives
    /// a new value, too. ``observeChanges(_:)`` and ``FetchedResults`` tell which records that concerns.
    ///
    /// Cost of what is loaded: a commit that touches the entities of the query or of a relationship asks the query and its
    /// relationships again; an answer equal to the last is not given.
    public func observe<Root, Output>(_ request: Request<Root, Output>) -> QueryObservation<[Output]> {
        QueryObservation(self, ObservedQueries.outputs(request))
    }

    /// The record with a key, or nil, now and whenever it changes.
    public func observe<R: Record>(_ type: R.Type, _ key: R.Key) -> QueryObservation<R?> {
        QueryObservation(self, ObservedQueries.outputs(Query<R>(key: key)).map(\.first))
    }

    /// How many records a query names, its limit and offset included, now and whenever the number changes.
    public func observeCount<Root, Output>(_ request: Request<Root, Output>) -> QueryObservation<Int> {
        QueryObservation(self, ObservedQueries.count(request))
    }

    /// Aggregates of all records of a query: `stack.observeAggregate(Song.all.select { ($0.id.count, $0.plays.sum) })`. See
    /// ``Request/aggregate(in:)``.
    public func observeAggregate<Root, Output>(_ chosen: Request<Root, Output>) -> QueryObservation<Output> {
        QueryObservation(self, ObservedQueries.aggregates(chosen))
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
