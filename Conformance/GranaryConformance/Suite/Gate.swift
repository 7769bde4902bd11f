import GranaryCore
import GranaryPlatform

/// Something to wait for, blocking.
final class Gate: Sendable {
    private let lock = Lock()
    private let opened = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isOpen = false

    var isOpened: Bool { lock.withLock { isOpen } }

    func open() {
        lock.withLock {
            isOpen = true
            opened.broadcast()
        }
    }

    func wait() {
        lock.lock()
        while !isOpen { opened.wait(lock) }
        lock.unlock()
    }
}
