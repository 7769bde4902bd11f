extension Query {
    // One to six are written out: what the pack form gives is not found in a place that takes `Any`, such as
    // `print(try context.fetch(query.with(\.albums)).count)`; see ``SelectClause``.

    /// Loads a relationship with each record: `query.with(\.albums)`. See ``LoadedQuery``.
    public func with<A: Loading>(
        _ a: (Root.Fields) -> A
    ) -> LoadedQuery<Root, (Root, A.Loaded)> {
        LoadedQuery(self, LoadedRelationships(a(Root.fields)))
    }

    /// Loads two relationships with each record.
    public func with<A: Loading, B: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B
    ) -> LoadedQuery<Root, (Root, A.Loaded, B.Loaded)> {
        LoadedQuery(self, LoadedRelationships(a(Root.fields), b(Root.fields)))
    }

    /// Loads three relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C
    ) -> LoadedQuery<Root, (Root, A.Loaded, B.Loaded, C.Loaded)> {
        LoadedQuery(self, LoadedRelationships(a(Root.fields), b(Root.fields), c(Root.fields)))
    }

    /// Loads four relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D
    ) -> LoadedQuery<Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded)> {
        LoadedQuery(self, LoadedRelationships(a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields)))
    }

    /// Loads five relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D,
        _ e: (Root.Fields) -> E
    ) -> LoadedQuery<Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded)> {
        LoadedQuery(
            self, LoadedRelationships(a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields), e(Root.fields)))
    }

    /// Loads six relationships with each record.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D,
        _ e: (Root.Fields) -> E, _ f: (Root.Fields) -> F
    ) -> LoadedQuery<Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded)> {
        LoadedQuery(
            self,
            LoadedRelationships(
                a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields), e(Root.fields), f(Root.fields)))
    }

    /// Loads seven relationships or more with each record.
    ///
    /// The compiler (6.3) does not find a member of its answer in a place that takes `Any`, such as an argument of `print`:
    /// give the answer a name first.
    public func with<
        A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading, G: Loading, each L: Loading
    >(
        _ a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C, _ d: (Root.Fields) -> D,
        _ e: (Root.Fields) -> E, _ f: (Root.Fields) -> F, _ g: (Root.Fields) -> G,
        _ more: repeat (Root.Fields) -> each L
    ) -> LoadedQuery<
        Root, (Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded, G.Loaded, repeat (each L).Loaded)
    > {
        LoadedQuery(
            self,
            LoadedRelationships(
                a(Root.fields), b(Root.fields), c(Root.fields), d(Root.fields), e(Root.fields), f(Root.fields),
                g(Root.fields), repeat (each more)(Root.fields)))
    }
}
