import CSQLite
import GranaryPlatform
import GranaryStoreKit

// SQLite copies the log into the database when it has a thousand pages, and starts the log again from the beginning
// when all of it is copied and no reader uses it. If reads overlap, there is always a reader, and the log grows as long
// as that lasts.
//
// Beyond some size the log is restarted by waiting, for a bounded time, until its readers have ended. The only writer
// waits, so the log gets no new pages, and readers that begin in the meantime use only the database.

/// The growth of the log, as a connection's commits observe it.
final class LogSize {
    /// The pages after the last commit.
    fileprivate(set) var pages = 0
    /// The number of pages at which the log is examined again.
    fileprivate var next = LogSize.step
    /// The number of pages at which the log is restarted.
    fileprivate var restart: Int
    /// Whether a write failed because the disk was full.
    var isDiskFull = false
    /// The read that prevented the last attempt to restart the log; nil if the log has been restarted since.
    private(set) var pin: Pin?

    /// A read that prevents a restart. During the same read, every attempt finds the same number of copied pages.
    struct Pin {
        fileprivate let copied: Int32
        private let since = Stopwatch()
        /// The time from the first to the last attempt that this read prevented.
        fileprivate(set) var age = Duration.zero

        fileprivate init(copied: Int32) { self.copied = copied }
        fileprivate mutating func last() { age = since.elapsed }
        /// Whether both are the same read.
        func isSame(_ other: Pin) -> Bool { copied == other.copied }
    }

    /// - Parameter copied: The number of pages of the log that are in the database.
    fileprivate func notePin(copied: Int32) {
        if pin?.copied != copied { pin = Pin(copied: copied) }
        pin?.last()
    }

    /// The number of pages by which the log grows between two examinations.
    fileprivate static let step = 16
    private static let pageSize = 4096
    /// The number of pages at which the log is copied if no reader must be waited for; by default SQLite's own number,
    /// 1000.
    fileprivate private(set) var copied = 0
    private var longest = 0
    /// If less disk space than this is free, in bytes, the log's space is given back.
    fileprivate static let littleRoom: UInt64 = 8 << 20
    /// How long a commit waits for readers, in seconds.
    fileprivate static let longestWait = 0.1

    init() {
        restart = 0
        setLongest(SQLiteTuning().logSize)
    }

    /// - Parameter bytes: The size at which the log is restarted.
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
        /// Like ``full``, and the next commit restarts the log.
        case restart
        /// Like ``restart``, and the log's disk space is given back.
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
        // A negative number means that another connection is copying the log at this moment, and nothing is known.
        if code & 0xFF == SQLITE_BUSY, copied >= 0 { log.notePin(copied: copied) }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// Makes each commit note the length of the log.
    func watchLog() {
        // The size lives as long as the connection, which calls the hook.
        let size = Unmanaged.passUnretained(log).toOpaque()
        sqlite3_wal_hook(
            handle,
            { size, handle, database, pages in
                guard let size else { return SQLITE_OK }
                let log = Unmanaged<LogSize>.fromOpaque(size).takeUnretainedValue()
                log.grow(to: Int(pages))
                // Like SQLite itself; if it fails, the next commit tries again.
                if pages >= log.copied { sqlite3_wal_checkpoint(handle, database) }
                return SQLITE_OK
            }, size)
    }

    /// Called after a transaction: restarts the log if it is too long, or if the disk needs its space.
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
            // A long read: tries again when the log has grown by the number of pages that are copied at a time.
            log.restart = log.pages + log.copied
        }
        log.isDiskFull = false
    }
}
