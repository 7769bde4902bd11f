import GranaryPlatform
import GranaryStoreKit

/// Whether a stack can read and write at this moment.
public struct StackHealth: Sendable {
    /// What a probe has found.
    public enum Finding: Sendable {
        case works
        /// Others write at this moment: it works, and the probe did not wait.
        case busy
        /// The store was opened for reading only, or its disk is.
        case readOnly
        case fails(GranaryError)

        /// Whether nothing must be repaired.
        public var isSound: Bool { if case .fails = self { false } else { true } }
    }

    /// The begin of a read, and its end.
    public let reading: Finding
    /// The begin of a write that changes nothing, and its end. `busy` while another write runs: see
    /// ``StackGauges/waitingWrites`` for writes that wait behind it.
    public let writing: Finding
    /// Space for a megabyte in a file without a name, in the folder of the store, which is given back at once; `works` for
    /// a store without files.
    public let disk: Finding
    /// How many bytes can still be written on the file system of the store; nil for a store without files.
    public let freeBytes: UInt64?
    /// What the stack is doing: with the age of the oldest read.
    public let gauges: StackGauges

    /// Whether reads and writes work, and the disk has room.
    public var isHealthy: Bool { reading.isSound && writing.isSound && disk.isSound }
}

extension Stack {
    /// Tries whether the stack can read and write, for the health check of a service.
    ///
    /// ```swift
    /// let health = try await stack.health()
    /// guard health.isHealthy else { return .serviceUnavailable }
    /// ```
    ///
    /// It runs on a thread of its own: neither behind reads that wait for a thread for reads, nor behind
    /// writes. Nothing that it does stays in the store, and observers see no commit. A disk that does not answer makes it
    /// wait, so give it a time-out. Cost: the begin of a read and of a write, some calls of the file system, and a thread.
    ///
    /// - Throws: `closed` if the stack is closed. What the probes find is in the result.
    public func health() async throws -> StackHealth {
        let work = try activity.enter()
        let examiner = BlockingThreads(limit: 1)
        defer { examiner.stop() }
        return await withCheckedContinuation { continuation in
            examiner.run {
                let health = self.examine()
                // Before the caller goes on, because closing the stack waits for it.
                work.leave()
                continuation.resume(returning: health)
            }
        }
    }

    private func examine() -> StackHealth {
        let place = location
        return StackHealth(
            reading: Stack.finding { try store.beginRead(CancellationFlag()).end() },
            writing: activity.isInWrite
                ? .busy
                : Stack.finding { try WriterPatience.$limit.withValue(0) { try store.beginWrite().end() } },
            disk: Stack.finding {
                guard let place, !FileSystem.hasRoom(place) else { return }
                throw GranaryError(.full, "The disk of \(place) has less than a megabyte of room. Free some space.")
            },
            freeBytes: place.flatMap { try? FileSystem.freeSpace($0) }, gauges: gauges())
    }

    private static func finding(_ probe: () throws -> Void) -> StackHealth.Finding {
        do {
            try probe()
            return .works
        } catch let error as GranaryError {
            switch error.code {
            case .busy: return .busy
            case .readOnly: return .readOnly
            default: return .fails(error)
            }
        } catch {
            return .fails(GranaryError(.io, "A store of another kind has thrown \(type(of: error)). See its log."))
        }
    }
}
