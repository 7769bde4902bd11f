import Foundation
import Synchronization

/// Looks at the process's own memory every 20 ms.
final class MemorySampler: Sendable {
    private let most = Mutex<Double>(0)
    private let isStopped = Atomic<Bool>(false)
    private let done = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            while !isStopped.load(ordering: .relaxed) {
                look()
                Thread.sleep(forTimeInterval: 0.02)
            }
            done.signal()
        }
    }

    /// - Returns: The most memory there was, in MB.
    func stop() -> Double {
        isStopped.store(true, ordering: .relaxed)
        done.wait()
        look()
        return most.withLock { $0 }
    }

    private func look() {
        let own = PeakMemory.current().own
        most.withLock { $0 = max($0, own) }
    }
}
