import GranaryPlatform
#if os(Linux)
    import CSQLite
    import Foundation

    import GranaryCore

    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// Has a system call that SQLite makes on a file fail.
    ///
    /// Of one process: tests that use it run one after the other, and name files that no other test has.
    struct SystemFault {
        enum Call: String, CaseIterable { case pwrite64, open, fcntl, ftruncate }

        /// One that is made all the same, and told to have failed.
        var isMade = false
        var call: Call
        var path: String
        /// The how many-th call fails.
        var number = 1
        /// Whether all later ones fail too.
        var isLasting = false
        var error = EIO
        /// Only what opens for writing.
        var writesOnly = false

        /// Runs a body, and says whether the call came that was to fail.
        @discardableResult func during(_ body: () throws -> Void) rethrows -> Bool {
            SystemFault.install
            SystemFault.lock.withLock { (SystemFault.armed, SystemFault.count) = (self, 0) }
            defer { SystemFault.lock.withLock { SystemFault.armed = nil } }
            try body()
            return SystemFault.lock.withLock { SystemFault.count >= number }
        }

        private static let lock = Lock()
        // Read and written only while `lock` is held.
        nonisolated(unsafe) private static var armed: SystemFault?
        nonisolated(unsafe) private static var count = 0

        /// The fault, if the call is one that fails.
        private static func fault(_ call: Call, _ path: @autoclosure () -> String?, isWriting: Bool = true)
            -> SystemFault?
        {
            lock.withLock {
                guard let armed, armed.call == call, armed.path == path(), isWriting || !armed.writesOnly else {
                    return nil
                }
                count += 1
                return count == armed.number || armed.isLasting && count > armed.number ? armed : nil
            }
        }

        private static func path(of descriptor: Int32) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
        }

        /// Puts the calls below in the place of SQLite's own; they go on to the system.
        private static let install: Void = {
            guard let files = sqlite3_vfs_find(nil) else { return }
            func set(_ name: Call, _ call: sqlite3_syscall_ptr?) {
                _ = files.pointee.xSetSystemCall(files, name.rawValue, call)
            }
            let pwrite64: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
                descriptor, bytes, count, offset in
                guard let fault = SystemFault.fault(.pwrite64, SystemFault.path(of: descriptor)) else {
                    return pwrite(descriptor, bytes, count, offset)
                }
                if fault.isMade { _ = pwrite(descriptor, bytes, count, offset) }
                errno = fault.error
                return -1
            }
            let open: @convention(c) (UnsafePointer<CChar>?, Int32, Int32) -> Int32 = { path, flags, mode in
                guard let path else { return -1 }
                if let fault = SystemFault.fault(.open, String(cString: path), isWriting: flags & O_ACCMODE == O_RDWR) {
                    errno = fault.error
                    return -1
                }
                return Foundation.open(path, flags, mode_t(mode))
            }
            // Locks alone: one that fails to be had. Those that are given up, and questions, go on.
            let fcntl: @convention(c) (Int32, Int32, Int) -> Int32 = { descriptor, kind, argument in
                if kind == F_SETLK, let lock = UnsafePointer<flock>(bitPattern: argument),
                    lock.pointee.l_type != F_UNLCK,
                    let fault = SystemFault.fault(.fcntl, SystemFault.path(of: descriptor))
                {
                    errno = fault.error
                    return -1
                }
                if let pointer = UnsafeMutableRawPointer(bitPattern: argument), kind == F_SETLK || kind == F_GETLK {
                    return Foundation.fcntl(descriptor, kind, pointer)
                }
                return Foundation.fcntl(descriptor, kind, Int32(truncatingIfNeeded: argument))
            }
            let ftruncate: @convention(c) (Int32, off_t) -> Int32 = { descriptor, size in
                if let fault = SystemFault.fault(.ftruncate, SystemFault.path(of: descriptor)) {
                    errno = fault.error
                    return -1
                }
                return Foundation.ftruncate(descriptor, size)
            }
            set(.pwrite64, unsafeBitCast(pwrite64, to: sqlite3_syscall_ptr.self))
            set(.open, unsafeBitCast(open, to: sqlite3_syscall_ptr.self))
            set(.fcntl, unsafeBitCast(fcntl, to: sqlite3_syscall_ptr.self))
            set(.ftruncate, unsafeBitCast(ftruncate, to: sqlite3_syscall_ptr.self))
        }()
    }
#endif
