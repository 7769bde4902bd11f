// What loads relationships with records, once more written out for one to six of them: why is said with ``SelectClause``.

extension ReadContext {
    /// The records of a query, each with one relationship.
    @_disfavoredOverload
    public func fetch<R: Record, A: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A
    ) throws -> [(R, A.Loaded)] { try fetch(query, with: a) }

    /// The records of a query, each with two relationships.
    @_disfavoredOverload
    public func fetch<R: Record, A: Loading, B: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B
    ) throws -> [(R, A.Loaded, B.Loaded)] { try fetch(query, with: a, b) }

    /// The records of a query, each with three relationships.
    @_disfavoredOverload
    public func fetch<R: Record, A: Loading, B: Loading, C: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C
    ) throws -> [(R, A.Loaded, B.Loaded, C.Loaded)] { try fetch(query, with: a, b, c) }

    /// The records of a query, each with four relationships.
    @_disfavoredOverload
    public func fetch<R: Record, A: Loading, B: Loading, C: Loading, D: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D
    ) throws -> [(R, A.Loaded, B.Loaded, C.Loaded, D.Loaded)] { try fetch(query, with: a, b, c, d) }

    /// The records of a query, each with five relationships.
    @_disfavoredOverload
    public func fetch<R: Record, A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D,
        _ e: (R.Fields) -> E
    ) throws -> [(R, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded)] { try fetch(query, with: a, b, c, d, e) }

    /// The records of a query, each with six relationships.
    @_disfavoredOverload
    public func fetch<R: Record, A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D,
        _ e: (R.Fields) -> E, _ f: (R.Fields) -> F
    ) throws -> [(R, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded)] {
        try fetch(query, with: a, b, c, d, e, f)
    }

    /// The first record of a query, or nil, with one relationship.
    @_disfavoredOverload
    public func first<R: Record, A: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A
    ) throws -> (R, A.Loaded)? { try first(query, with: a) }

    /// The first record of a query, or nil, with two relationships.
    @_disfavoredOverload
    public func first<R: Record, A: Loading, B: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B
    ) throws -> (R, A.Loaded, B.Loaded)? { try first(query, with: a, b) }

    /// The first record of a query, or nil, with three relationships.
    @_disfavoredOverload
    public func first<R: Record, A: Loading, B: Loading, C: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C
    ) throws -> (R, A.Loaded, B.Loaded, C.Loaded)? { try first(query, with: a, b, c) }

    /// The first record of a query, or nil, with four relationships.
    @_disfavoredOverload
    public func first<R: Record, A: Loading, B: Loading, C: Loading, D: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D
    ) throws -> (R, A.Loaded, B.Loaded, C.Loaded, D.Loaded)? { try first(query, with: a, b, c, d) }

    /// The first record of a query, or nil, with five relationships.
    @_disfavoredOverload
    public func first<R: Record, A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D,
        _ e: (R.Fields) -> E
    ) throws -> (R, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded)? { try first(query, with: a, b, c, d, e) }

    /// The first record of a query, or nil, with six relationships.
    @_disfavoredOverload
    public func first<R: Record, A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        _ query: Query<R>, with a: (R.Fields) -> A, _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D,
        _ e: (R.Fields) -> E, _ f: (R.Fields) -> F
    ) throws -> (R, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded)? {
        try first(query, with: a, b, c, d, e, f)
    }

    /// The first records of a query, or those after a place, each with one relationship.
    @_disfavoredOverload
    public func page<R: Record, A: Loading>(
        _ query: Query<R>, after position: PagePosition? = nil, size: Int, with a: (R.Fields) -> A
    ) throws -> Page<(R, A.Loaded)> { try page(query, after: position, size: size, with: a) }

    /// The first records of a query, or those after a place, each with two relationships.
    @_disfavoredOverload
    public func page<R: Record, A: Loading, B: Loading>(
        _ query: Query<R>, after position: PagePosition? = nil, size: Int, with a: (R.Fields) -> A, _ b: (R.Fields) -> B
    ) throws -> Page<(R, A.Loaded, B.Loaded)> { try page(query, after: position, size: size, with: a, b) }

    /// The first records of a query, or those after a place, each with three relationships.
    @_disfavoredOverload
    public func page<R: Record, A: Loading, B: Loading, C: Loading>(
        _ query: Query<R>, after position: PagePosition? = nil, size: Int, with a: (R.Fields) -> A,
        _ b: (R.Fields) -> B, _ c: (R.Fields) -> C
    ) throws -> Page<(R, A.Loaded, B.Loaded, C.Loaded)> { try page(query, after: position, size: size, with: a, b, c) }

    /// The first records of a query, or those after a place, each with four relationships.
    @_disfavoredOverload
    public func page<R: Record, A: Loading, B: Loading, C: Loading, D: Loading>(
        _ query: Query<R>, after position: PagePosition? = nil, size: Int, with a: (R.Fields) -> A,
        _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D
    ) throws -> Page<(R, A.Loaded, B.Loaded, C.Loaded, D.Loaded)> {
        try page(query, after: position, size: size, with: a, b, c, d)
    }

    /// The first records of a query, or those after a place, each with five relationships.
    @_disfavoredOverload
    public func page<R: Record, A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        _ query: Query<R>, after position: PagePosition? = nil, size: Int, with a: (R.Fields) -> A,
        _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D, _ e: (R.Fields) -> E
    ) throws -> Page<(R, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded)> {
        try page(query, after: position, size: size, with: a, b, c, d, e)
    }

    /// The first records of a query, or those after a place, each with six relationships.
    @_disfavoredOverload
    public func page<R: Record, A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        _ query: Query<R>, after position: PagePosition? = nil, size: Int, with a: (R.Fields) -> A,
        _ b: (R.Fields) -> B, _ c: (R.Fields) -> C, _ d: (R.Fields) -> D, _ e: (R.Fields) -> E, _ f: (R.Fields) -> F
    ) throws -> Page<(R, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded)> {
        try page(query, after: position, size: size, with: a, b, c, d, e, f)
    }
}

extension Query {
    /// The records of a query, each with one relationship.
    @_disfavoredOverload
    public func fetch<A: Loading>(
        in context: some ReadContext, with a: (Root.Fields) -> A
    ) throws -> [(Root, A.Loaded)] { try fetch(in: context, with: a) }

    /// The records of a query, each with two relationships.
    @_disfavoredOverload
    public func fetch<A: Loading, B: Loading>(
        in context: some ReadContext, with a: (Root.Fields) -> A, _ b: (Root.Fields) -> B
    ) throws -> [(Root, A.Loaded, B.Loaded)] { try fetch(in: context, with: a, b) }

    /// The records of a query, each with three relationships.
    @_disfavoredOverload
    public func fetch<A: Loading, B: Loading, C: Loading>(
        in context: some ReadContext, with a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C
    ) throws -> [(Root, A.Loaded, B.Loaded, C.Loaded)] { try fetch(in: context, with: a, b, c) }

    /// The records of a query, each with four relationships.
    @_disfavoredOverload
    public func fetch<A: Loading, B: Loading, C: Loading, D: Loading>(
        in context: some ReadContext, with a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C,
        _ d: (Root.Fields) -> D
    ) throws -> [(Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded)] { try fetch(in: context, with: a, b, c, d) }

    /// The records of a query, each with five relationships.
    @_disfavoredOverload
    public func fetch<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        in context: some ReadContext, with a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C,
        _ d: (Root.Fields) -> D, _ e: (Root.Fields) -> E
    ) throws -> [(Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded)] {
        try fetch(in: context, with: a, b, c, d, e)
    }

    /// The records of a query, each with six relationships.
    @_disfavoredOverload
    public func fetch<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        in context: some ReadContext, with a: (Root.Fields) -> A, _ b: (Root.Fields) -> B, _ c: (Root.Fields) -> C,
        _ d: (Root.Fields) -> D, _ e: (Root.Fields) -> E, _ f: (Root.Fields) -> F
    ) throws -> [(Root, A.Loaded, B.Loaded, C.Loaded, D.Loaded, E.Loaded, F.Loaded)] {
        try fetch(in: context, with: a, b, c, d, e, f)
    }
}

extension Related {
    /// Loads more with the related records: one relationship.
    @_disfavoredOverload
    public func with<A: Loading>(
        _ a: (Target.Fields) -> A
    ) -> LoadedMany<Root, Target, A> { with(a) }

    /// Loads more with the related records: two relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B
    ) -> LoadedMany<Root, Target, A, B> { with(a, b) }

    /// Loads more with the related records: three relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B, _ c: (Target.Fields) -> C
    ) -> LoadedMany<Root, Target, A, B, C> { with(a, b, c) }

    /// Loads more with the related records: four relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading, D: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B, _ c: (Target.Fields) -> C, _ d: (Target.Fields) -> D
    ) -> LoadedMany<Root, Target, A, B, C, D> { with(a, b, c, d) }

    /// Loads more with the related records: five relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B, _ c: (Target.Fields) -> C, _ d: (Target.Fields) -> D,
        _ e: (Target.Fields) -> E
    ) -> LoadedMany<Root, Target, A, B, C, D, E> { with(a, b, c, d, e) }

    /// Loads more with the related records: six relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B, _ c: (Target.Fields) -> C, _ d: (Target.Fields) -> D,
        _ e: (Target.Fields) -> E, _ f: (Target.Fields) -> F
    ) -> LoadedMany<Root, Target, A, B, C, D, E, F> { with(a, b, c, d, e, f) }
}

extension Field where Value: ReferenceValue, Value.Target: Sendable {
    /// Loads more with the related records: one relationship.
    @_disfavoredOverload
    public func with<A: Loading>(
        _ a: (Value.Target.Fields) -> A
    ) -> LoadedOne<Root, Value, A> { with(a) }

    /// Loads more with the related records: two relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B
    ) -> LoadedOne<Root, Value, A, B> { with(a, b) }

    /// Loads more with the related records: three relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B, _ c: (Value.Target.Fields) -> C
    ) -> LoadedOne<Root, Value, A, B, C> { with(a, b, c) }

    /// Loads more with the related records: four relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading, D: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B, _ c: (Value.Target.Fields) -> C,
        _ d: (Value.Target.Fields) -> D
    ) -> LoadedOne<Root, Value, A, B, C, D> { with(a, b, c, d) }

    /// Loads more with the related records: five relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B, _ c: (Value.Target.Fields) -> C,
        _ d: (Value.Target.Fields) -> D, _ e: (Value.Target.Fields) -> E
    ) -> LoadedOne<Root, Value, A, B, C, D, E> { with(a, b, c, d, e) }

    /// Loads more with the related records: six relationships.
    @_disfavoredOverload
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, E: Loading, F: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B, _ c: (Value.Target.Fields) -> C,
        _ d: (Value.Target.Fields) -> D, _ e: (Value.Target.Fields) -> E, _ f: (Value.Target.Fields) -> F
    ) -> LoadedOne<Root, Value, A, B, C, D, E, F> { with(a, b, c, d, e, f) }
}
