extension Overlay {
    package func count(_ request: FetchRequest) throws -> Int { try withReader { try $0.count(request) } }
    package func explain(_ request: FetchRequest) throws -> QueryPlan { try withReader { try $0.explain(request) } }
    package func lastAssignedKey(of entity: Int) throws -> Int64 {
        try withReader { try $0.lastAssignedKey(of: entity) }
    }
    package func history(after number: UInt64, limit: Int) throws -> [HistoryEntry] {
        try withBelow { try $0.history(after: number, limit: limit) }
    }

    /// Identifies the state that the overlay shows.
    func stateAsLayer() throws -> BelowState {
        let reader = try openLayer()
        defer { reader.end() }
        return BelowState(reader)
    }
}
