extension StoreSession: EngineSession {}

extension Snapshot: EngineReading {
    public var engine: EngineAccess { EngineAccess(session) }
}

extension Transaction: EngineWriting {
    public var engine: EngineAccess { EngineAccess(session) }
}
