/// How much memory and room on the disk SQLite takes: what is passed to `.sqlite(at:)` as `tuning:`.
///
/// | property | default |
/// |---|---|
/// | ``cacheSize`` | 32 MB |
/// | ``readerCacheSize`` | 8 MB |
/// | ``idleReaders`` | 8 |
/// | ``logSize`` | 16 MB |
public struct SQLiteTuning: Sendable, Hashable {
    /// The memory for pages of the connection that writes, in bytes, at most.
    public var cacheSize = 32_000_000
    /// The memory for pages of each connection that reads, in bytes, at most.
    public var readerCacheSize = 8_000_000
    /// How many connections are kept open for reads to come. Any number of reads run at once; those beyond open a connection
    /// each, which takes about 0.2 ms.
    public var idleReaders = 8
    /// The size of the log, in bytes, from which a commit waits for reads, for 0.1 s at most, to begin the log anew. At a quarter of
    /// it, and then at each commit, the log is copied into the database (a checkpoint).
    public var logSize = 16_384_000

    public init() {}

    // SQLite takes kibibytes and pages as 32-bit numbers.
    func kibibytes(_ bytes: Int) -> Int { max(64, min(bytes / 1024, 1 << 30)) }
}
