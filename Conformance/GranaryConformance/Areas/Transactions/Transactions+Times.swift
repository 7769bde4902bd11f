import ConformanceKit
import Foundation
import GranaryCore
import Synchronization

/// A clock that stands still until it is set.
private final class SetClock: Sendable {
    private let seconds = Atomic<Int>(0)

    var now: Date { Date(timeIntervalSinceReferenceDate: Double(seconds.load(ordering: .relaxed))) }

    func set(_ value: Int) { seconds.store(value, ordering: .relaxed) }
}

private func at(_ seconds: Int) -> Date { Date(timeIntervalSinceReferenceDate: Double(seconds)) }

var timesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "transactions.times", in: .transactions,
            "the times of insertion and of the last change are set by the stack",
            requires: [.changeRecording]
        ) { trial in
            let clock = SetClock()
            try trial.open(Schema(Letter.self), clock: { clock.now })
            func write(_ time: Int, _ body: (Transaction) throws -> Void) throws {
                clock.set(time)
                try trial.write(body)
            }
            func expectTimes(_ times: [(created: Int?, changed: Int?)], line: Int = #line) throws {
                let letters = try trial.fetch(Letter.all)
                try expectEqual(letters.map(\.created), times.map { $0.created.map(at) }, line: line)
                try expectEqual(letters.map(\.changed), times.map { $0.changed.map(at) }, line: line)
            }
            try write(10) { transaction in
                try expectEqual(try transaction.insert(Letter(id: 1, text: "a")), Letter(id: 1, text: "a"))
                try transaction.insert(Letter(id: 2, text: "b", created: at(3), changed: at(4)))
                try expectEqual(try transaction.find(Letter.self, 1)?.created, nil)
            }
            try expectTimes([(10, 10), (3, 4)])
            // A whole record, with times that are older, or without any.
            try write(20) { transaction in
                try transaction.update(Letter(id: 1, text: "c"))
                try transaction.update(Letter(id: 2, text: "d", created: at(3), changed: at(4)))
            }
            try expectTimes([(10, 20), (3, 20)])
            try write(30) { try $0.upsert(Letter(id: 1, text: "e")) }
            try expectTimes([(10, 30), (3, 20)])
            // What changes nothing is no change.
            try write(40) { transaction in
                try transaction.update(Letter.self, 1) { $0.text = "e" }
                try transaction.update(Letter(id: 2, text: "d", changed: at(20)))
            }
            try expectTimes([(10, 30), (3, 20)])
            try write(50) { transaction in
                _ = try Letter.where { $0.id == 1 }.updateAll(in: transaction) { $0.set(\.answered, to: Ref(2)) }
                var named = try DynamicRecord("Letter", in: transaction.schema)
                try named.set("id", to: 3)
                try named.set("text", to: "named")
                try transaction.insert(named)
            }
            try expectTimes([(10, 50), (3, 20), (50, 50)])
            // A delete rule sets the reference to nil.
            try write(60) { _ = try $0.delete(Letter.self, 2) }
            try expectTimes([(10, 60), (50, 50)])
            // Deleted and inserted again, it is another record.
            try write(70) { transaction in
                try transaction.delete(Letter.self, 1)
                try transaction.insert(Letter(id: 1, text: "new"))
            }
            try expectTimes([(70, 70), (50, 50)])
            try write(80) { transaction in
                _ = try transaction.savepoint { try transaction.update(Letter.self, 3) { $0.text = "x" } }
                _ = try? transaction.savepoint {
                    try transaction.update(Letter.self, 1) { $0.text = "y" }
                    throw GranaryError(.cancelled, "")
                }
            }
            try expectTimes([(70, 70), (50, 80)])
        },
        ConformanceCase(
            "transactions.times-context", in: .transactions,
            "the times of what a context has changed are those of its save",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            let clock = SetClock()
            let stack = try trial.open(Schema(Letter.self), clock: { clock.now })
            let context = try stack.makeContext()
            clock.set(10)
            try context.insert(Letter(id: 1, text: "a"))
            try expectEqual(try context.find(Letter.self, 1)?.created, nil)
            clock.set(20)
            try context.blocking.save()
            try expectEqual(
                try context.find(Letter.self, 1), Letter(id: 1, text: "a", created: at(20), changed: at(20)))
            try expect(!context.hasChanges, "the save left changes")
            // Another writer is no conflict: the context has not changed the times.
            try context.update(Letter.self, 1) { $0.text = "b" }
            clock.set(30)
            try stack.blocking.write { try $0.update(Letter.self, 1) { $0.answered = Ref(1) } }
            clock.set(40)
            try context.blocking.save()
            try expectEqual(
                try trial.find(Letter.self, 1),
                Letter(id: 1, text: "b", created: at(20), changed: at(40), answered: Ref(1)))
            // A record of the context that is replaced keeps its time.
            try context.upsert(Letter(id: 1, text: "c"))
            try expectEqual(try context.find(Letter.self, 1)?.created, at(20))
        },
        ConformanceCase(
            "transactions.times-refused", in: .transactions, "only an optional date can be a time that the stack sets",
            modes: [.fresh]
        ) { trial in
            func refused(_ attribute: Attribute) throws {
                try expectError(.invalidSchema, entity: "Letter", attributes: ["at"]) {
                    let entity = Entity("Letter", key: "id", attributes: [Attribute("id", Int64.self), attribute])
                    try trial.open(Schema(entities: [entity]))
                }
            }
            try refused(Attribute("at", Date.self).stamped(.created))
            try refused(Attribute("at", String?.self).stamped(.updated))
        },
    ]
}
