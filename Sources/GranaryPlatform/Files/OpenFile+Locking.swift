/// The lock of a whole open file, `flock`.
///
/// It belongs to the open file description: two ``OpenFile``s on one file exclude each other as two processes do,
/// closing one leaves the other's lock alone, and it ends with its owner, however that dies.
extension OpenFile {
    /// Any number of open files have a shared lock on a file, or one has the exclusive lock.
    public enum LockKind: Sendable {
        case shared, exclusive
    }

    /// Takes the lock if it is free, and says whether it has it.
    ///
    /// Changing from one kind to the other is not atomic: the old lock is given up first, and is *not* taken again
    /// when this returns false.
    public func tryLock(_ kind: LockKind) throws(GranaryError) -> Bool {
        try withDescriptor { descriptor throws(GranaryError) in try tryFlock(descriptor, kind, path) }
    }

    /// Takes the lock, waiting for it until the deadline. False when that passed; then it holds no lock of either kind.
    /// `whileWaiting` runs after each vain attempt and ends the waiting by throwing.
    package func lock(
        _ kind: LockKind, until deadline: Deadline, whileWaiting: () throws(GranaryError) -> Void = {}
    ) throws(GranaryError) -> Bool {
        try waitForLock(until: deadline, whileWaiting) { () throws(GranaryError) in try tryLock(kind) }
    }

    package func unlock() {
        try? withDescriptor { descriptor throws(GranaryError) in
            _ = flock(descriptor, LOCK_UN)
        }
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

private func waitForLock(
    until deadline: Deadline, _ whileWaiting: () throws(GranaryError) -> Void = {},
    _ tryLock: () throws(GranaryError) -> Bool
) throws(GranaryError) -> Bool {
    var pause = 500_000
    while try !tryLock() {
        if deadline.isOver { return false }
        try whileWaiting()
        var time = timespec(tv_sec: 0, tv_nsec: pause)
        nanosleep(&time, nil)
        pause = min(pause * 2, 16_000_000)
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
