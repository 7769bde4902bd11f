public import GranaryPlatform

// For stores with files of their own: interference of other processes, and damaged folders, give the same errors as in
// other stores.

extension OpenFolder {
    /// Opens a file of the store in this folder. Without the file the store is damaged.
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
    /// Takes the lock with which a process locks a whole store: exclusive if the store is opened for writing, shared by
    /// readers if it is opened for reading only. It ends with the open file.
    ///
    /// - Parameters:
    ///   - access: How the store is opened.
    ///   - timeout: How long to wait for other processes. With 0 the lock is tried once.
    /// - Throws: `busy` after the time-out; `io`.
    public func lock(for access: StoreAccess, timeout: Duration) throws(GranaryError) {
        guard try lock(access == .readOnly ? .shared : .exclusive, timeout: timeout) else {
            throw GranaryError.inUse(path)
        }
    }
}
