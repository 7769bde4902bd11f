import GranaryPlatform
import GranaryStoreKit

/// The ages of reads that other processes have open, counted from when a stack first saw them.
final class ForeignReadAges: Sendable {
    private let lock = Lock()
    // Read and written only while `lock` is held.
    nonisolated(unsafe) private var known: [Read: Age] = [:]
    nonisolated(unsafe) private var lastLook: Stopwatch?
    nonisolated(unsafe) private var isBlockageReported = false

    private struct Read: Hashable {
        let process: Int32
        let state: UInt64
    }

    private struct Age {
        let since = Stopwatch()
        var isReported = false
    }

    /// How long reads of other processes have kept the store from reusing space; nil if that is within the limit or was
    /// reported already.
    func longBlockage(of store: any Store, beyond limit: Duration) -> Duration? {
        let age = store.foreignBlockage()
        return lock.withLock {
            guard let age, age > limit else {
                if age == nil { isBlockageReported = false }
                return nil
            }
            defer { isBlockageReported = true }
            return isBlockageReported ? nil : age
        }
    }

    /// The reads that have been open for longer than a limit, each reported once. Called after each commit. It examines
    /// the store at most four times within the limit, because that takes some microseconds.
    func longReads(of store: any Store, beyond limit: Duration) -> [(read: ForeignRead, age: Duration)] {
        return lock.withLock {
            if let lastLook, lastLook.elapsed < limit / 4 { return [] }
            lastLook = Stopwatch()
            var long: [(ForeignRead, Duration)] = []
            var found: [Read: Age] = [:]
            for read in store.foreignReads() {
                let key = Read(process: read.process, state: read.state)
                var age = known[key] ?? Age()
                let duration = age.since.elapsed
                if duration > limit, !age.isReported {
                    age.isReported = true
                    long.append((read, duration))
                }
                found[key] = age
            }
            known = found
            return long
        }
    }
}
