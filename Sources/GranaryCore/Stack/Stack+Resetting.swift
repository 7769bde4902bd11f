import Foundation
import Synchronization
import Logging

/// The contents of a store after ``Stack/reset(to:reads:onProgress:)``.
public enum ResetTarget: Sendable, Hashable, Codable, CaseIterable {
    /// No records.
    case empty
    /// The contents of the seed that the stack was opened with. It must be the unchanged seed that the store was made
    /// from, otherwise `seedMismatch` is thrown. A store that was made without a seed accepts any seed, and remembers
    /// it from then on.
    case seed
    /// The contents of the seed that the stack was opened with, even if the store was made from another one, such as an
    /// earlier version.
    case anySeed
}

/// What happens to running reads while a store is reset.
public enum ReadsAtReset: Sendable, Hashable, Codable, CaseIterable {
    /// They go on to their end with their old state.
    case finish
    /// They throw `cancelled`, except those of contexts, which finish.
    case cancel
}

extension Stack {
    /// Replaces the contents of the store by nothing, or by its seed: for example when a user logs out.
    ///
    /// ```swift
    /// try await stack.reset(to: .empty)
    /// ```
    ///
    /// - The stack stays in use, and so does its main context, which drops its pending changes. The main contexts of
    ///   other stacks of the process do the same at their next call. Every other context throws `generationGone` from
    ///   then on, because its contents belong to records that no longer exist.
    /// - Writes that were requested earlier come first; later ones wait, and go to the new store. A reset does not wait
    ///   for reads.
    /// - Observers and `FetchedResults` get one commit with unknown changes, and show the new contents.
    /// - The history is empty afterwards. Assigned keys and the numbers of commits continue, so that no key names two
    ///   records.
    /// - All or nothing: if it fails, or the process is killed, either the old or the new store is complete.
    /// - No other process may have the store open.
    ///
    /// - Cancelling the task ends it, until the new store has replaced the old one.
    ///
    /// It takes a few milliseconds; with a seed, as long as copying the seed. The space of the old store is given back
    /// when the last read that began before has ended.
    ///
    /// - Parameters:
    ///   - target: The contents of the store afterwards.
    ///   - reads: What happens to running reads.
    ///   - onProgress: Called now and then while the seed is copied, on a thread of the stack's own.
    /// - Throws: `unsupported` if the kind of store cannot be filled, or the stack has no seed; what the seed throws
    ///   (`notAStore`, `schemaMismatch`, `newerFormat`, `corrupt`); `seedMismatch`; `busy` if another process has the
    ///   store open, or one has been writing for longer than the store's busy time-out; `full`, `readOnly`, `closed`,
    ///   `cancelled`.
    public func reset(
        to target: ResetTarget, reads: ReadsAtReset = .finish,
        onProgress: (@Sendable (StoreProgress) -> Void)? = nil
    ) async throws {
        let generation = store.coordinator.generation
        var failure: (any Error)?
        do {
            try await longWork(on: writers, onProgress) { [self] _ in
                try resetNow(try contents(of: target), reads)
            }
        } catch {
            failure = error
        }
        // The new store may be in place although a later step failed.
        if generation != store.coordinator.generation, main.isMade.load(ordering: .acquiring) {
            do {
                try await main.noticeReset()
            } catch {
                report(error, of: .following, "the main context could not follow a reset")
            }
        }
        if let failure { throw failure }
    }

    private func contents(of target: ResetTarget) throws -> StoreContents {
        if target == .empty { return .empty }
        guard let seed else {
            throw GranaryError(
                .unsupported, "The stack was opened without a seed. Pass one as seed:, or reset to empty.")
        }
        var contents = try seed.contents(for: schema, migration: migrationPolicy)
        guard let given = contents.seed else { return contents }
        var known = try newestSchema()
        if target == .seed, let old = known.seed, old != given { throw GranaryError.otherSeed(old, given) }
        if known.seed != given {
            known.seed = given
            contents = contents.forStore(of: known)
        }
        return contents
    }

    /// The schema of the newest state, which knows the seed of that state: a reset may have used another seed since the
    /// stack was opened.
    func newestSchema() throws -> Schema {
        let reader = try store.beginRead(CancellationFlag())
        defer { reader.end() }
        var known = reader.schema
        if let reader = reader as? any SeedReading { known.seed = try reader.seed() }
        return known
    }

    private func resetNow(_ contents: StoreContents, _ reads: ReadsAtReset) throws {
        let announced = AnnouncedNumber()
        let coordinator = store.coordinator
        var filling = StoreContents(schema: contents.schema) { new, old in
            if let old {
                // The store's own readers and writers have seen the commits up to this one.
                coordinator.see(old.transactionNumber)
                let next = try StoredCount.next(after: old.transactionNumber)
                announced.value.store(next, ordering: .relaxed)
                coordinator.announce(next)
            }
            try contents.fill(new, replacing: old)
        }
        filling.wentLive = { [activity] in
            coordinator.beginGeneration()
            if reads == .cancel { activity.cancelReads() }
        }
        let generation = coordinator.generation
        var failure: (any Error)?
        do { try store.replaceContents(with: filling) } catch { failure = error }
        historyAge.forget()
        let number = announced.value.load(ordering: .relaxed)
        if number > 0 {
            // The new store may be in place although a later step failed.
            if coordinator.generation != generation {
                coordinator.publish(
                    ChangeSet(
                        transactionNumber: number, origin: ChangeOrigin(name: "reset"), changes: nil,
                        time: Date().timeIntervalSinceReferenceDate))
            } else {
                coordinator.withdraw(number)
            }
        }
        if let failure { throw failure }
    }
}

/// The number of the reset's commit; 0 until it is known.
private final class AnnouncedNumber: Sendable {
    let value = Atomic<UInt64>(0)
}

extension MainContext {
    /// Makes the main context drop its changes of records that no longer exist.
    @MainActor fileprivate func noticeReset() throws { try context?.noticeReset() }
}
