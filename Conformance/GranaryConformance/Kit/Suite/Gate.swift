import GranaryCore
import GranaryPlatform

/// Something to wait for, blocking.
package final class Gate: Sendable {
    private let lock = Lock()
    private let opened = Lock.Condition()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var isOpen = false

    package init() {}

    package var isOpened: Bool { lock.withLock { isOpen } }

    package func open() {
        lock.withLock {
            isOpen = true
            opened.broadcast()
        }
    }

    package func wait() {
        lock.lock()
        while !isOpen { opened.wait(lock) }
        lock.unlock()
    }
}
