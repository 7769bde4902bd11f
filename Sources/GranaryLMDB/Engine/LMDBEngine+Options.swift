public import GranaryStoreKit

extension LMDBEngine {
    /// How an environment is opened.
    public struct Options: Sendable, Hashable {
        /// How much of the file is checked before it is mapped. LMDB follows every number in its file unchecked: a
        /// wrong one ends the process, or makes it loop for ever. The meta pages are always checked.
        public enum Verification: Sendable, Hashable {
            /// The whole structure, if the file differs from what its last user left when closing cleanly, or if it has
            /// at most 96 MB (50 ms). So a larger file is opened at once after a clean close, and a page of it that has
            /// decayed on the disk since then may end the process.
            case automatic
            /// The whole structure, always: 0.5 s for each gigabyte if the system has the file in memory, otherwise as
            /// long as the disk takes to read it. If another process has the store open, it has done so already, and
            /// the check is not repeated.
            case full
        }

        /// `relaxed` is LMDB's `MDB_NOMETASYNC`. So is `off`: `MDB_NOSYNC` can leave a file that cannot be read after a
        /// loss of power, and is used only for files that are still being made.
        public var durability: Durability
        /// Address space for the file, in bytes. Unwritten space costs nothing; the size is limited to what the process
        /// may map. The default is 256 GiB.
        public var mapSize: Int
        /// The map doubles up to this size after a transaction failed with ``/Granary/GranaryError/Code/full``.
        public var maximumMapSize: Int
        /// Refuses every write. The folder must exist.
        public var readOnly: Bool
        /// How many read transactions can be open at once, in all processes.
        public var maxReaders: Int
        /// How long a writer waits for its turn.
        public var busyTimeout: Duration { didSet { busySeconds = busyTimeout.inSeconds } }
        /// The same in seconds, which each transaction uses.
        private(set) var busySeconds: Double
        public var verify: Verification
        /// Nothing is synced before the engine is closed: for files that nothing else has open yet, and that are thrown
        /// away after any failure.
        var isBuilding = false
        /// The largest file, in bytes, that ``Verification/automatic`` checks although it was closed cleanly.
        static let quickWalk = 96 << 20

        public init(
            durability: Durability = .full, mapSize: Int = 256 << 30, maximumMapSize: Int = 4 << 40,
            readOnly: Bool = false, maxReaders: Int = 510, busyTimeout: Duration = .seconds(10),
            verify: Verification = .full
        ) {
            self.durability = durability
            self.mapSize = mapSize
            self.maximumMapSize = maximumMapSize
            self.readOnly = readOnly
            self.maxReaders = maxReaders
            self.busyTimeout = busyTimeout
            busySeconds = busyTimeout.inSeconds
            self.verify = verify
        }
    }
}
