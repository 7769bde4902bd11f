public import GranaryPlatform

// For stores with files of their own: what another process or a damaged folder does to them is said as other stores say it.

extension OpenFolder {
    /// Opens a file that a store has in this folder, and without which the store is damaged.
    ///
    /// - Throws: `corrupt` if the file does not exist, or is not a regular file; `permissionDenied`, `io`.
    public func storeFile(_ name: String, _ mode: OpenFile.Mode) throws(GranaryError) -> OpenFile {
        do {
            return try file(name, mode)
        } catch {
            throw error.code == .invalidPath ? GranaryError.damagedFile("\(path)/\(name)") : error
        }
    }
}

extension OpenFile {
    /// Takes the lock by which a process has a store to itself: an exclusive one for a store that is opened for writing, one
    /// that readers share for a store that is opened for reading only. It ends with the open file.
    ///
    /// - Parameters:
    ///   - access: How the store is opened.
    ///   - timeout: How long to wait for other processes. With 0 the lock is tried once.
    /// - Throws: `busy` when the time is over; `io`.
    public func lock(for access: StoreAccess, timeout: Duration) throws(GranaryError) {
        guard try lock(access == .readOnly ? .shared : .exclusive, timeout: timeout) else {
            throw GranaryError.inUse(path)
        }
    }
}
