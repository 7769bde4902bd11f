import CLMDB
import GranaryKeyValue
import GranaryPlatform
public import GranaryStoreKit

extension LMDBEngine {
    /// Closes the environment, and marks the file as clean if no other process has it open. Throws `busy` and changes
    /// nothing while a transaction is open. Closing again does nothing.
    public func close() throws {
        lock.lock()
        defer { lock.unlock() }
        guard !state.isClosed else { return }
        try excludingReaders {
            let open = openTransactions
            guard open == 0 else {
                throw GranaryError(.busy, "\(open) transactions are open. End them before closing the store.")
            }
            closeNow()
        }
    }

    /// `lock` must be held, and no transaction may be open.
    func closeNow() {
        guard !state.isClosed else { return }
        state.isClosed = true
        // Without the gate (another process has had it for the whole time-out) the marker stays as it is: the next
        // opening walks the file.
        let hasGate = (try? marker?.enterGate(until: Deadline(seconds: options.busySeconds))) != nil
        // The names of a retired engine's files are gone. Files that are being built are synced as a whole afterwards.
        // If a sync here failed, the failure would be missing in that later sync, which reports it.
        let isSyncedByOthers = options.readOnly || options.isBuilding
        let wasSynced =
            !state.isRetired && (state.environment.map { isSyncedByOthers || mdb_env_sync($0, 1) == 0 } ?? false)
        // As soon as a file without a name is closed, a new file may get its number.
        if state.isRetired { EnvironmentRegistry.release(identity) }
        closeEnvironment()
        if let marker {
            if hasGate, wasSynced, !state.needsReopening, (try? marker.becomeSoleUser()) == true {
                marker.markClean()
            }
            marker.leave()
            if hasGate { marker.leaveGate() }
        }
        if !state.isRetired { EnvironmentRegistry.release(identity) }
    }

    public func synchronize() throws {
        let isNeeded = lock.withLock {
            defer { state.hasUnsynced = false }
            return state.hasUnsynced
        }
        guard isNeeded, !options.readOnly else { return }
        do {
            try OpenFile(dataPath, .reading).synchronize()
        } catch {
            lock.withLock { state.hasUnsynced = true }
            throw error
        }
    }

    /// Walks the whole structure of the newest committed state, including its free pages, about two gigabytes a second.
    /// Others may read and write during this.
    public func verify() throws -> [String] {
        // Commits of other threads and processes can overtake it; then it begins again with a newer state.
        for _ in 0..<1000 {
            let reader = try beginRead()
            defer { reader.end() }
            guard let reader = reader as? LMDBReader, let transaction = reader.transaction else { break }
            do {
                if try LMDBFileCheck.walk(path: dataPath, transaction: UInt64(mdb_txn_id(transaction))) != nil {
                    return []
                }
            } catch let error as GranaryError where error.code == .corrupt {
                return [error.message]
            }
        }
        throw GranaryError(.busy, "\(dataPath) is written to all the time. Verify it when less is written.")
    }

    /// The reads in the slots of other processes. Slots of processes that have died are cleared before.
    public func foreignReads() -> [ForeignRead] {
        lock.withLock {
            guard let environment = state.environment else { return [] }
            var cleared: Int32 = 0
            mdb_reader_check(environment, &cleared)
            var information = MDB_envinfo()
            mdb_env_info(environment, &information)
            let lines = ReaderLines()
            // The list is written, and the callback called, before the call returns.
            mdb_reader_list(
                environment,
                { line, context in
                    guard let line, let context else { return 0 }
                    Unmanaged<ReaderLines>.fromOpaque(context).takeUnretainedValue().all.append(String(cString: line))
                    return 0
                }, Unmanaged.passUnretained(lines).toOpaque())
            return withExtendedLifetime(lines) { lines.all }.compactMap { line in
                // Process, thread and state; a slot without a reader has a dash for the state.
                let parts = line.split(whereSeparator: { $0 == " " || $0 == "\n" })
                guard parts.count == 3, let process = Int32(parts[0]), let number = UInt64(parts[2]),
                    process != getpid()
                else { return nil }
                let last = UInt64(information.me_last_txnid)
                return ForeignRead(
                    process: process, state: number, transactionsBehind: last > number ? last - number : 0)
            }
        }
    }
}

/// LMDB's text about the slots of readers.
private final class ReaderLines {
    var all: [String] = []
}
