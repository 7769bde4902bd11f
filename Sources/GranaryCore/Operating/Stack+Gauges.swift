import GranaryPlatform
import GranaryStoreKit

/// What a stack is doing at this moment, and how large its files are: for gauges.
public struct StackGauges: Sendable, Hashable {
    /// The number of open reads, with kept snapshots.
    public let openReads: Int
    /// How long the oldest open read has kept the store from reusing space: the time since the first commit after the
    /// read began. Nil if no open read has been overtaken by a commit.
    public let oldestRead: Duration?
    /// The number of reads that wait for a thread, because all threads for reads are busy: see ``StackLimits``.
    public let waitingReads: Int
    /// The number of writes that wait for their turn.
    public let waitingWrites: Int
    /// Whether the closure of a write is running.
    public let isWriting: Bool
    /// The bytes of the store's main file; nil for a store without files.
    public let fileBytes: Int64?
    /// The bytes of the files that an engine keeps next to its main file, under the same name with an ending, such as
    /// SQLite's log; nil for a store without files.
    public let logBytes: Int64?
}

extension Stack {
    /// What the stack is doing at this moment. Ask now and then, for example each time that metrics are collected.
    ///
    /// ```swift
    /// let gauges = stack.gauges()
    /// print(gauges.openReads, gauges.waitingWrites, gauges.logBytes ?? 0)
    /// ```
    ///
    /// Cost: a lock, and the status of a few files. It waits for no read or write, and also answers on a closed stack.
    public func gauges() -> StackGauges {
        let reads = activity.openReads()
        let files = location.flatMap { try? Stack.fileSizes($0) }
        return StackGauges(
            openReads: reads.count, oldestRead: reads.oldest, waitingReads: readers.waiting,
            waitingWrites: writers.waiting, isWriting: activity.isInWrite, fileBytes: files?.main,
            logBytes: files?.beside)
    }

    /// The sizes of the main file, and of the files whose names begin with its name and a dash.
    private static func fileSizes(_ path: String) throws -> (main: Int64, beside: Int64)? {
        guard let main = try FileSystem.status(path), let slash = path.lastIndex(of: "/") else { return nil }
        let folder = try OpenFolder(String(path[..<slash]))
        let beginning = path[path.index(after: slash)...] + "-"
        let beside = try folder.names().filter { $0.hasPrefix(beginning) }
        return (
            main.size, try beside.reduce(0) { try $0 + (FileSystem.status("\(path[...slash])\($1)")?.size ?? 0) }
        )
    }
}
