import GranaryStoreKit

extension KeyValueStoreWriter: GroupWriting {
    var hasRoom: Bool { engine.hasRoom }

    func beginGroupedWrite() throws {
        try check()
        try beginStatement()
        isGrouped = true
    }

    func endGroupedWrite() throws -> UInt64 {
        try check()
        try endDeferrals()
        let number = try newestNumber()
        dropCursors()
        while !savepoints.isEmpty { try releaseSavepoint() }
        state.number = number
        state.hasChanged = false
        isGrouped = false
        recorder = nil
        session.version &+= 1
        return number
    }

    func undoGroupedWrite() throws {
        while !savepoints.isEmpty { try rollbackSavepoint() }
        isGrouped = false
        recorder = nil
        // The engine has undone what failed.
        failure = nil
    }
}
