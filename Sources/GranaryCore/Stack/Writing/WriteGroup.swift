import Foundation
import GranaryPlatform

/// A write in the queue of a stack, which the running write may take into its group.
final class WaitingWrite: Joiner {
    /// Whether it runs on the thread of its caller, and not on that of the group.
    let isOnCallersThread: Bool
    let durability: WriteDurability
    let join: @Sendable (WriteGroup) -> Void

    init(
        isOnCallersThread: Bool, _ durability: WriteDurability, join: @escaping @Sendable (WriteGroup) -> Void
    ) {
        (self.isOnCallersThread, self.durability, self.join) = (isOnCallersThread, durability, join)
    }
}

/// The durability of a write: the one that the store was opened with, or another one.
struct WriteDurability: Sendable {
    let asked: Durability?

    /// Whether a commit of this durability does for a write of the other one.
    func does(for other: WriteDurability) -> Bool {
        asked == other.asked || asked == .full || other.asked == .relaxed || other.asked == .off
    }

    func begin(_ store: any Store) throws -> any StoreWriter {
        try asked.map { try store.beginWrite($0) } ?? store.beginWrite()
    }
}

/// What a write is told of its commit.
struct GroupCommitOutcome: Sendable {
    /// Its number; nil if it has changed nothing.
    var number: UInt64?
    /// The number of writes in the group.
    var writes: Int
}

/// A write that has done its work and is not committed yet.
struct FinishedWrite {
    let origin: ChangeOrigin
    /// Its number, if it has changed something.
    let next: UInt64
    /// What it has changed; nil if this is not known.
    let changes: [RecordChange]?
    let time: Double
}

/// The writes of one transaction of the store: the one that began it, and those that have joined it.
// @unchecked: it is used by one thread at a time. The thread that began it lends it to the thread of a joining write,
// and waits until that write gives it back; both use a lock for this.
final class WriteGroup: @unchecked Sendable {
    private struct Member {
        var write: FinishedWrite
        /// Nil if it has changed nothing.
        var number: UInt64?
        var finish: (Result<GroupCommitOutcome, any Error>) -> Void
    }

    private let stack: Stack
    private let writer: any StoreWriter
    private let first: FinishedWrite
    private let begin = Deadline.now()
    /// The thread that began the transaction and will end it.
    let thread = currentThread()
    /// Nil until a second write joins.
    private var grouping: (any GroupWriting)?
    private var firstNumber: UInt64?
    private var members: [Member] = []
    /// Why the transaction can only be ended.
    private var failure: (any Error)?

    init(_ stack: Stack, _ writer: any StoreWriter, _ first: FinishedWrite) {
        (self.stack, self.writer, self.first) = (stack, writer, first)
    }

    var count: Int { members.count + 1 }

    /// Whether a further write may join.
    var isOpen: Bool {
        let limits = stack.groupCommit
        return failure == nil && grouping?.hasRoom ?? true && count < limits.writes
            && Deadline.now() - begin < limits.within.inSeconds
    }

    /// Called before a write joins: ends the first write, if this is the second.
    ///
    /// - Throws: What a commit of the first write would have thrown.
    /// - Returns: False if the store cannot group writes, or the first one is too large.
    func mayBeJoined() throws -> Bool {
        if grouping != nil { return true }
        guard let grouping = writer as? any GroupWriting, grouping.hasRoom else { return false }
        do {
            firstNumber = try end(first, in: grouping)
        } catch {
            stack.historyAge.forget()
            throw error
        }
        self.grouping = grouping
        return true
    }

    /// Does the work of a joining write. If that fails, it is undone.
    ///
    /// - Returns: The result, and what ``add(_:_:finish:)`` needs to add the write to the group.
    func perform<T>(_ origin: ChangeOrigin, _ body: (Transaction) throws -> T) throws -> (
        result: T, write: FinishedWrite, number: UInt64?
    ) {
        guard let grouping else { throw GranaryError.transactionEnded }
        try grouping.beginGroupedWrite()
        do {
            let (result, write) = try stack.perform(origin, in: writer, body)
            return (result, write, try end(write, in: grouping))
        } catch {
            stack.historyAge.forget()
            do { try grouping.undoGroupedWrite() } catch { failure = error }
            throw error
        }
    }

    /// - Parameter finish: Called after the commit.
    func add(
        _ write: FinishedWrite, _ number: UInt64?, finish: @escaping (Result<GroupCommitOutcome, any Error>) -> Void
    ) {
        members.append(Member(write: write, number: number, finish: finish))
    }

    private func end(_ write: FinishedWrite, in grouping: any GroupWriting) throws -> UInt64? {
        let before = writer.transactionNumber
        let number = try grouping.endGroupedWrite()
        return number == before ? nil : number
    }

    /// Commits all writes, and tells each its outcome.
    ///
    /// - Returns: The outcome of the first write.
    func commit() throws -> GroupCommitOutcome {
        do {
            if let failure { throw failure.asFailureOfAnotherWrite }
            try (stack.store as? SharedStore)?.requirePlace()
            if grouping == nil { return GroupCommitOutcome(number: try commitAlone(), writes: 1) }
            try commitAll()
        } catch {
            writer.end()
            stack.historyAge.forget()
            for member in members { member.finish(.failure(error)) }
            throw error
        }
        publish(first, firstNumber)
        for member in members {
            publish(member.write, member.number)
            member.finish(.success(GroupCommitOutcome(number: member.number, writes: count)))
        }
        return GroupCommitOutcome(number: firstNumber, writes: count)
    }

    private func commitAlone() throws -> UInt64? {
        let coordinator = stack.store.coordinator
        coordinator.announce(first.next)
        let number: UInt64
        do {
            number = try writer.commit()
        } catch {
            coordinator.withdraw(first.next)
            throw error
        }
        guard number == first.next else {
            coordinator.withdraw(first.next)
            return nil
        }
        publish(first, number)
        return number
    }

    private func commitAll() throws {
        let coordinator = stack.store.coordinator
        let numbers = ([firstNumber] + members.map(\.number)).compactMap { $0 }
        for number in numbers { coordinator.announce(number) }
        do {
            try writer.commit()
        } catch {
            for number in numbers.reversed() { coordinator.withdraw(number) }
            throw error
        }
    }

    private func publish(_ write: FinishedWrite, _ number: UInt64?) {
        guard let number else { return }
        stack.store.coordinator.publish(
            ChangeSet(transactionNumber: number, origin: write.origin, changes: write.changes, time: write.time))
    }
}

extension Error {
    /// The error of the other writes of a group, if one of them has failed so that the whole transaction had to end.
    fileprivate var asFailureOfAnotherWrite: any Error {
        guard var error = self as? GranaryError else { return self }
        error.message =
            "This write was undone, because another one, which was to be committed with it, has failed: \(error.message)"
        return error
    }
}
