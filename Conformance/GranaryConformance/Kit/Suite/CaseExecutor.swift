import GranaryCore
import GranaryPlatform

/// Runs a case on threads of its own. Cases block, to wait for a store or for each other's threads; on Swift's few
/// cooperative threads that would keep everything else from running, and the rest of the case with it.
package final class CaseExecutor: TaskExecutor {
    private let threads = BlockingThreads(limit: 8)

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        threads.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Lets the threads end. The case has ended before.
    package func stop() { threads.stop() }
}
