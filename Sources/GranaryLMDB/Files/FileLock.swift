import GranaryStoreKit
import GranaryPlatform

/// A small file of ours with locks on byte ranges that belong to the open description: they end with the process, and
/// unlike classic POSIX locks they do not vanish when someone else in the process closes the file.
struct LockFile: ~Copyable {
    enum Mode { case shared, exclusive, none }

    let descriptor: Int32
    let path: String

    /// - Parameter other: The path of a file whose mode it gets.
    init(path: String, withModeOf other: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw EngineFailures.posix(errno, "opening a lock file", path: path) }
        LockFile.copyMode(of: other, to: descriptor)
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        // Closing is not enough: see ``OpenFile``. A length of 0 is all there is.
        var range = LockFile.range(.none, at: 0, length: 0)
        _ = fcntl(descriptor, LockFile.command, &range)
        close(descriptor)
    }

    /// Gives a file that may have just been made the mode of another one. One of another user stays as it is.
    static func copyMode(of other: String, to descriptor: Int32) {
        var (wanted, status) = (stat(), stat())
        guard lstat(other, &wanted) == 0, fstat(descriptor, &status) == 0, wanted.st_mode != status.st_mode else {
            return
        }
        _ = fchmod(descriptor, wanted.st_mode & 0o777)
    }

    /// F_OFD_SETLK, which has no name in Swift.
    private static var command: Int32 {
        #if os(Linux)
            37
        #else
            90
        #endif
    }

    private static func range(_ mode: Mode, at offset: Int, length: Int) -> flock {
        var range = flock()
        switch mode {
        case .shared: range.l_type = Int16(F_RDLCK)
        case .exclusive: range.l_type = Int16(F_WRLCK)
        case .none: range.l_type = Int16(F_UNLCK)
        }
        range.l_whence = Int16(SEEK_SET)
        range.l_start = off_t(offset)
        range.l_len = off_t(length)
        return range
    }

    /// Sets the lock on one byte and says whether it could: false means that another process holds it. Changing the
    /// mode of a lock already held is atomic.
    func set(_ mode: Mode, at offset: Int) throws -> Bool {
        var range = LockFile.range(mode, at: offset, length: 1)
        while true {
            if fcntl(descriptor, LockFile.command, &range) == 0 { return true }
            switch errno {
            case EAGAIN, EACCES: return false
            case EINTR: continue
            default: throw EngineFailures.posix(errno, "locking", path: path)
            }
        }
    }

    /// Tries again, a little later each time, until the lock is held or the deadline is over.
    func wait(_ mode: Mode, at offset: Int, until deadline: Deadline) throws -> Bool {
        var pause: UInt32 = 50
        while true {
            if try set(mode, at: offset) { return true }
            if deadline.isOver { return false }
            usleep(min(pause, UInt32(max(1, min(deadline.remaining * 1e6, 5000)))))
            pause = min(pause * 2, 5000)
        }
    }
}
