/// The locks of an open file.
///
/// They belong to the open file description: two ``OpenFile``s on one file exclude each other as two processes do, closing
/// one leaves the other's locks alone, and they end with their owner, however that dies. (The classic POSIX locks, which
/// SQLite and LMDB use, belong to the process: closing any descriptor of the file drops them.)
extension OpenFile {
    /// Any number of open files have a shared lock on a file, or one has the exclusive lock.
    public enum LockKind: Sendable {
        case shared, exclusive
    }

    /// What a lock is on. Locks on the whole file and locks on bytes do not know of each other: a file has one or the other.
    public enum LockExtent: Sendable, Hashable {
        /// The whole file, with `flock`. Changing from one kind of lock to the other is not atomic: the old lock is given up
        /// first.
        case whole
        /// One byte, which need not exist, with `F_OFD_SETLK`: for a file that has several locks. Changing from one kind of
        /// lock to the other is atomic: the old lock stays if the new one cannot be had. An exclusive lock needs a file that
        /// is open for writing.
        case byte(Int64)
    }

    /// Takes the lock if it is free, and says whether it has it.
    ///
    /// Changing from one kind to the other is not atomic for ``LockExtent/whole``: the old lock is given up first, and is
    /// *not* taken again when this returns false.
    public func tryLock(_ kind: LockKind, on extent: LockExtent = .whole) throws(GranaryError) -> Bool {
        try withDescriptor { descriptor throws(GranaryError) in try OpenFile.take(kind, extent, descriptor, path) }
    }

    /// Takes the lock, waiting for it until the deadline. False when that passed; then it holds no lock of either kind on the
    /// whole file, and on a byte the lock that it held before. `isWanted` is asked after each vain attempt: false ends the
    /// waiting as the deadline does.
    package func lock(
        _ kind: LockKind, on extent: LockExtent = .whole, until deadline: Deadline,
        while isWanted: () throws(GranaryError) -> Bool = { true }
    ) throws(GranaryError) -> Bool {
        try waitForLock(until: deadline, while: isWanted) { () throws(GranaryError) in try tryLock(kind, on: extent) }
    }

    /// Takes the lock on the whole file, waiting for it while another open file has it. Returns false when the time is over;
    /// then it holds no lock of either kind.
    ///
    /// ```swift
    /// guard try file.lock(.exclusive, timeout: busyTimeout) else {
    ///     throw GranaryError(.busy, "Another process has \(file.path) open. Close the store there.")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: Whether other open files may have a lock as well: `shared`, or `exclusive`.
    ///   - timeout: How long to wait. With 0 the lock is tried once.
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

    /// Gives up every lock of a descriptor that is about to be closed.
    static func unlockAll(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)
        // A length of 0 is all there is.
        _ = setRangeLock(descriptor, Int32(F_UNLCK), 0, length: 0)
    }
}

/// The lock of the folder itself. It belongs to the open folder as that of an ``OpenFile`` does to the file.
extension OpenFolder {
    /// Takes the exclusive lock if it is free, and says whether it has it.
    package func tryLock() throws(GranaryError) -> Bool {
        try withDescriptor { descriptor throws(GranaryError) in try tryFlock(descriptor, .exclusive, path) }
    }

    /// Takes the exclusive lock, waiting for it until the deadline. False when that passed.
    package func lock(until deadline: Deadline) throws(GranaryError) -> Bool {
        try waitForLock(until: deadline) { () throws(GranaryError) in try tryLock() }
    }

    package func unlock() {
        try? withDescriptor { descriptor throws(GranaryError) in
            _ = flock(descriptor, LOCK_UN)
        }
    }
}

/// Tries again, a little later each time: after 50 microseconds at first, which is about a commit, after 5 milliseconds in
/// the end.
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
    // F_OFD_SETLK, which has no name in Swift.
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
