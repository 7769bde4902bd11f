import ConformanceKit
import GranaryCore

// Two sides that change the order of one list have no conflict: one order is made of both.

/// What two sides do to a list of the records 1, 2, 3 and 4, and what it is then.
private struct ListCase: Sendable {
    typealias Change = @Sendable (any List) throws -> Void
    var name: String
    var here: Change
    var there: Change
    var result: [Int64]
}

private let listCases: [ListCase] = [
    ListCase(
        name: "moved, another ended", here: { try $0.move(3, 0) }, there: { try $0.remove(2) }, result: [4, 1, 3]),
    ListCase(
        name: "ended, another moved", here: { try $0.remove(2) }, there: { try $0.move(3, 0) }, result: [4, 1, 3]),
    ListCase(name: "moved, itself ended", here: { try $0.move(1, 3) }, there: { try $0.remove(2) }, result: [1, 3, 4]),
    ListCase(name: "ended, itself moved", here: { try $0.remove(2) }, there: { try $0.move(1, 3) }, result: [1, 3, 4]),
    ListCase(name: "two moved", here: { try $0.move(3, 0) }, there: { try $0.move(0, 1) }, result: [4, 2, 1, 3]),
    ListCase(name: "one moved twice", here: { try $0.move(0, 3) }, there: { try $0.move(0, 2) }, result: [2, 3, 4, 1]),
    ListCase(name: "moved alike", here: { try $0.move(0, 3) }, there: { try $0.move(0, 3) }, result: [2, 3, 4, 1]),
    ListCase(name: "added at the end", here: { try $0.add(5) }, there: { try $0.add(6) }, result: [1, 2, 3, 4, 6, 5]),
    ListCase(
        name: "several added at the end",
        here: {
            try $0.add(7)
            try $0.add(5)
        },
        there: {
            try $0.add(8)
            try $0.add(6)
        }, result: [1, 2, 3, 4, 8, 6, 7, 5]),
    ListCase(
        name: "put in between, added at the end", here: { try $0.insert(5, 1) }, there: { try $0.add(6) },
        result: [1, 5, 2, 3, 4, 6]),
    ListCase(
        name: "added at the end, put in between", here: { try $0.add(6) }, there: { try $0.insert(5, 1) },
        result: [1, 5, 2, 3, 4, 6]),
    ListCase(
        name: "put in between on both sides", here: { try $0.insert(5, 1) }, there: { try $0.insert(6, 3) },
        result: [1, 5, 2, 3, 6, 4]),
    ListCase(
        name: "put first, first one ended", here: { try $0.insert(5, 0) }, there: { try $0.remove(1) },
        result: [5, 2, 3, 4]),
    ListCase(
        name: "reversed, added and ended",
        here: {
            try $0.move(3, 0)
            try $0.move(3, 1)
            try $0.move(3, 2)
        },
        there: {
            try $0.remove(3)
            try $0.add(5)
        }, result: [4, 2, 1, 5]),
]

/// An ordered relationship of one record in some context, by keys.
private protocol List {
    func add(_ key: Int64) throws
    func insert(_ key: Int64, _ place: Int) throws
    func remove(_ key: Int64) throws
    func move(_ place: Int, _ other: Int) throws
}

private struct ListInContext<Root: Record, Target: Record>: List where Target.Key == Int64 {
    let records: RelatedRecords<Root, Target>
    let context: Context
    let make: (Int64) -> Target

    func add(_ key: Int64) throws { try records.add(keys: [key], in: context) }
    func insert(_ key: Int64, _ place: Int) throws { try records.insert(make(key), at: place, in: context) }
    func remove(_ key: Int64) throws { try records.remove(keys: [key], in: context) }
    func move(_ place: Int, _ other: Int) throws { try records.move(from: place, to: other, in: context) }
}

/// How what is pending comes to the other side.
private enum Way: CaseIterable {
    case save, refresh, child, childToParent
}

private func expectMerged<Root: Record, Target: Record>(
    _ trial: Trial, _ records: RelatedRecords<Root, Target>, _ make: @escaping (Int64) -> Target, _ way: Way
) throws where Target.Key == Int64 {
    for (number, listCase) in listCases.enumerated() {
        let what = "\(listCase.name), \(way), \(everyPolicy[number % everyPolicy.count].name)"
        try trial.write { try records.replace(with: (1...4).map { make($0) }, in: $0) }
        let parent = try trial.stack.makeContext()
        defer { parent.reset() }
        let context = try way == .child || way == .childToParent ? parent.makeChild() : parent
        context.mergePolicy = everyPolicy[number % everyPolicy.count].policy
        try listCase.here(ListInContext(records: records, context: context, make: make))
        if way == .childToParent {
            try listCase.there(ListInContext(records: records, context: parent, make: make))
            try expectEqual(try context.saveToParent().conflicts.count, 0, what)
            try expectEqual(try records.all.fetch(in: parent).map(\.id), listCase.result, "pending, \(what)")
            try parent.blocking.save()
        } else {
            try trial.write { try listCase.there(ListInContext(records: records, context: $0, make: make)) }
            if way == .refresh {
                try expectEqual(try context.refresh().count, 0, what)
                try expectEqual(try records.all.fetch(in: context).map(\.id), listCase.result, "refreshed, \(what)")
            }
            try expectEqual(try context.blocking.save().conflicts.count, 0, what)
        }
        try expectEqual(try trial.read { try records.all.fetch(in: $0).map(\.id) }, listCase.result, what)
    }
}

var mergingListsCases: [ConformanceCase] {
    mergedLinksCases + mergedPlacesCases + deletedFromListsCases
}

private var mergedLinksCases: [ConformanceCase] {
    Way.allCases.map { way in
        ConformanceCase(
            "merging.list-\(way)", in: .merging,
            "what two sides did to the order of a many-to-many relationship comes to one order, under every policy"
        ) { trial in
            _ = try fillMixes(trial)
            try trial.write { try $0.insert([Track(id: 7), Track(id: 8)]) }
            try expectMerged(trial, Mix(id: 1).tracks, { Track(id: $0) }, way)
        }
    }
}

private var mergedPlacesCases: [ConformanceCase] {
    Way.allCases.map { way in
        ConformanceCase(
            "merging.ordered-\(way)", in: .merging,
            "what two sides did to the order of a to-many relationship comes to one order, under every policy"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.insert([Board(id: 1)])
            try trial.insert((1...8).map { Card(id: $0) })
            try expectMerged(trial, Board(id: 1).cards, { Card(id: $0) }, way)
        }
    }
}

private var deletedFromListsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.list-deleted", in: .merging,
            "a record that is moved here and deleted there is deleted, and other changes of it are still a conflict"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let board = Board(id: 1)
            try trial.insert([board])
            try trial.insert((1...4).map { Card(id: $0) })
            try trial.write { try board.cards.add(keys: [1, 2, 3, 4], in: $0) }
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try board.cards.move(from: 3, to: 0, in: context)
            try trial.write { try $0.delete(Card.self, 2) }
            try context.blocking.save()
            try trial.stack.blocking.read { try expectEqual(try board.cards.all.fetch(in: $0).map(\.id), [4, 1, 3]) }
            try context.delete(Card.self, 3)
            try trial.write { try board.cards.move(from: 2, to: 0, in: $0) }
            try context.blocking.save()
            try trial.stack.blocking.read { try expectEqual(try board.cards.all.fetch(in: $0).map(\.id), [4, 1]) }
            try board.cards.move(from: 1, to: 0, in: context)
            try context.update(Card.self, 1) { $0.label = "here" }
            try trial.write { try $0.delete(Card.self, 1) }
            try expectError(.mergeConflict, entity: "Card") { try context.blocking.save() }
        },
        ConformanceCase(
            "merging.ordered-new", in: .merging,
            "new records that both sides add at the end of a list stay together, those that were there first before the others"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let board = Board(id: 1)
            for way in Way.allCases {
                try trial.write { tx in
                    try Card.deleteAll(in: tx)
                    try tx.upsert(board)
                    try tx.insert([Card(id: 1), Card(id: 2)])
                    try board.cards.add(keys: [1, 2], in: tx)
                }
                let (parent, other) = (try trial.stack.makeContext(), try trial.stack.makeContext())
                defer {
                    parent.reset()
                    other.reset()
                }
                let one = try way == .child || way == .childToParent ? parent.makeChild() : parent
                for (context, keys) in [(one, 3...4), (other, 5...6)] as [(EditContext, ClosedRange<Int64>)] {
                    for key in keys {
                        try context.insert(Card(id: key))
                        try board.cards.add(keys: [key], in: context)
                    }
                }
                if way == .childToParent { try one.saveToParent() }
                try other.blocking.save()
                if way == .refresh { try parent.refresh() }
                try (way == .childToParent ? parent : one).blocking.save()
                try expectEqual(
                    try trial.read { try board.cards.all.fetch(in: $0).map(\.id) }, [1, 2, 5, 6, 3, 4], "\(way)")
                try expectEqual(try trial.fetch(Card.all).map(\.place), [0, 1, 4, 5, 2, 3], "\(way)")
            }
        },
        ConformanceCase(
            "merging.ordered-by-hand", in: .merging,
            "new records that two sides insert with one place, given by hand, keep it"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            try trial.insert([Board(id: 1)])
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try context.insert(Card(id: 1, board: Ref(1), place: 7))
            try trial.write { try $0.insert(Card(id: 2, board: Ref(1), place: 7)) }
            try context.blocking.save()
            try expectEqual(try trial.fetch(Card.all).map(\.place), [7, 7])
        },
        ConformanceCase(
            "merging.ordered-mixed", in: .merging,
            "a new record with a place given by hand does not keep the ones that were added from their places"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let board = Board(id: 1)
            try trial.write { tx in
                try tx.insert(board)
                try tx.insert([Card(id: 1), Card(id: 2)])
                try board.cards.add(keys: [1, 2], in: tx)
            }
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try context.insert([Card(id: 3), Card(id: 4), Card(id: 9, board: Ref(1), place: -5)])
            try board.cards.add(keys: [3, 4], in: context)
            try trial.write { tx in
                try tx.insert(Card(id: 5))
                try board.cards.add(keys: [5], in: tx)
            }
            try context.blocking.save()
            try expectEqual(try trial.read { try board.cards.all.fetch(in: $0).map(\.id) }, [9, 1, 2, 5, 3, 4])
            try expectEqual(try trial.fetch(Card.all).map(\.place), [0, 1, 3, 4, 2, -5])
        },
        ConformanceCase(
            "merging.ordered-undone", in: .merging,
            "a new record that was added to a list keeps its turn in it after an undo and a redo"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let board = Board(id: 1)
            for count in 1...2 {
                try trial.write { tx in
                    try Card.deleteAll(in: tx)
                    try tx.upsert(board)
                    try tx.insert(Card(id: 1))
                    try board.cards.add(keys: [1], in: tx)
                }
                let context = try trial.stack.makeContext()
                defer { context.reset() }
                context.isUndoEnabled = true
                try context.insert(Card(id: 3))
                try board.cards.add(keys: [3], in: context)
                for _ in 0..<count { try expectEqual(try context.undo(), true) }
                for _ in 0..<count { try expectEqual(try context.redo(), true) }
                try trial.write { tx in
                    try tx.insert(Card(id: 5))
                    try board.cards.add(keys: [5], in: tx)
                }
                try context.blocking.save()
                try expectEqual(try trial.fetch(Card.all).map(\.place), [0, 2, 1], "\(count)")
            }
        },
        ConformanceCase(
            "merging.list-rekeyed", in: .merging,
            "links whose keys others have given to other links have their places in the merged order"
        ) { trial in
            let (mix, _) = try fillMixes(trial)
            try trial.write { tx in
                try tx.insert([Track(id: 7), Track(id: 8)])
                try mix.tracks.replace(with: (1...4).map { Track(id: $0) }, in: tx)
            }
            let context = try trial.stack.makeContext()
            defer { context.reset() }
            try mix.tracks.add(keys: [7, 5], in: context)
            let links = try Request("Mix_tracks").where("target == 7 OR target == 5")
            let keys = try context.fetch(links).map(\.key)
            try expectEqual(keys.count, 2)
            try trial.write { tx in
                for (key, target) in zip(keys, [1, 2]) {
                    let (source, target) = (StoredValue.integer(2), StoredValue.integer(Int64(target)))
                    try tx.insert(
                        made(
                            "Mix_tracks", in: tx.schema,
                            ["id": key, "source": source, "target": target, "position": .integer(0)]))
                }
                try mix.tracks.add(keys: [8, 6], in: tx)
            }
            try context.blocking.save()
            try expectEqual(
                try trial.read { try mix.tracks.all.fetch(in: $0).map(\.id) }, [1, 2, 3, 4, 8, 6, 7, 5])
            try expectEqual(try trial.read { try Mix(id: 2).tracks.all.fetch(in: $0).map(\.id) }, [1, 2])
        },
        ConformanceCase(
            "merging.list-elsewhere", in: .merging,
            "a record that others have put into another list has its place there"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let (board, other) = (Board(id: 1), Board(id: 2))
            try trial.insert([board, other])
            try trial.insert((1...5).map { Card(id: $0) })
            try trial.write { tx in
                try board.cards.add(keys: [1, 2, 3], in: tx)
                try other.cards.add(keys: [4, 5], in: tx)
            }
            let context = try trial.stack.makeContext()
            try board.cards.move(from: 2, to: 0, in: context)
            try trial.write { try other.cards.add(keys: [1], in: $0) }
            try expectEqual(try context.blocking.save().conflicts.count, 0)
            try trial.read { snapshot in
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [3, 2])
                try expectEqual(try other.cards.all.fetch(in: snapshot).map(\.id), [4, 5, 1])
            }
        },
        ConformanceCase(
            "merging.ordered-tie", in: .merging,
            "a place that a child context gives by hand stays, although another record of the list has it"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let board = Board(id: 1)
            for isDirect in [false, true] {
                try trial.write { tx in
                    try tx.upsert(board)
                    for (key, place) in [(1, 4), (2, 16), (3, 20)] as [(Int64, Int64)] {
                        try tx.upsert(Card(id: key, board: Ref(1), place: place))
                    }
                }
                let context = try trial.stack.makeContext()
                defer { context.reset() }
                try context.update(Card.self, 1) { $0.label = "parent" }
                let child = try context.makeChild()
                try child.update(Card.self, 3) { $0.place = 16 }
                if isDirect {
                    _ = try child.blocking.save()
                } else {
                    _ = try child.saveToParent()
                    try expectEqual(try board.cards.all.fetch(in: context).map(\.place), [4, 16, 16])
                    _ = try context.blocking.save()
                }
                try trial.read { snapshot in
                    try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.place), [4, 16, 16])
                    try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [1, 2, 3])
                }
            }
        },
    ]
}
