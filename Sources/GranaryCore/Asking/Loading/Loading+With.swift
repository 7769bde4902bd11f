// `with` of a relationship is written out for one to three relationships, as ``Request/with(_:)`` is for one to six.
// `Request+Selecting.swift` says why.

extension LoadedList {
    /// Loads a relationship with the related records: `$0.albums.with(\.songs)`.
    public func with<A: Loading>(
        _ a: (Target.Fields) -> A
    ) -> LoadedMany<Root, Target, (Target, A.Loaded)> {
        LoadedMany(part, LoadedRelationships(a(Target.fields)))
    }

    /// Loads two relationships with each of the related records.
    public func with<A: Loading, B: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B
    ) -> LoadedMany<Root, Target, (Target, A.Loaded, B.Loaded)> {
        LoadedMany(part, LoadedRelationships(a(Target.fields), b(Target.fields)))
    }

    /// Loads three relationships with each of the related records.
    public func with<A: Loading, B: Loading, C: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B, _ c: (Target.Fields) -> C
    ) -> LoadedMany<Root, Target, (Target, A.Loaded, B.Loaded, C.Loaded)> {
        LoadedMany(part, LoadedRelationships(a(Target.fields), b(Target.fields), c(Target.fields)))
    }

    /// Loads four relationships or more with each of the related records.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, each L: Loading>(
        _ a: (Target.Fields) -> A, _ b: (Target.Fields) -> B, _ c: (Target.Fields) -> C, _ d: (Target.Fields) -> D,
        _ more: repeat (Target.Fields) -> each L
    ) -> LoadedMany<Root, Target, (Target, A.Loaded, B.Loaded, C.Loaded, D.Loaded, repeat (each L).Loaded)> {
        LoadedMany(
            part,
            LoadedRelationships(
                a(Target.fields), b(Target.fields), c(Target.fields), d(Target.fields),
                repeat (each more)(Target.fields)))
    }
}

extension Field where Value: ReferenceValue, Value.Target: Sendable {
    /// Loads a relationship with the record referred to: `$0.album.with(\.artist)`.
    public func with<A: Loading>(
        _ a: (Value.Target.Fields) -> A
    ) -> LoadedOne<Root, Value, (Value.Target, A.Loaded)> {
        LoadedOne(self, LoadedRelationships(a(Value.Target.fields)))
    }

    /// Loads two relationships with the record referred to.
    public func with<A: Loading, B: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B
    ) -> LoadedOne<Root, Value, (Value.Target, A.Loaded, B.Loaded)> {
        LoadedOne(self, LoadedRelationships(a(Value.Target.fields), b(Value.Target.fields)))
    }

    /// Loads three relationships with the record referred to.
    public func with<A: Loading, B: Loading, C: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B, _ c: (Value.Target.Fields) -> C
    ) -> LoadedOne<Root, Value, (Value.Target, A.Loaded, B.Loaded, C.Loaded)> {
        LoadedOne(self, LoadedRelationships(a(Value.Target.fields), b(Value.Target.fields), c(Value.Target.fields)))
    }

    /// Loads four relationships or more with the record referred to.
    public func with<A: Loading, B: Loading, C: Loading, D: Loading, each L: Loading>(
        _ a: (Value.Target.Fields) -> A, _ b: (Value.Target.Fields) -> B, _ c: (Value.Target.Fields) -> C,
        _ d: (Value.Target.Fields) -> D, _ more: repeat (Value.Target.Fields) -> each L
    ) -> LoadedOne<Root, Value, (Value.Target, A.Loaded, B.Loaded, C.Loaded, D.Loaded, repeat (each L).Loaded)> {
        LoadedOne(
            self,
            LoadedRelationships(
                a(Value.Target.fields), b(Value.Target.fields), c(Value.Target.fields), d(Value.Target.fields),
                repeat (each more)(Value.Target.fields)))
    }
}
