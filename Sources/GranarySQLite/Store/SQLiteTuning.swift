/// The limits of SQLite's memory and disk space: passed to `.sqlite(at:)` as `tuning:`.
///
/// | property | default |
/// |---|---|
/// | ``cacheSize`` | 32 MB |
/// | ``readerCacheSize`` | 8 MB |
/// | ``idleReaders`` | 8 |
/// | ``logSize`` | 16 MB |
public struct SQLiteTuning: Sendable, Hashable {
    /// The greatest amount of memory for pages of the writing connection, in bytes.
    public var cacheSize = 32_000_000
    /// The greatest amount of memory for pages of each reading connection, in bytes.
    public var readerCacheSize = 8_000_000
    /// The number of connections that are kept open for later reads. Any number of reads run at once; further reads
    /// open a connection each, which takes about 0.2 ms.
    public var idleReaders = 8
    /// The size of the log, in bytes, at which a commit waits for reads, for at most 0.1 s, to restart the log. At a
    /// quarter of this size, and then at each commit, the log is copied into the database (a checkpoint).
    public var logSize = 16_384_000

    public init() {}

    // SQLite uses 32-bit numbers for kibibytes and pages.
    func kibibytes(_ bytes: Int) -> Int { max(64, min(bytes / 1024, 1 << 30)) }
}
