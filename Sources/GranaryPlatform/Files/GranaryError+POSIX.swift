extension GranaryError {
    /// The error for a failed system call.
    ///
    /// - Parameters:
    ///   - number: The value of `errno` right after the call.
    ///   - action: The attempted action, as it reads after "Cannot": `create the folder`.
    ///   - path: The path of the file or folder.
    package static func posix(_ number: Int32, _ action: String, _ path: String) -> GranaryError {
        let (code, advice) = posixMeaning(number)
        return GranaryError(code, "Cannot \(action) \(path). \(advice)")
            .causedBy("posix", number, String(cString: strerror(number)))
    }

    /// The error for a failed system call that writes to a file or syncs it.
    ///
    /// A full disk may give `EIO`: some file systems look for room only when they write bytes that they accepted long
    /// before, and a short write gives no further reason. So this checks whether the disk has room.
    static func posixWriting(_ number: Int32, _ action: String, _ path: String) -> GranaryError {
        guard number == EIO, !FileSystem.hasRoom(path) else { return posix(number, action, path) }
        let (code, advice) = posixMeaning(ENOSPC)
        return GranaryError(code, "Cannot \(action) \(path). \(advice)")
            .causedBy("posix", number, String(cString: strerror(number)))
    }

    /// The code for a failed system call, and advice.
    ///
    /// - Parameter number: The value of `errno`.
    package static func posixMeaning(_ number: Int32) -> (code: Code, advice: String) {
        switch number {
        case ENOENT, ENOTDIR:
            (.invalidPath, "A folder on the way to it does not exist, or is a file: create the folder first.")
        case EISDIR: (.invalidPath, "It is a folder: remove it or choose another path.")
        case ENAMETOOLONG: (.invalidPath, "The path is too long: choose a shorter one.")
        case ELOOP: (.invalidPath, "It is a symbolic link: give the path that the link points to.")
        case EACCES, EPERM: (.permissionDenied, "Give this user access to it, or run as the user who owns it.")
        case EROFS: (.readOnly, "The file system is mounted read-only: open the store for reading only.")
        case ENOSPC, EDQUOT, EFBIG: (.full, "The disk or the quota is full: free some space and try again.")
        case EMFILE, ENFILE: (.io, "Too many files are open: raise the limit or close some.")
        default: (.io, "Check the disk and the system's log.")
        }
    }
}

/// Repeats a system call while a signal interrupts it, and throws if it fails.
func posixCall(_ action: @autoclosure () -> String, _ path: String, _ call: () -> Int32) throws(GranaryError) -> Int32 {
    while true {
        let result = call()
        if result >= 0 { return result }
        let number = errno
        if number != EINTR { throw .posix(number, action(), path) }
    }
}

/// As ``posixCall(_:_:_:)``, for calls that may fail because the disk is full.
func posixWrite(_ action: @autoclosure () -> String, _ path: String, _ call: () -> Int32) throws(GranaryError) {
    while call() < 0 {
        let number = errno
        if number != EINTR { throw .posixWriting(number, action(), path) }
    }
}
