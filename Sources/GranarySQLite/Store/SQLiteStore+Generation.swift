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
            let tell = try SQLiteStore.copyProgress(of: connection, at: copy)
            connection.cancellation.onStep = tell
            defer { tell?() }
            try connection.execute("VACUUM INTO '\(copy.replacing("'", with: "''"))'")
        }
        // A store that is read only can be copied, too.
        var options = options
        options.access = .readWrite
        let new = try Connection(path: copy, purpose: .building, options: options)
        defer { new.close() }
        try SQLiteStore.switchToLog(new)
    }

    /// Tells what follows the work of this thread how many pages a copy has; nil if nothing follows it.
    private static func copyProgress(of connection: Connection, at copy: String) throws -> (() -> Void)? {
        guard let tell = LongWork.current?.onProgress else { return nil }
        func number(_ name: String) throws -> Int {
            guard case .integer(let number)? = try connection.values("PRAGMA \(name)").first?.first else { return 0 }
            return Int(clamping: number)
        }
        let (total, size) = (try number("page_count") - number("freelist_count"), max(1, try number("page_size")))
        var last = -256
        return {
            let bytes = (try? FileSystem.status(copy))??.size ?? 0
            let pages = min(Int(clamping: bytes) / size, total)
            guard pages >= last + 256 || pages == total && last < total else { return }
            last = pages
            tell(StoreProgress(entity: "", records: pages, total: total))
        }
    }

    /// A connection that is in use closes when its transaction ends.
    public func retire() { shutDown(emptyingLog: false) }
}
