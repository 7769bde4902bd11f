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
    public func observe<R: Record, Output>(_ request: some RecordRequest<R, Output>) -> QueryObservation<[Output]> {
        QueryObservation(self, ObservedQueries.records(request.loaded))
    }

    /// The record with a key, or nil, now and whenever it changes.
    public func observe<R: Record>(_ type: R.Type, _ key: R.Key) -> QueryObservation<R?> {
        QueryObservation(self, ObservedQueries.records(Query<R>(key: key).loaded).map(\.first))
    }

    /// How many records a query names, its limit and offset included, now and whenever the number changes.
    public func observeCount<R: Record>(_ query: Query<R>) -> QueryObservation<Int> {
        QueryObservation(self, ObservedQueries.count(query))
    }

    /// Chosen values of a query's records. Changes of what is not chosen, asked or ordered by are not looked at.
    public func observe<R: Record, Output>(
        _ projection: Projection<R, Output>
    ) -> QueryObservation<[Output]> {
        QueryObservation(self, ObservedQueries.tuples(projection))
    }

    /// The groups of a query, a tuple a group.
    public func observe<R: Record, Output>(
        _ grouped: GroupedQuery<R, Output>
    ) -> QueryObservation<[Output]> {
        QueryObservation(self, ObservedQueries.tuples(grouped))
    }

    /// Aggregates of all records of a query: `stack.observeAggregate(Song.all.select { ($0.id.count, $0.plays.sum) })`. See
    /// ``Projection/aggregate(in:)``.
    public func observeAggregate<R: Record, Output>(_ chosen: Projection<R, Output>) -> QueryObservation<Output> {
        QueryObservation(self, ObservedQueries.aggregates(chosen))
    }

    /// The records of a query by names.
    public func observe(_ query: DynamicQuery) -> QueryObservation<[DynamicRecord]> {
        QueryObservation(self, ObservedQueries.records(query))
    }
}

extension Query {
    /// The record with a key.
    init(key: Root.Key) {
        self.init()
        let name = Root.entity.key
        do {
            condition = .compare(name, .equal, try StoredValue(encoding: key))
        } catch let error as GranaryError {
            condition = .invalid(error.code, error.message, attribute: name)
        } catch {
            condition = .invalid(.range, "The key cannot be stored: \(type(of: error)).", attribute: name)
        }
    }
}
