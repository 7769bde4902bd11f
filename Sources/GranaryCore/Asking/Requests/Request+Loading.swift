extension Request where Root: Record, Output == Root {
    // One to six are written out. The compiler does not find the result of the form with a pack in a place that takes
    // `Any`, such as `print(try query.with(\.albums).fetch(in: context).count)`; see `Request+Selecting.swift`.

    /// Loads a relationship with each record: `Artist.all.with(\.albums)`. One member of the tuple for each
    /// relationship follows the record.
    ///
    /// ```swift
    /// for (artist, genre, songs) in try Artist.all.with(\.genre, \.songs).fetch(in: snapshot) { … }
    /// for (artist, albums) in try Artist.all.with({ $0.albums.with(\.songs) }).fetch(in: snapshot) {
    ///     for (album, songs) in albums { … }
    /// }
    /// ```
    ///
    /// A to-one relationship gives a record; an optional one gives nil if the reference is nil. A to-many relationship
    /// gives an array in its order, or else by key. Relationships that were not asked for cannot be read from the
    /// result.
    ///
    /// Cost: one query for each relationship, two for a many-to-many one, however many records there are. What is
    /// loaded with to-many records, as the songs of albums above, costs a query for each 10 000 of these. So beside the
    /// result, memory holds the keys and references of the records, and of 10 000 related ones at a time. Running the
    /// request throws `danglingReference` if the record of a required reference with the delete rule `none` does not
    /// exist.
    public func with<A: Loading>(
        _ a: (Root.Fields) -> A
    ) -> Request<Root, (Root, A.Loaded)> {
        loading(LoadedRelationships(a(Root.fields)))
    }

    /// Loads two relationships with each record.
    public func with<A: Loading, B: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B
    ) -> Request<Root, (Root, A.Loaded, B.Loaded)> {
        loading(LoadedRelationships(a(Root.fields), b(Root.fields)))
    }

    /// Loads three relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C
    ) -> Request<Root, (Root, A.Loaded, B.Loaded, C.Loaded)> {
        loading(LoadedRelationships(a(Root.fields), b(Root.fields), c(Root.fields)))
    }

    /// Loads four relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D
    ) -> Request<Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded)> {
        loading(LoadedRelationships(a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields)))
    }

    /// Loads five relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D,
        _ e: (Root.Fields) -> E
    ) -> Request<Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded)> {
        loading(LoadedRelationships(a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields), e(Root.fields)))
    }

    /// Loads six relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D,
        _ e: (Root.Fields) -> E, _ f: (Root.Fields) -> F
    ) -> Request<Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded)> {
        loading(
            LoadedRelationships(
                a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields), e(Root.fields), f(Root.fields)))
    }

    /// Loads seven relationships or more with each record.
    ///
    /// The compiler (6.3) does not find a member of its answer in a place that takes `Any`, such as an argument of
    /// `print`: give the answer a name first.
    public func with<
        A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading, G: Loading, each L: Loading
    >(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D,
        _ e: (Root.Fields) -> E, _ f: (Root.Fields) -> F, _ g: (Root.Fields) -> G,
        _ more: repeat (Root.Fields) -> each L
    ) -> Request<
        Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded, G.Loaded, repeat (each L).Loaded)
    > {
        loading(
            LoadedRelationships(
                a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields), e(Root.fields), f(Root.fields),
                g(Root.fields), repeat (each more)(Root.fields)))
    }

    private func loading<New>(_ related: LoadedRelationships<Root, New>) -> Request<Root, New> {
        var untyped = untyped
        untyped.output = .records(with: related.paths)
        return Request<Root, New>(untyped, .records(related))
    }
}

extension Request where Root: Record {
    /// The given records, each with the relationships that the request loads.
    ///
    /// ```swift
    /// for (artist, songs) in try Artist.all.with(\.songs).load(artists, in: snapshot) {
    ///     print(artist.name, songs.count)
    /// }
    /// ```
    ///
    /// Only the relationships of the request count, not its condition. A to-one relationship is loaded by the reference
    /// of the given record, even if that reference has meanwhile changed in the store.
    ///
    /// - Throws: `invalidQuery` if the request gives chosen values.
    public func load(_ records: [Root], in context: ReadContext) throws -> [Output] {
        guard case .records(let related) = making else {
            throw GranaryError(
                .invalidQuery,
                "The request gives chosen values, which are not loaded with records. Leave out `select`.",
                entity: untyped.entity)
        }
        return try related.joined(records, in: context)
    }
}
