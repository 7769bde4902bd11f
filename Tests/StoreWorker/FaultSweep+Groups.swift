#if os(Linux)
    import Foundation
    import GranaryCore
    import GranaryPlatform
    import GranaryTool

    // The writes of a group come from threads of their own. All of them are told the same, except the one that throws.

    extension FaultSweep {
        private static let groupSchema = Schema(entities: [
            Entity(
                "Line", key: "id",
                attributes: [Attribute("id", Int64.self), Attribute("text", String.self).searchable()])
        ])
        /// The keys of the writes that wait for the first one, which has the key 1.
        private static let waiting: [Int64] = [2, 3, 4, 5]
        /// The one that throws after it has written.
        private static let undone: Int64 = 4

        private var groupStore: String { work + "/Group.granary" }

        private func openGroupStack() throws -> Stack {
            // No group ends by time, however slow the machine is.
            try Stack(
                Self.groupSchema, store: kind.provider(at: groupStore), history: .everything,
                groupCommit: GroupCommit(within: .seconds(1_000)))
        }

        private static func write(_ key: Int64, _ tx: Transaction) throws {
            var record = try DynamicRecord("Line", in: tx.schema)
            try record.set("id", to: key)
            try record.set("text", to: text(key))
            try tx.upsert(record)
        }

        func makeGroupStore() throws {
            let stack = try openGroupStack()
            try stack.blocking.write { try Self.write(100, $0) }
            try stack.blocking.close()
        }

        func writeGroup() throws {
            let stack = try openGroupStack()
            let outcomes = Outcomes()
            var hasBegun = false
            outcomes.note(
                Result {
                    try stack.blocking.write { tx in
                        hasBegun = true
                        for (number, key) in Self.waiting.enumerated() {
                            Thread.detachNewThread {
                                outcomes.note(
                                    Result {
                                        try stack.blocking.write { tx in
                                            try Self.write(key, tx)
                                            if key == Self.undone { throw Undone() }
                                        }
                                    })
                            }
                            while stack.waitingWrites <= number { usleep(100) }
                        }
                        try Self.write(1, tx)
                    }
                })
            let all = outcomes.wait(for: hasBegun ? Self.waiting.count + 1 : 1)
            let failures = all.compactMap { outcome in
                if case .failure(let error) = outcome { error } else { nil as (any Error)? }
            }
            let others = failures.filter { !($0 is Undone) }
            guard others.isEmpty || others.count >= max(1, all.count - 1) else {
                throw UnequalOutcomes(text: "\(all)")
            }
            guard let error = others.first else { return try stack.blocking.close() }
            try? stack.blocking.close()
            throw error
        }

        private struct Undone: Error {}

        private struct UnequalOutcomes: Error {
            let text: String
        }

        /// All writes of the group are there, or none is; with their entries of the history, and in the index of words.
        func checkGroup() throws {
            let stack = try openGroupStack()
            defer { try? stack.blocking.close() }
            func require(_ condition: Bool, _ what: String) throws {
                guard condition else { throw SweepError(what) }
            }
            let all = [1] + Self.waiting.filter { $0 != Self.undone }
            let (keys, found, entries) = try stack.blocking.read { snapshot in
                let keys = try snapshot.fetch(Request("Line")).map { try $0.value("id", as: Int64.self) }
                return (
                    keys.filter { $0 < 100 },
                    try all.map { try snapshot.count(Request("Line").where("search('word\($0)')")) },
                    try snapshot.changes(since: HistoryToken(transactionNumber: 1)).map(\.transactionNumber)
                )
            }
            try require(keys == all || keys.isEmpty, "some writes of the group are there: \(keys)")
            let isNew = !keys.isEmpty
            try require(found.allSatisfy { $0 == (isNew ? 1 : 0) }, "searches find \(found)")
            try require(entries == (isNew ? all.indices.map { UInt64($0 + 2) } : []), "the history has \(entries)")
            let faults = try stack.blocking.verify()
            try require(faults == [], "faults are found: \(faults)")
            try stack.blocking.write { try Self.write(6, $0) }
            try require(
                try stack.blocking.read { try $0.count(Request("Line")) } == keys.count + 2,
                "what was written afterwards is missing")
            if !isNew { throw SweepError("old") }
        }
    }

    /// How the writes of several threads have ended.
    private final class Outcomes: Sendable {
        private let lock = Lock()
        private let changed = Lock.Condition()
        // Read and written only while `lock` is held.
        nonisolated(unsafe) private var list: [Result<Void, any Error>] = []

        func note(_ outcome: Result<Void, any Error>) {
            lock.withLock {
                list.append(outcome)
                changed.broadcast()
            }
        }

        func wait(for count: Int) -> [Result<Void, any Error>] {
            lock.lock()
            defer { lock.unlock() }
            while list.count < count { changed.wait(lock) }
            return list
        }
    }
#endif
