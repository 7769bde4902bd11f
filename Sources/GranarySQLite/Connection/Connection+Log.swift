import CSQLite
import GranaryPlatform
import GranaryStoreKit

// SQLite copies the log into the database when it has a thousand pages, and begins it anew when all is copied and no
// reader is in it. Where reads overlap one always is, and the log grows for as long as they do.
//
// Beyond some size it is begun anew by waiting, for a bounded time, until the readers that are in it have ended: the log
// holds nothing new while the only writer waits, so those that begin meanwhile read the database alone.

/// How far the log has grown, as a connection's commits find it.
final class LogSize {
    /// In pages, after the last commit.
    fileprivate(set) var pages = 0
    /// At how many pages it is looked at again.
    fileprivate var next = LogSize.step
    /// At how many it is begun anew.
    fileprivate var restart: Int
    /// The disk had no room for what was written.
    var isDiskFull = false
    /// What kept the log from beginning again when that was last tried; nil if it began again since.
    private(set) var pin: Pin?

    /// A read that keeps the log: while the same one does, as much of the log is in the database at each attempt.
    struct Pin {
        fileprivate let copied: Int32
        private let since = Stopwatch()
        /// From the first attempt that this read hindered to the last one.
        fileprivate(set) var age = Duration.zero

        fileprivate init(copied: Int32) { self.copied = copied }
        fileprivate mutating func last() { age = since.elapsed }
        /// Whether both are of the same read.
        func isSame(_ other: Pin) -> Bool { copied == other.copied }
    }

    /// - Parameter copied: How many pages of the log are in the database.
    fileprivate func notePin(copied: Int32) {
        if pin?.copied != copied { pin = Pin(copied: copied) }
        pin?.last()
    }

    /// How much longer it grows before it is looked at.
    fileprivate static let step = 16
    private static let pageSize = 4096
    /// The number of pages at which it is copied, if no reader has to be waited for; by default SQLite's own number, 1000.
    fileprivate private(set) var copied = 0
    private var longest = 0
    /// With less room than this, in bytes, the log gives up its own.
    fileprivate static let littleRoom: UInt64 = 8 << 20
    /// How long a commit waits for readers, in seconds.
    fileprivate static let longestWait = 0.1

    init() {
        restart = 0
        setLongest(SQLiteTuning().logSize)
    }

    /// - Parameter bytes: At how many bytes it is begun anew.
    func setLongest(_ bytes: Int) {
        longest = max(LogSize.step, bytes / LogSize.pageSize)
        copied = max(LogSize.step / 4, longest / 4)
        restart = longest
    }

    fileprivate func grow(to pages: Int) {
        if pages < self.pages {
            (next, restart) = (LogSize.step, longest)
            pin = nil
        }
        self.pages = pages
    }
}

extension Connection {
    enum LogEmptying {
        /// All of the log is in the database, and both are synced.
        case full
        /// As ``full``, and the next commit begins the log anew.
        case restart
        /// As ``restart``, and the log's room on the disk is given back.
        case truncate

        fileprivate var mode: Int32 {
            switch self {
            case .full: SQLITE_CHECKPOINT_FULL
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        }
    }

    /// Copies the log into the database, waiting for readers and other processes at most `seconds`.
    func emptyLog(_ emptying: LogEmptying, waiting seconds: Double) throws {
        setBusyTimeout(seconds)
        Library.limitSleep(seconds: seconds)
        var copied: Int32 = -1
        let code = sqlite3_wal_checkpoint_v2(handle, "main", emptying.mode, nil, &copied)
        // Below 0 another connection copies the log at this moment, and nothing is known.
        if code & 0xFF == SQLITE_BUSY, copied >= 0 { log.notePin(copied: copied) }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Has each commit note how long the log is.
    func watchLog() {
        // The size lives as long as the connection, which calls the hook.
        let size = Unmanaged.passUnretained(log).toOpaque()
        sqlite3_wal_hook(
            handle,
            { size, handle, database, pages in
                guard let size else { return SQLITE_OK }
                let log = Unmanaged<LogSize>.fromOpaque(size).takeUnretainedValue()
                log.grow(to: Int(pages))
                // As SQLite does it; should it fail the next commit tries again.
                if pages >= log.copied { sqlite3_wal_checkpoint(handle, database) }
                return SQLITE_OK
            }, size)
    }

    /// After a transaction: begins a log anew that is too long, or whose room the disk needs.
    func shortenLog() {
        guard log.pages >= log.next || log.isDiskFull else { return }
        log.next = log.pages + LogSize.step
        let hasLittleRoom =
            log.isDiskFull || (try? FileSystem.freeSpace(path)).map { $0 < LogSize.littleRoom } ?? false
        log.isDiskFull = false
        guard hasLittleRoom || log.pages >= log.restart else { return }
        do {
            try emptyLog(hasLittleRoom ? .truncate : .restart, waiting: LogSize.longestWait)
            log.grow(to: 0)
        } catch {
            // A read that lasts: again when the log has grown by as much as is copied at a time.
            log.restart = log.pages + log.copied
        }
        log.isDiskFull = false
    }
}
