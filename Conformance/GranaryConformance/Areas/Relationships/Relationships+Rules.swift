import ConformanceKit
import GranaryCore

// Delete rules that a to-many relationship gives to the reference it is the inverse of.

var relationshipRulesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "references.rule-nullify", in: .references,
            "a relationship's `nullify` ends the relation of the records it leads to"
        ) { trial in
            try open(trial, [Card(id: 1, board: Ref(1), place: 3), Card(id: 2, board: Ref(2), place: 4)])
            try trial.write { try expectEqual(try $0.delete(Board.self, 1), true) }
            try expectEqual(try trial.fetch(Card.all), [Card(id: 1, place: 3), Card(id: 2, board: Ref(2), place: 4)])
            try expectEqual(try trial.keys(Card.where { $0.board == nil }), [1])
        },
        ConformanceCase(
            "references.rule-cascade", in: .references,
            "a relationship's `cascade` deletes the records it leads to, and theirs"
        ) { trial in
            try open(
                trial,
                [
                    Card(id: 1, archive: Ref(1)), Card(id: 2, board: Ref(1), archive: Ref(2)),
                    Card(id: 3, archive: Ref(1)),
                ],
                [Step(id: "a", card: Ref(1)), Step(id: "b", card: Ref(2)), Step(id: "c", card: Ref(3))])
            try trial.write { try expectEqual(try Board.where { $0.id == 1 }.deleteAll(in: $0), 1) }
            try expectEqual(try trial.fetch(Card.all), [Card(id: 2, archive: Ref(2))])
            try expectEqual(try trial.keys(Step.all), ["b"])
        },
        ConformanceCase(
            "references.rule-deny", in: .references,
            "a relationship's `deny` keeps its owner while it leads to a record"
        ) { trial in
            let cards = [Card(id: 1, board: Ref(1), pin: Ref(1)), Card(id: 2, archive: Ref(1))]
            try open(trial, cards)
            try trial.write { transaction in
                for _ in 1...2 {
                    try expectError(.deniedDeletion, entity: "Card", attributes: ["pin"]) {
                        try transaction.delete(Board.self, 1)
                    }
                    try expectError(.deniedDeletion, entity: "Card", attributes: ["pin"]) {
                        try Board.deleteAll(in: transaction)
                    }
                }
                try expectEqual(try transaction.fetch(Card.all), cards)
                try Board(id: 1).pinned.removeAll(in: transaction)
                try expectEqual(try transaction.delete(Board.self, 1), true)
            }
            try expectEqual(try trial.fetch(Card.all), [Card(id: 1)])
        },
        ConformanceCase(
            "references.rule-deny-together", in: .references,
            "a relationship's `deny` does not keep an owner that goes with what it leads to"
        ) { trial in
            try open(trial, [Card(id: 1, archive: Ref(1), pin: Ref(1)), Card(id: 2, archive: Ref(2), pin: Ref(1))])
            try trial.write { transaction in
                try expectError(.deniedDeletion, entity: "Card", attributes: ["pin"]) {
                    try transaction.delete(Board.self, 1)
                }
                try expectEqual(try Board.where { $0.id <= 2 }.deleteAll(in: transaction), 2)
            }
            try expectEqual(try trial.keys(Board.all), [3])
            try expectEqual(try trial.keys(Card.all), [])
        },
        ConformanceCase(
            "references.rule-none", in: .references, "a relationship's `none` leaves references to what is not there"
        ) { trial in
            let cards = [Card(id: 1, last: Ref(1)), Card(id: 2, last: Ref(77)), Card(id: 3)]
            try open(trial, cards)
            try trial.write { try expectEqual(try $0.delete(Board.self, 1), true) }
            try expectEqual(try trial.fetch(Card.all), cards)
            try trial.read { snapshot in
                try expectEqual(try Board(id: 77).seen.all.fetch(in: snapshot).map(\.id), [2])
                try expectEqual(try snapshot.fetch(Card.where { $0.last.id == nil }).map(\.id), [1, 2, 3])
                try expectEqual(try snapshot.fetch(Card.all.with { $0.last }).map(\.1), [nil, nil, nil])
            }
            // A new record of that key is what they referred to.
            try trial.insert([Board(id: 1)])
            try expectEqual(try trial.keys(Board.where { $0.seen.contains { $0.id == 1 } }), [1])
        },
        ConformanceCase(
            "references.rule-required", in: .references,
            "a relationship's `cascade` replaces the `deny` of a required reference"
        ) { trial in
            try open(trial, [Card(id: 1), Card(id: 2)], [Step(id: "a", card: Ref(1)), Step(id: "b", card: Ref(2))])
            try trial.write { try expectEqual(try $0.delete(Card.self, 1), true) }
            try expectEqual(try trial.keys(Step.all), ["b"])
            try expectEqual(try trial.keys(Card.where { $0.steps.contains { $0.id == "b" } }), [2])
        },
    ]
}

/// Three boards with these cards and steps.
private func open(_ trial: Trial, _ cards: [Card], _ steps: [Step] = []) throws {
    try trial.open(SuiteSchema.boards)
    try trial.insert((1...3).map { Board(id: $0) })
    try trial.insert(cards)
    try trial.insert(steps)
}
