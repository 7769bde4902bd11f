#if os(Linux)
    import Foundation
    import GranaryCore
    import GranaryPlatform

    extension World {
        /// How many writes wait behind a step's own, to be committed with it. Most steps are written alone.
        static func members(of step: Int) -> Range<Int> { step % 4 == 1 ? 1..<5 : 1..<1 }

        /// The member of a group that throws after it has written.
        static func undoneMember(of step: Int) -> Int { 1 + step / 4 % 4 }

        /// The changes of a write that waits behind a step's own. They do not depend on the other writes of the group.
        static func changes(ofMember member: Int, step: Int, writer: Int64) -> [Change] {
            let base = writer * keysPerWriter
            let key = base + Int64(step) * 100 + 50 + Int64(member)
            return [
                .insertAccount(
                    Account(
                        id: key, name: "account \(key)", note: "member \(member) of step \(step)",
                        total: Int64(member), picture: member == 2 ? picture(ofStep: step) : nil)),
                .insertEntry(Entry(id: key, account: Ref(key), other: nil, amount: Int64(step))),
                .progress(Progress(id: base + Int64(member), step: Int64(step))),
            ]
        }

        /// What follows when all of a step is committed.
        mutating func applyStep(_ step: Int, seed: UInt64, writer: Int64) {
            apply(changes(seed: seed, step: step, writer: writer))
            for member in Self.members(of: step) where member != Self.undoneMember(of: step) {
                apply(Self.changes(ofMember: member, step: step, writer: writer))
            }
        }

        /// What a writer has written.
        func part(of writer: Int64) -> World {
            let keys = writer * Self.keysPerWriter..<(writer + 1) * Self.keysPerWriter
            var part = World()
            part.accounts = accounts.filter { keys.contains($0.key) }
            part.entries = entries.filter { keys.contains($0.key) }
            part.progress = progress.filter { $0.key == writer || keys.contains($0.key) }
            return part
        }
    }

    /// What a member of a group throws on purpose.
    struct Undone: Error {}

    /// How the members of a group have ended, each told on a thread of its own.
    final class MemberOutcomes: Sendable {
        enum Outcome { case committed, failed, unknown }

        private let lock = Lock()
        private let changed = Lock.Condition()
        // Both are read and written only while `lock` is held.
        nonisolated(unsafe) private var begun = 0
        nonisolated(unsafe) private var outcomes: [Int: Outcome] = [:]

        /// How many have ended.
        var count: Int { lock.withLock { outcomes.count } }

        func begin() { lock.withLock { begun += 1 } }

        func note(_ member: Int, _ outcome: Outcome) {
            lock.withLock {
                outcomes[member] = outcome
                changed.broadcast()
            }
        }

        /// Waits until all that have begun have ended.
        func end() -> [Int: Outcome] {
            lock.lock()
            defer { lock.unlock() }
            while outcomes.count < begun { changed.wait(lock) }
            return outcomes
        }
    }

    /// A step's own write, and those that wait behind it. The writes come from threads; or the step's own one and every second of
    /// the others from tasks: on a thread, no write of a task is done.
    struct GroupWrite: Sendable {
        let stack: Stack
        let voice: Voice
        let outcomes: MemberOutcomes
        let step: Int
        let writer: Int64

        private var usesTasks: Bool { step / 4 % 2 == 1 }

        /// Returns when the step's own write has ended.
        func write(_ changes: [World.Change]) throws {
            let body: @Sendable (Transaction) throws -> Void = { tx in
                for member in World.members(of: step) {
                    begin(member)
                    // It waits for its turn, or has ended at once.
                    while stack.waitingWrites + outcomes.count < member { usleep(50) }
                }
                try World.perform(changes, in: tx)
            }
            guard usesTasks else { return try stack.blocking.write(body) }
            let end = TaskEnd()
            Task.detached {
                do {
                    try await stack.write(body)
                    end.set(.success(()))
                } catch {
                    end.set(.failure(error))
                }
            }
            try end.wait()
        }

        private func begin(_ member: Int) {
            let body: @Sendable (Transaction) throws -> Void = { tx in
                try World.perform(World.changes(ofMember: member, step: step, writer: writer), in: tx)
                if member == World.undoneMember(of: step) { throw Undone() }
            }
            let name = "member \(step) \(member)"
            outcomes.begin()
            voice.report("\(name) begin")
            if usesTasks, member.isMultiple(of: 2) {
                Task.detached {
                    do {
                        try await stack.write(body)
                        outcomes.note(member, voice.ended(name, nil))
                    } catch {
                        outcomes.note(member, voice.ended(name, error))
                    }
                }
            } else {
                Thread.detachNewThread {
                    do {
                        try stack.blocking.write(body)
                        outcomes.note(member, voice.ended(name, nil))
                    } catch {
                        outcomes.note(member, voice.ended(name, error))
                    }
                }
            }
        }
    }

    /// How a task has ended, for a thread that waits for it.
    private final class TaskEnd: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        // Written once, before the semaphore is signalled, and read after it was waited for.
        nonisolated(unsafe) private var result: Result<Void, any Error> = .success(())

        func set(_ result: Result<Void, any Error>) {
            self.result = result
            semaphore.signal()
        }

        func wait() throws {
            semaphore.wait()
            try result.get()
        }
    }
#endif
