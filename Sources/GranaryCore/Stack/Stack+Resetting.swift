import Foundation
import Synchronization

/// What a store holds after ``Stack/reset(to:reads:onProgress:)``.
public enum ResetTarget: Sendable, Hashable, Codable, CaseIterable {
    /// No records.
    case empty
    /// What the seed holds that the stack was opened with. It must be the one that the store was made from, as it was then: else
    /// `seedMismatch` is thrown. A store that was made without a seed takes any, and keeps from then on which it was.
    case seed
    /// What the seed holds that the stack was opened with, whatever the store was made from: a later version of it, say.
    case anySeed
}

/// What becomes of the reads that are under way while a store is reset.
public enum ReadsAtReset: Sendable, Hashable, Codable, CaseIterable {
    /// They go on to their end on what they began with.
    case finish
    /// They throw `cancelled`, but for those of contexts, which finish.
    case cancel
}

extension Stack {
    /// Replaces everything in the store by nothing, or by its seed: when a user logs out, say.
    ///
    /// ```swift
    /// try await stack.reset(to: .empty)
    /// ```
    ///
    /// - The stack stays as it is, and so does its main context, which drops its pending changes. The main contexts of other
    ///   stacks of the process do the same at their next call. Every other context throws `generationGone` from then on: what
    ///   it holds belongs to records that are gone.
    /// - Writes that were asked for before it come first; later ones wait, and go to the new store. It does not wait for reads.
    /// - Observers and `FetchedResults` are told of one commit whose changes are not known, and show what is there then.
    /// - The history is empty afterwards. Assigned keys and the numbers of commits go on, so that no key names two records.
    /// - All or nothing: if it fails, or the process is killed, the old store or the new one is there, whole.
    /// - It needs the store alone among processes.
    ///
    /// - Cancelling the task ends it, as long as the new store has not taken the place of the old one.
    ///
    /// It takes a few milliseconds, and to a seed as long as copying that. The space of the old store is given back when the
    /// last read ends that began before.
    ///
    /// - Parameters:
    ///   - target: What the store holds afterwards.
    ///   - reads: What happens to reads that are open.
    ///   - onProgress: Called now and then while the seed is copied, on a thread of the stack's own.
    /// - Throws: `unsupported` if the kind of store cannot be filled, or the stack has no seed; what the seed throws
    ///   (`notAStore`, `schemaMismatch`, `newerFormat`, `corrupt`); `seedMismatch`; `busy` if another process has the store open, or one has
    ///   been writing for longer than the store's busy time-out; `full`, `readOnly`, `closed`, `cancelled`.
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
        // It may have gone live although something failed afterwards.
        if generation != store.coordinator.generation, main.isMade.load(ordering: .acquiring) {
            await main.noticeReset()
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

    /// The schema of the newest state, which knows the seed that this was made from: a reset may have been to another one since
    /// the stack was opened.
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
            // It may have gone live although something failed afterwards.
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

/// The number of the commit that a reset is, 0 until it is known.
private final class AnnouncedNumber: Sendable {
    let value = Atomic<UInt64>(0)
}

extension MainContext {
    /// Has the main context drop what it holds of records that are gone.
    @MainActor fileprivate func noticeReset() { try? context?.noticeReset() }
}
