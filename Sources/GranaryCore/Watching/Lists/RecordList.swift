/// The results of a request in its order, of which only the keys are held: for a list that is too long to hold every
/// record. It is what ``ObservationSource/observeList(_:)`` gives.
///
/// ```swift
/// for try await songs in stack.observeList(Song.sorted(by: \.title)) {
///     show(total: songs.count, visible: try await stack.read { try songs.fetch(visible, in: $0) })
/// }
/// ```
///
/// Cost: 16 bytes for each row; a key of text or bytes has its bytes as well.
public struct RecordList<Root: Record, Output: Sendable>: Sendable {
    private let request: Request<Root, Output>
    private let keys: [StoredValue]

    init(_ request: Request<Root, Output>, _ keys: [StoredValue]) {
        self.request = request
        self.keys = keys
    }

    /// The number of results.
    public var count: Int { keys.count }

    /// The key of the record at a place; nil if the list has no such place.
    public func key(at place: Int) throws -> Root.Key? {
        keys.indices.contains(place) ? try Root.Key(stored: keys[place]) : nil
    }

    /// The results at places, one for each, read now: nil for a record that has been deleted since, or no longer meets
    /// the condition. Places that the list does not have are left out.
    ///
    /// ```swift
    /// let visible = try await stack.read { try songs.fetch(1_000..<1_050, in: $0) }
    /// ```
    ///
    /// The context may show a newer state than the list. The observation then gives a new list as well.
    public func fetch(_ places: Range<Int>, in context: ReadContext) throws -> [Output?] {
        try request.outputs(keys[places.clamped(to: keys.indices)], in: context)
    }
}

extension ObservationSource {
    /// The results of a request as a list of keys, now and after each change, also if only values of records have
    /// changed. The records of the visible places are read from it: see ``RecordList``.
    ///
    /// ```swift
    /// for try await songs in stack.observeList(Song.sorted(by: \.title)) { table.show(songs) }
    /// ```
    ///
    /// Otherwise it works like ``observe(_:)``. Each new list reads all rows once, without keeping them.
    ///
    /// - Throws: The loop throws `invalidQuery` for groups, distinct values, and requests that load relationships.
    public func observeList<Root: Record, Output>(
        _ request: Request<Root, Output>
    ) -> Observed<Self, RecordList<Root, Output>> {
        Observed(self, ObservedQueries.keys(request) { rows, _ in RecordList(request, rows.keys) })
    }
}
