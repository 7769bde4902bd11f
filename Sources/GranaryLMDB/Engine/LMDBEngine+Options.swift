public import GranaryCore

extension LMDBEngine {
    /// How an environment is opened.
    public struct Options: Sendable, Hashable {
        /// How much of the file is checked before it is mapped. The meta pages are checked in any case.
        public enum Verification: Sendable, Hashable {
            /// The whole structure, unless the file is as its last user left it when closing cleanly.
            case automatic
            /// The whole structure, always (skipped only while another process has the environment open).
            case full
        }

        /// `relaxed` is LMDB's `MDB_NOMETASYNC`. So is `off`: `MDB_NOSYNC` can leave a file that nobody can read after
        /// power loss, and is never used.
        public var durability: Durability
        /// Address space for the file, in bytes. It costs nothing until written; it is clamped to what the process may
        /// map. The default is 256 GiB.
        public var mapSize: Int
        /// The map doubles up to this size after a transaction failed with ``GranaryError/Code/full``.
        public var maximumMapSize: Int
        /// Refuses every write. The folder must exist.
        public var readOnly: Bool
        /// How many read transactions can be open at once, in all processes.
        public var maxReaders: Int
        /// How long a writer waits for its turn, in seconds.
        public var busyTimeout: Double
        public var verify: Verification

        public init(
            durability: Durability = .full, mapSize: Int = 256 << 30, maximumMapSize: Int = 4 << 40,
            readOnly: Bool = false, maxReaders: Int = 510, busyTimeout: Double = 10, verify: Verification = .automatic
        ) {
            self.durability = durability
            self.mapSize = mapSize
            self.maximumMapSize = maximumMapSize
            self.readOnly = readOnly
            self.maxReaders = maxReaders
            self.busyTimeout = busyTimeout
            self.verify = verify
        }
    }
}
