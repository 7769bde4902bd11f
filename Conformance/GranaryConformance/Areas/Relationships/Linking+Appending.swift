import ConformanceKit
import GranaryCore

// A record that refers to its owner from the beginning, as one with a required reference does, gets its place by `add`.

var appendingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.append-required", in: .linking,
            "a new record whose required reference names the owner comes last when it is added"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let card = Card(id: 1)
            try trial.insert([card, Card(id: 2)])
            func expectSteps(_ expected: [String], line: Int = #line) throws {
                try trial.read { tx in
                    let found = try card.steps.all.fetch(in: tx).map { "\($0.id)\($0.place)" }
                    try expectEqual(found, expected, line: line)
                }
            }
            func append(_ id: String) throws {
                try trial.write { tx in
                    let step = try tx.insert(Step(id: id, card: Ref(1)))
                    try card.steps.add(step, in: tx)
                }
            }
            for id in ["a", "b", "c"] { try append(id) }
            try expectSteps(["a0", "b1", "c2"])
            try trial.write { try card.steps.move(from: 0, to: 2, in: $0) }
            try append("d")
            try expectSteps(["b0", "c1", "a2", "d3"])
            // Those that have their places stay, the first one too.
            try trial.write { try card.steps.add(keys: ["d", "b", "a"], in: $0) }
            try expectSteps(["b0", "c1", "a2", "d3"])
            // The place 0 is free, and the new record does not get it.
            try trial.write { _ = try $0.delete(Step.self, "b") }
            try append("e")
            try expectSteps(["c1", "a2", "d3", "e4"])
            try trial.write { tx in
                try tx.insert([Step(id: "g", card: Ref(1)), Step(id: "f", card: Ref(1))])
                try card.steps.add(keys: ["g", "f", "c"], in: tx)
                try card.steps.add(keys: ["g"], in: tx)
            }
            try expectSteps(["c1", "a2", "d3", "e4", "g5", "f6"])
            try trial.write { tx in
                try tx.insert([Step(id: "y", card: Ref(2)), Step(id: "x", card: Ref(2))])
                try Card(id: 2).steps.add(keys: ["y", "x"], in: tx)
                try expectEqual(try Card(id: 2).steps.all.fetch(in: tx).map(\.place), [0, 1])
            }
        },
        ConformanceCase(
            "linking.append-moved", in: .linking,
            "a record that was given another owner comes last in its list when it is added there"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let (one, two) = (Card(id: 1), Card(id: 2))
            try trial.insert([one, two])
            try trial.write { tx in
                for id in ["a", "b", "c"] {
                    try tx.insert(Step(id: id, card: Ref(1)))
                    try one.steps.add(keys: [id], in: tx)
                }
                for id in ["x", "y"] {
                    try tx.insert(Step(id: id, card: Ref(2)))
                    try two.steps.add(keys: [id], in: tx)
                }
                try tx.update(Step.self, "x") { $0.card = Ref(1) }
                try one.steps.add(keys: ["x"], in: tx)
            }
            try trial.read { tx in
                try expectEqual(
                    try one.steps.all.fetch(in: tx).map { "\($0.id)\($0.place)" }, ["a0", "b1", "c2", "x3"])
                try expectEqual(try two.steps.all.fetch(in: tx).map { "\($0.id)\($0.place)" }, ["y1"])
            }
        },
        ConformanceCase(
            "linking.append-by-hand", in: .linking,
            "a place that was given by hand stays if no other record of the list has it; a record without a place comes last"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let board = Board(id: 1)
            try trial.insert([board])
            try trial.insert([
                Card(id: 1, board: Ref(1), place: 4), Card(id: 2, board: Ref(1)),
                Card(id: 3, board: Ref(1), place: 2),
            ])
            try trial.write { try board.cards.add(keys: [3, 1, 2], in: $0) }
            try trial.read { tx in
                try expectEqual(try board.cards.all.fetch(in: tx).map(\.id), [3, 1, 2])
                try expectEqual(try board.cards.all.fetch(in: tx).map(\.place), [2, 4, 5])
            }
        },
        ConformanceCase(
            "linking.append-in-context", in: .linking,
            "a new record of a context comes last when it is added, also in a child of the context", modes: [.fresh]
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let card = Card(id: 1)
            try trial.insert([card])
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            func append(_ id: String, in context: EditContext) throws {
                try context.insert(Step(id: id, card: Ref(1)))
                try card.steps.add(keys: [id], in: context)
            }
            for id in ["a", "b", "c"] { try append(id, in: context) }
            try context.blocking.save()
            try context.delete(Step.self, "a")
            try append("d", in: context)
            let child = try context.makeChild()
            try append("e", in: child)
            try card.steps.add(keys: ["b", "c", "d", "e"], in: child)
            try child.blocking.save()
            try trial.read { tx in
                try expectEqual(
                    try card.steps.all.fetch(in: tx).map { "\($0.id)\($0.place)" }, ["b1", "c2", "d3", "e4"])
            }
        },
    ]
}
