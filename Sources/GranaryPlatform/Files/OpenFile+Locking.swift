/// The locks of an open file.
///
/// They belong to the open file description: two ``OpenFile``s on one file exclude each other as two processes do.
/// Closing one leaves the locks of the other alone. All locks end when their process ends, even if it is killed. (The
/// classic POSIX locks, which SQLite and LMDB use, belong to the process: closing any descriptor of the file drops
/// them.)
extension OpenFile {
    /// A file may have any number of shared locks, or one exclusive lock.
    public enum LockKind: Sendable {
        case shared, exclusive
    }

    /// The locked part of a file. Locks on the whole file and locks on bytes do not exclude each other: use only one
    /// sort for a file.
    public enum LockExtent: Sendable, Hashable {
        /// The whole file, with `flock`. Changing between shared and exclusive is not atomic: the old lock is given up
        /// first.
        case whole
        /// One byte, which need not exist, with `F_OFD_SETLK`: for a file that has several locks. Changing between
        /// shared and exclusive is atomic: the old lock stays if the new one is not free. An exclusive lock needs a
        /// file that is open for writing.
        case byte(Int64)
    }

    /// Takes the lock if it is free. Returns whether it was taken.
    ///
    /// For ``LockExtent/whole``, changing between shared and exclusive is not atomic: the old lock is given up first,
    /// and is *not* taken again when this returns false.
    public func tryLock(_ kind: LockKind, on extent: LockExtent = .whole) throws(GranaryError) -> Bool {
        try withDescriptor { descriptor throws(GranaryError) in try OpenFile.take(kind, extent, descriptor, path) }
    }

    /// Takes the lock, waiting for it until the deadline. Returns false when the deadline has passed: then it holds no
    /// lock on the whole file; on a byte it holds the lock that it held before. `isWanted` is called after each failed
    /// attempt; if it returns false, the waiting ends as at the deadline.
    package func lock(
        _ kind: LockKind, on extent: LockExtent = .whole, until deadline: Deadline,
        while isWanted: () throws(GranaryError) -> Bool = { true }
    ) throws(GranaryError) -> Bool {
        try waitForLock(until: deadline, while: isWanted) { () throws(GranaryError) in try tryLock(kind, on: extent) }
    }

    /// Takes the lock on the whole file, waiting while another open file has it. Returns false when the time is over;
    /// then it holds no lock, neither shared nor exclusive.
    ///
    /// ```swift
    /// guard try file.lock(.exclusive, timeout: busyTimeout) else {
    ///     throw GranaryError(.busy, "Another process has \(file.path) open. Close the store there.")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: `shared` if other open files may have a shared lock as well, or `exclusive`.
    ///   - timeout: How long to wait. With 0 there is one attempt.
    public func lock(_ kind: LockKind, timeout: Duration) throws(GranaryError) -> Bool {
        try lock(kind, until: Deadline(seconds: timeout.inSeconds))
    }

    package func unlock(_ extent: LockExtent = .whole) {
        try? withDescriptor { descriptor throws(GranaryError) in
            OpenFile.give(extent, descriptor)
        }
    }

    private static func take(
        _ kind: LockKind, _ extent: LockExtent, _ descriptor: Int32, _ path: String
    ) throws(GranaryError) -> Bool {
        switch extent {
        case .whole: return try tryFlock(descriptor, kind, path)
        case .byte(let offset): return try tryRangeLock(descriptor, kind, offset, path)
        }
    }

    private static func give(_ extent: LockExtent, _ descriptor: Int32) {
        switch extent {
        case .whole: _ = flock(descriptor, LOCK_UN)
        case .byte(let offset): _ = setRangeLock(descriptor, Int32(F_UNLCK), offset, length: 1)
        }
    }

    /// Releases all locks of a descriptor before it is closed.
    static func unlockAll(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        // A length of 0 means all bytes.
        _ = setRangeLock(descriptor, Int32(F_UNLCK), 0, length: 0)
    }
}

/// The lock of the folder itself. It belongs to the open folder, as the lock of an ``OpenFile`` belongs to the open
/// file.
extension OpenFolder {
    /// Takes the exclusive lock if it is free. Returns whether it was taken.
    package func tryLock() throws(GranaryError) -> Bool {
        try withDescriptor { descriptor throws(GranaryError) in try tryFlock(descriptor, .exclusive, path) }
    }

    /// Takes the exclusive lock, waiting for it until the deadline. Returns false when the deadline has passed.
    package func lock(until deadline: Deadline) throws(GranaryError) -> Bool {
        try waitForLock(until: deadline) { () throws(GranaryError) in try tryLock() }
    }

    package func unlock() {
        try? withDescriptor { descriptor throws(GranaryError) in
            _ = flock(descriptor, LOCK_UN)
        }
    }
}

/// Tries again after growing pauses: 50 microseconds at first, which is about the time of a commit, up to 5
/// milliseconds.
private func waitForLock(
    until deadline: Deadline, while isWanted: () throws(GranaryError) -> Bool = { true },
    _ tryLock: () throws(GranaryError) -> Bool
) throws(GranaryError) -> Bool {
    var pause = 50_000
    while try !tryLock() {
        guard !deadline.isOver, try isWanted() else { return false }
        var time = timespec(tv_sec: 0, tv_nsec: min(pause, max(1000, Int(min(deadline.remaining, 1) * 1e9))))
        nanosleep(&time, nil)
        pause = min(pause * 2, 5_000_000)
    }
    return true
}

private func tryFlock(_ descriptor: Int32, _ kind: OpenFile.LockKind, _ path: String) throws(GranaryError) -> Bool {
    while true {
        if flock(descriptor, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return true }
        let number = errno
        if number == EWOULDBLOCK { return false }
        if number != EINTR { throw .posix(number, "lock", path) }
    }
}

private func tryRangeLock(
    _ descriptor: Int32, _ kind: OpenFile.LockKind, _ offset: Int64, _ path: String
) throws(GranaryError) -> Bool {
    while true {
        let number = setRangeLock(descriptor, Int32(kind == .shared ? F_RDLCK : F_WRLCK), offset, length: 1)
        switch number {
        case 0: return true
        case EAGAIN, EACCES: return false
        case EINTR: continue
        default: throw .posix(number, "lock", path)
        }
    }
}

/// Returns 0, or the `errno` of the failure.
private func setRangeLock(_ descriptor: Int32, _ type: Int32, _ offset: Int64, length: Int) -> Int32 {
    // F_OFD_SETLK, which Swift does not import.
    #if canImport(Darwin)
        let command: Int32 = 90
    #else
        let command: Int32 = 37
    #endif
    var range = flock()
    range.l_type = Int16(type)
    range.l_whence = Int16(SEEK_SET)
    range.l_start = off_t(offset)
    range.l_len = off_t(length)
    return fcntl(descriptor, command, &range) == 0 ? 0 : errno
}
