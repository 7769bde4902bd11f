extension ReadContext: EngineSession {}

extension Snapshot: EngineReading {
    public var engine: EngineAccess { EngineAccess(self) }
}

extension Transaction: EngineWriting {
    public var engine: EngineAccess { EngineAccess(self) }
}
