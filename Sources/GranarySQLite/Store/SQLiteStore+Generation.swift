import GranaryPlatform
public import GranaryStoreKit

extension SQLiteStore: GenerationEngine {
    public func pauseWriting() throws {
        guard options.access == .readWrite else { throw readOnlyError }
        try takeTurn()
    }

    public func resumeWriting() { giveTurn() }

    public func copyCompacted(into folder: String) throws {
        // Retired, its names may be those of files that go.
        putBack(try takeReadSession())
        let copy = SQLiteStore.databasePath(in: folder)
        // Made first, with mode 0600.
        _ = try OpenFile(copy, .creating)
        let connection = try Connection(path: path, purpose: .reading, options: options)
        do {
            defer { connection.close() }
            connection.cancellation.flag = LongWork.current?.cancellation
            try connection.execute("VACUUM INTO '\(copy.replacing("'", with: "''"))'")
        }
        // A store that is read only can be copied, too.
        var options = options
        options.access = .readWrite
        let new = try Connection(path: copy, purpose: .building, options: options)
        defer { new.close() }
        try SQLiteStore.switchToLog(new)
    }

    /// A connection that is in use closes when its transaction ends.
    public func retire() { shutDown(emptyingLog: false) }
}
