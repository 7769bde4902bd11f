extension FileSystem {
    /// More than the room that is left after a short write, and far less than any useful amount of room.
    private static let probeSize = 1 << 20

    #if os(Linux)
        /// `O_TMPFILE`.
        private static let unnamedFile = 0o20_000_000 | O_DIRECTORY
    #endif

    /// Whether a megabyte can still be written next to a path, or inside it if it is a folder. When an engine only
    /// reports that a write failed, this distinguishes a full disk or a used-up quota from a failing disk.
    ///
    /// The number of free blocks is not enough: some file systems keep blocks back and never reach 0, and the number
    /// ignores quotas. So a megabyte is reserved in a file without a name, which is removed at once. If the system
    /// cannot do that, the number of free blocks decides.
    package static func hasRoom(_ path: String) -> Bool {
        #if os(Linux)
            let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            for folder in [path, parent] {
                let descriptor = open(folder, unnamedFile | O_RDWR | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else {
                    if errno == ENOSPC || errno == EDQUOT { return false }
                    continue
                }
                defer { _ = close(descriptor) }
                switch posix_fallocate(descriptor, 0, off_t(probeSize)) {
                case 0: return true
                case ENOSPC, EDQUOT: return false
                default: continue
                }
            }
        #endif
        return (try? freeSpace(path)).map { $0 >= UInt64(probeSize) } ?? true
    }
}
