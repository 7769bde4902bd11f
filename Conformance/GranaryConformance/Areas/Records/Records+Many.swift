import ConformanceKit
import Foundation
import GranaryCore

var manyRecordsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "records.insert-many", in: .records, "many records are inserted and given back in their order"
        ) { trial in
            let shelves = [5, 1, 9, 3].map { Shelf(id: $0, name: "\($0)") }
            try expectEqual(try trial.write { try $0.insert(shelves) }, shelves)
            try expectEqual(try trial.keys(Shelf.all), [1, 3, 5, 9])
            try expectEqual(try trial.write { try $0.insert([Shelf]()) }, [])
            let counters = try trial.write {
                try $0.insert([Counter(label: "b"), Counter(id: 9, label: "a"), Counter(label: "c")])
            }
            try expectEqual(counters.map(\.id), [1, 9, 10])
            try expectEqual(counters.map(\.label), ["b", "a", "c"])
        },
        ConformanceCase("records.insert-many-fails", in: .records, "of many records all are inserted or none") {
            trial in
            try trial.insert([Shelf(id: 3, name: "old")])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                    try transaction.insert([1, 2, 3, 4].map { Shelf(id: $0, name: "new") })
                }
                try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                    try transaction.insert([5, 6, 5].map { Shelf(id: $0, name: "new") })
                }
                try expectEqual(try transaction.count(Shelf.all), 1)
                try transaction.insert(Shelf(id: 7, name: "after"))
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 3, name: "old"), Shelf(id: 7, name: "after")])
        },
        ConformanceCase("records.update-many", in: .records, "of many records all are updated or none") { trial in
            try trial.insert([1, 2, 3].map { Shelf(id: $0, name: "old") })
            try trial.write { transaction in
                try expectError(.recordNotFound, entity: "Shelf", attributes: ["id"]) {
                    try transaction.update([1, 2, 9, 3].map { Shelf(id: $0, name: "lost") })
                }
                try expectEqual(try transaction.fetch(Shelf.all).map(\.name), ["old", "old", "old"])
                try transaction.update([3, 1].map { Shelf(id: $0, name: "new") })
                try transaction.update([Shelf]())
            }
            try expectEqual(try trial.fetch(Shelf.all).map(\.name), ["new", "old", "new"])
        },
        ConformanceCase("records.upsert-many", in: .records, "of many records all are upserted or none") { trial in
            try trial.insert([
                Counter(id: 1, label: "a"), Counter(id: 2, label: "b"),
            ])
            let given = [Counter(label: "new"), Counter(id: 2, label: "bb"), Counter(id: 9, label: "nine")]
            try expectEqual(
                try trial.write { try $0.upsert(given) },
                [Counter(id: 3, label: "new"), Counter(id: 2, label: "bb"), Counter(id: 9, label: "nine")])
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Counter", attributes: ["label"]) {
                    try transaction.upsert([
                        Counter(id: 1, label: "x"), Counter(id: 50, label: "y"), Counter(id: 2, label: "x"),
                    ])
                }
            }
            try expectEqual(try trial.fetch(Counter.all).map(\.label), ["a", "bb", "new", "nine"])
        },
        ConformanceCase(
            "records.upsert-twice", in: .records, "the later of two records with one key counts in an upsert of many"
        ) { trial in
            try trial.write { try $0.upsert([Shelf(id: 1, name: "first"), Shelf(id: 1, name: "second")]) }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 1, name: "second")])
        },
        ConformanceCase("records.delete-many", in: .records, "deleting by keys says how many there were") { trial in
            try trial.insert((1...6).map { Shelf(id: $0) })
            try trial.write {
                try expectEqual(try $0.delete(Shelf.self, [2, 9, 4, 2]), 2)
                try expectEqual(try $0.delete([Shelf(id: 1), Shelf(id: 10)]), 1)
                try expectEqual(try $0.delete(Shelf.self, [Int64]()), 0)
            }
            try expectEqual(try trial.keys(Shelf.all), [3, 5, 6])
        },
        ConformanceCase(
            "records.delete-many-denied", in: .records, "of many keys all are deleted or none"
        ) { trial in
            try trial.insert((1...3).map { Shelf(id: $0) })
            try trial.insert([Box(id: 1, shelf: Ref(2))])
            try trial.write { transaction in
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    try transaction.delete(Shelf.self, [1, 2, 3])
                }
            }
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3])
        },
        ConformanceCase(
            "records.batch-references", in: .records, "records of one batch may refer to each other in any order"
        ) { trial in
            try trial.insert([Shelf(id: 1)])
            let boxes = [
                Box(id: 1, shelf: Ref(1), outer: Ref(2)), Box(id: 2, shelf: Ref(1), outer: Ref(3)),
                Box(id: 3, shelf: Ref(1), outer: Ref(1)), Box(id: 4, shelf: Ref(1), outer: Ref(4)),
            ]
            try expectEqual(try trial.write { try $0.insert(boxes) }, boxes)
            try expectEqual(try trial.fetch(Box.all), boxes)
            try trial.write { transaction in
                let dangling = [Box(id: 5, shelf: Ref(1), outer: Ref(6)), Box(id: 6, shelf: Ref(1), outer: Ref(7))]
                try expectError(.danglingReference, entity: "Box", attributes: ["outer"]) {
                    try transaction.insert(dangling)
                }
                try expectError(.danglingReference, entity: "Box", attributes: ["outer"]) {
                    try transaction.upsert(dangling)
                }
            }
            try expectEqual(try trial.fetch(Box.all), boxes)
        },
        ConformanceCase("records.many", in: .records, "some thousands of records in one write are all there") { trial in
            let shelves = (0..<5000).map { Shelf(id: Int64($0 * 7919 % 5000), name: "shelf \($0)") }
            try trial.insert(shelves)
            try trial.read { snapshot in
                try expectEqual(try snapshot.count(Shelf.all), 5000)
                try expectEqual(try snapshot.fetch(Shelf.all), shelves.sorted { $0.id < $1.id })
                for shelf in shelves.prefix(100) { try expectEqual(try snapshot.find(Shelf.self, shelf.id), shelf) }
            }
            try trial.write { transaction in
                try expectEqual(try transaction.delete(Shelf.self, (0..<5000).filter { $0 % 3 != 0 }), 3333)
            }
            try expectEqual(try trial.keys(Shelf.all), (0..<5000).filter { $0 % 3 == 0 })
        },
    ]
}

var foundRecordsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "records.find-many", in: .records,
            "records found by keys come in the order of the keys, missing ones left out"
        ) { trial in
            try trial.insert((1...5).map { Shelf(id: $0, name: "\($0)") })
            try trial.read {
                try expectEqual(try $0.find(Shelf.self, [4, 9, 2, 4, 1]).map(\.id), [4, 2, 4, 1])
                try expectEqual(try $0.find(Shelf.self, [Int64]()), [])
            }
        },
        ConformanceCase("records.exists", in: .records, "existence is told by key and by query") { trial in
            try trial.insert([Shelf(id: 1, name: "a"), Shelf(id: 2, name: "b")])
            try trial.read {
                try expectEqual(try $0.exists(Shelf.self, 1), true)
                try expectEqual(try $0.exists(Shelf.self, 3), false)
                try expectEqual(try Shelf.where { $0.name == "b" }.exists(in: $0), true)
                try expectEqual(try Shelf.where { $0.name == "c" }.exists(in: $0), false)
                try expectEqual(try Note.all.exists(in: $0), false)
            }
        },
        ConformanceCase("records.find-reference", in: .records, "what a reference names is found through it") { trial in
            try trial.write {
                try $0.insert([Shelf(id: 1, name: "one"), Shelf(id: 2, name: "two")])
                try $0.insert(Box(id: 1, shelf: Ref(Shelf(id: 2))))
            }
            try trial.read { snapshot in
                let box = try snapshot.fetch(Box.all)[0]
                try expectEqual(try snapshot.find(box.shelf)?.name, "two")
                try expectEqual(try snapshot.find(box.spare), nil)
                try expectEqual(try snapshot.find(Ref<Shelf>(9)), nil)
                try expectEqual(try snapshot.fetch(Box.where { $0.shelf == Ref(2) }).map(\.id), [1])
                try expectEqual(try snapshot.fetch(Box.where { $0.spare == nil }).map(\.id), [1])
                try expectEqual(try snapshot.fetch(Box.where { $0.shelf == Ref(1) }).map(\.id), [])
            }
        },
        ConformanceCase("records.find-or-create", in: .records, "find or create inserts once, by key") { trial in
            var made = 0
            for _ in 1...2 {
                let shelf = try trial.write {
                    try $0.findOrCreate(Shelf.self, 4) {
                        made += 1
                        return Shelf(id: 4, name: "made \(made)")
                    }
                }
                try expectEqual(shelf, Shelf(id: 4, name: "made 1"))
            }
            try expectEqual(made, 1)
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 4, name: "made 1")])
        },
        ConformanceCase(
            "records.find-or-create-query", in: .records, "find or create inserts once, by query, with the key assigned"
        ) { trial in
            let query = Counter.where { $0.label == "x" }
            let ids = try (1...3).map { _ in
                try trial.write { try query.findOrCreate(in: $0) { Counter(label: "x") }.id }
            }
            try expectEqual(ids, [1, 1, 1])
            try trial.write {
                do {
                    _ = try $0.findOrCreate(Counter.self, 9) { throw Abandon() }
                } catch is Abandon {}
            }
            try expectEqual(try trial.fetch(Counter.all), [Counter(id: 1, label: "x")])
        },
    ]
}
