import CSQLite
import GranaryPlatform
public import GranaryStoreKit

extension SQLiteStore: GenerationEngine {
    public func pauseWriting() throws {
        guard options.access == .readWrite else { throw readOnlyError }
        try takeTurn()
    }

    public func resumeWriting() { giveTurn() }

    public func copyCompacted(into folder: String) throws {
        try writeFiles(into: folder) { source, copy in
            source.cancellation.flag = LongWork.current?.cancellation
            let tell = try SQLiteStore.copyProgress(of: source, at: copy)
            source.cancellation.onStep = tell
            defer { tell?() }
            try source.execute("VACUUM INTO '\(copy.replacing("'", with: "''"))'")
        }
    }

    /// Copies page by page, including free pages, with SQLite's own backup.
    public func copy(into folder: String) throws {
        try writeFiles(into: folder) { source, copy in
            // The pages belong to one state as long as its transaction is open.
            try source.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
            defer { try? source.execute("ROLLBACK") }
            let new = try Connection(path: copy, purpose: .building, options: options.writing)
            defer { new.close() }
            try SQLiteStore.copyPages(of: source, to: new) { copied, total in
                LongWork.current?.onProgress?(StoreProgress(entity: "", records: copied, total: total))
            }
        }
    }

    /// Replaces a database by the pages of a state that another connection reads in an open transaction.
    ///
    /// - Parameter tell: Called now and then, and at the end, with the number of copied pages and the total.
    static func copyPages(
        of source: Connection, to new: Connection, telling tell: (_ copied: Int, _ total: Int) -> Void
    ) throws {
        guard let backup = sqlite3_backup_init(new.handle, "main", source.handle, "main") else {
            throw new.failure(sqlite3_extended_errcode(new.handle))
        }
        var code = SQLITE_OK
        var stop: (any Error)?
        while code == SQLITE_OK, stop == nil {
            do { try LongWork.checkCancellation() } catch { stop = error }
            code = sqlite3_backup_step(backup, SQLiteStore.pagesAtOnce)
            let total = Int(sqlite3_backup_pagecount(backup))
            tell(total - Int(sqlite3_backup_remaining(backup)), total)
        }
        sqlite3_backup_finish(backup)
        if let stop { throw stop }
        guard code == SQLITE_DONE else { throw new.failure(code) }
    }

    /// The number of pages that are copied between two progress reports: a megabyte.
    private static let pagesAtOnce: Int32 = 256

    /// Makes the database in a folder with a body, which gets a connection to this store's database and the new one's
    /// path.
    private func writeFiles(into folder: String, _ body: (_ source: Connection, _ copy: String) throws -> Void) throws {
        // If this store is retired, its names may belong to files that are being removed.
        let (session, home) = try takeReadSession()
        home.putBack(session)
        let copy = SQLiteStore.databasePath(in: folder)
        // Made first, with mode 0600.
        _ = try OpenFile(copy, .creating)
        let source = try Connection(path: path, purpose: .reading, options: options)
        do {
            defer { source.close() }
            try body(source, copy)
        }
        let new = try Connection(path: copy, purpose: .building, options: options.writing)
        defer { new.close() }
        try SQLiteStore.switchToLog(new)
    }

    /// Reports the number of copied pages to a follower of this thread's work; nil if there is no follower.
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

extension SQLiteOptions {
    /// The options for copying a store that may be open for reading only.
    fileprivate var writing: SQLiteOptions {
        var options = self
        options.access = .readWrite
        return options
    }
}
