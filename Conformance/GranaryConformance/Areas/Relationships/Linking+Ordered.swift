import ConformanceKit
import GranaryCore

// To-many relationships with an order that an attribute of the related records holds.

var orderedToManyCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.ordered-to-many", in: .linking,
            "related records are added at the end, inserted at a place, moved and replaced, and keep their order"
        ) { trial in
            let (board, cards) = try twoBoards(trial)
            func expectCards(_ keys: [Int64], line: Int = #line) throws {
                try trial.read { try expectEqual(try board.cards.all.fetch(in: $0).map(\.id), keys, line: line) }
            }
            try expectCards([])
            try trial.write { try board.cards.add([cards[3], cards[1], cards[2]], in: $0) }
            try expectCards([4, 2, 3])
            try trial.write { try board.cards.add([cards[1], cards[0], cards[0]], in: $0) }
            try expectCards([4, 2, 3, 1])
            try trial.write { try board.cards.insert(cards[4], at: 1, in: $0) }
            try expectCards([4, 5, 2, 3, 1])
            try trial.write { try board.cards.insert(cards[0], at: -7, in: $0) }
            try expectCards([1, 4, 5, 2, 3])
            try trial.write { try board.cards.insert(cards[3], at: 99, in: $0) }
            try expectCards([1, 5, 2, 3, 4])
            try trial.write { try board.cards.move(from: 4, to: 1, in: $0) }
            try expectCards([1, 4, 5, 2, 3])
            try trial.write { try board.cards.move(from: 0, to: .max, in: $0) }
            try expectCards([4, 5, 2, 3, 1])
            try trial.write { try board.cards.remove(cards[4], in: $0) }
            try expectCards([4, 2, 3, 1])
            try trial.write { try board.cards.replace(with: [cards[2], cards[5], cards[3], cards[2]], in: $0) }
            try expectCards([3, 6, 4])
            try trial.read { snapshot in
                try expectEqual(try snapshot.fetch(Card.where { $0.board == Ref(1) }).map(\.place), [0, 2, 1])
                try expectEqual(try snapshot.fetch(board.cards.all.where { $0.id > 3 }).map(\.id), [6, 4])
                try expectEqual(try board.cards.all.reversed().limit(2).fetch(in: snapshot).map(\.id), [4, 6])
            }
            try trial.write { try board.cards.removeAll(in: $0) }
            try expectCards([])
            try trial.read { try expectEqual(try $0.count(Card.all), 8) }
        },
        ConformanceCase(
            "linking.ordered-owners", in: .linking,
            "a record moved to another owner comes last there; records are loaded in each owner's order"
        ) { trial in
            let (board, cards) = try twoBoards(trial)
            let other = Board(id: 2)
            try trial.write { tx in
                try board.cards.add([cards[2], cards[1], cards[0]], in: tx)
                try other.cards.add([cards[5], cards[3]], in: tx)
                try other.cards.add(cards[2], in: tx)
                try other.archived.add([cards[0], cards[6], cards[2]], in: tx)
            }
            try trial.read { snapshot in
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [2, 1])
                try expectEqual(try other.cards.all.fetch(in: snapshot).map(\.id), [6, 4, 3])
                let loaded = try snapshot.fetch(Board.all.with({ $0.cards }, { $0.archived }))
                try expectEqual(loaded.map { $0.1.map(\.id) }, [[2, 1], [6, 4, 3], []])
                try expectEqual(loaded.map { $0.2.map(\.id) }, [[], [1, 7, 3], []])
                let nested = try snapshot.fetch(Board.where { $0.id == 2 }.with { $0.cards.with { $0.steps } })
                try expectEqual(nested.map { $0.1.map(\.0.id) }, [[6, 4, 3]])
            }
        },
        ConformanceCase(
            "linking.ordered-ties", in: .linking,
            "of records with equal places, and with none, the one with the lesser key is first"
        ) { trial in
            let (board, _) = try twoBoards(trial)
            try trial.write { tx in
                try tx.upsert([
                    Card(id: 1, board: Ref(1), place: 7), Card(id: 2, board: Ref(1)),
                    Card(id: 3, board: Ref(1), place: -2),
                    Card(id: 4, board: Ref(1), place: 7), Card(id: 5, board: Ref(1)),
                ])
            }
            try trial.read { try expectEqual(try board.cards.all.fetch(in: $0).map(\.id), [2, 5, 3, 1, 4]) }
            try trial.write { try board.cards.add(keys: [6], in: $0) }
            try trial.read { snapshot in
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [2, 5, 3, 1, 4, 6])
                try expectEqual(try snapshot.find(Card.self, 6)?.place, 8)
            }
            try trial.write { try board.cards.move(from: 4, to: 3, in: $0) }
            try trial.read { snapshot in
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [2, 5, 3, 4, 1, 6])
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.place), [0, 1, 2, 3, 4, 5])
            }
        },
        ConformanceCase(
            "linking.ordered-numbers", in: .linking, "where no number comes after the last place, all get new ones"
        ) { trial in
            let (board, cards) = try twoBoards(trial)
            try trial.write { tx in
                try tx.upsert([
                    Card(id: 1, board: Ref(1), place: .max), Card(id: 2, board: Ref(1), place: .min),
                    Card(id: 3, archive: Ref(1), weight: .infinity), Card(id: 4, archive: Ref(1), weight: 1e300),
                    Card(id: 5, archive: Ref(2), weight: 2.5), Card(id: 6, archive: Ref(3), weight: -.infinity),
                ])
                try board.cards.add(cards[7], in: tx)
                try board.archived.add(cards[7], in: tx)
                try Board(id: 2).archived.add(cards[1], in: tx)
                try Board(id: 3).archived.add(cards[0], in: tx)
            }
            try trial.read { snapshot in
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [2, 1, 8])
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.place), [0, 1, 2])
                try expectEqual(try board.archived.all.fetch(in: snapshot).map(\.id), [4, 3, 8])
                try expectEqual(try board.archived.all.fetch(in: snapshot).map(\.weight), [0, 1, 2])
                try expectEqual(try Board(id: 2).archived.all.fetch(in: snapshot).map(\.weight), [2.5, 4])
                try expectEqual(try Board(id: 3).archived.all.fetch(in: snapshot).map(\.id), [6, 1])
            }
        },
        ConformanceCase(
            "linking.ordered-unique", in: .linking,
            "records are moved, inserted and replaced in an order whose places are unique"
        ) { trial in
            var entities = SuiteSchema.boards.entities
            entities[1].indexes = [.unique("board", "place")]
            try trial.open(Schema(entities: entities))
            try trial.insert([Board(id: 1)])
            try trial.insert((1...6).map { Card(id: $0) })
            let board = Board(id: 1)
            func cards(_ ids: Int64...) -> [Card] { ids.map { Card(id: $0) } }
            func tryOut(in context: Context, _ order: () throws -> [Int64]) throws {
                try board.cards.add(cards(1, 2, 3, 4), in: context)
                try expectEqual(try order(), [1, 2, 3, 4])
                try board.cards.move(from: 3, to: 0, in: context)
                try expectEqual(try order(), [4, 1, 2, 3])
                try board.cards.move(from: 0, to: 2, in: context)
                try expectEqual(try order(), [1, 2, 4, 3])
                try board.cards.insert(Card(id: 5), at: 1, in: context)
                try expectEqual(try order(), [1, 5, 2, 4, 3])
                try board.cards.replace(with: cards(3, 6, 5, 1), in: context)
                try expectEqual(try order(), [3, 6, 5, 1])
                try board.cards.removeAll(in: context)
            }
            try trial.write { transaction in
                try tryOut(in: transaction) { try board.cards.all.fetch(in: transaction).map(\.id) }
            }
            let context = try trial.stack.makeContext()
            try tryOut(in: context) { try board.cards.all.fetch(in: context).map(\.id) }
            try board.cards.add(cards(6, 2, 1), in: context)
            try board.cards.move(from: 2, to: 0, in: context)
            try context.blocking.save()
            try expectEqual(try trial.stack.blocking.read { try board.cards.all.fetch(in: $0).map(\.id) }, [1, 6, 2])
            // There is no place behind the last one to which they could be moved meanwhile.
            try Card.where { $0.id == 2 }.updateAll(in: context) { $0.set(\.place, to: .max) }
            try expectError(.uniqueness) { try board.cards.move(from: 1, to: 0, in: context) }
            try expectEqual(try board.cards.all.fetch(in: context).map(\.id), [1, 6, 2])
        },
        ConformanceCase(
            "linking.ordered-range", in: .linking, "an order kept in eight bits has room for 128 records and no more"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let card = Card(id: 1)
            try trial.insert([card, Card(id: 2)])
            try trial.insert((0..<130).map { Step(id: "\($0)", card: Ref(2)) })
            try trial.write { try card.steps.add(keys: (0..<127).reversed().map { "\($0)" }, in: $0) }
            try trial.write { tx in
                try expectError(.range, entity: "Step", attributes: ["place"]) {
                    try card.steps.add(keys: ["127", "128"], in: tx)
                }
                try expectEqual(try card.steps.all.count(in: tx), 127)
                try card.steps.add(keys: ["129"], in: tx)
                try expectError(.range, entity: "Step", attributes: ["place"]) {
                    try card.steps.insert(Step(id: "128", card: Ref(2)), at: 0, in: tx)
                }
            }
            try trial.read { snapshot in
                let steps = try card.steps.all.fetch(in: snapshot)
                try expectEqual(steps.map(\.id), (0..<127).reversed().map { "\($0)" } + ["129"])
                try expectEqual(steps.map(\.place), (0...127).map { Int8($0) })
                try expectEqual(try snapshot.count(Step.where { $0.card == Ref(2) }), 2)
            }
        },
        ConformanceCase(
            "linking.ordered-by-text", in: .linking,
            "an order by text is what the texts say, and records are not moved in it"
        ) { trial in
            let (board, _) = try twoBoards(trial)
            let cards = [Card(id: 1, label: "c"), Card(id: 2, label: "a"), Card(id: 3, label: "b")]
            try trial.write { tx in
                try tx.upsert(cards)
                try board.pinned.add(cards, in: tx)
                for index in 0..<2 {
                    try expectError(.invalidQuery) { try board.pinned.move(from: index, to: 0, in: tx) }
                    try expectError(.invalidQuery) { try board.pinned.insert(cards[index], at: 0, in: tx) }
                }
            }
            try trial.read { try expectEqual(try board.pinned.all.fetch(in: $0).map(\.label), ["a", "b", "c"]) }
            try trial.write { try board.pinned.replace(with: [cards[0], cards[1]], in: $0) }
            try trial.read { snapshot in
                try expectEqual(try board.pinned.all.fetch(in: snapshot).map(\.label), ["a", "c"])
                try expectEqual(try snapshot.find(Card.self, 3), Card(id: 3, label: "b"))
            }
        },
        ConformanceCase(
            "linking.ordered-refused", in: .linking, "what cannot be related, moved or ended leaves the order as it was"
        ) { trial in
            let (board, cards) = try twoBoards(trial)
            let steps = [Step(id: "a", card: Ref(1)), Step(id: "b", card: Ref(1), place: 1)]
            try trial.write { tx in
                try board.cards.add([cards[2], cards[1], cards[0]], in: tx)
                try tx.insert(steps)
                try expectError(.recordNotFound, entity: "Card", attributes: ["id"]) {
                    try board.cards.add(keys: [4, 77], in: tx)
                }
                try expectError(.recordNotFound) { try board.cards.insert(Card(id: 77), at: 0, in: tx) }
                try expectError(.danglingReference, entity: "Card", attributes: ["board"]) {
                    try Board(id: 55).cards.add(keys: [3], in: tx)
                }
                for place in [-1, 3, Int.max, .min] {
                    try expectError(.invalidQuery) { try board.cards.move(from: place, to: 0, in: tx) }
                }
                try expectError(.required, entity: "Step", attributes: ["card"]) {
                    try cards[0].steps.replace(with: [steps[1]], in: tx)
                }
                try expectError(.invalidQuery) { try board.seen.move(from: 0, to: 0, in: tx) }
            }
            try trial.read { snapshot in
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [3, 2, 1])
                try expectEqual(try cards[0].steps.all.fetch(in: snapshot), steps)
            }
        },
    ]
}

/// Three boards and eight cards that are on none of them.
private func twoBoards(_ trial: Trial) throws -> (Board, [Card]) {
    try trial.open(SuiteSchema.boards)
    let cards = (1...8).map { Card(id: $0) }
    try trial.insert((1...3).map { Board(id: $0) })
    try trial.insert(cards)
    return (Board(id: 1), cards)
}
