import ConformanceKit
import GranaryCore

var assignedKeysCases: [ConformanceCase] {
    [
        ConformanceCase("keys.assigned", in: .keys, "assigned keys begin at 1 and grow by one") { trial in
            let ids = try trial.write { transaction in
                try ["a", "b", "c"].map { try transaction.insert(Counter(label: $0)).id }
            }
            try expectEqual(ids, [1, 2, 3])
            try expectEqual(
                try trial.fetch(Counter.all),
                [Counter(id: 1, label: "a"), Counter(id: 2, label: "b"), Counter(id: 3, label: "c")])
            let more = try trial.write { try $0.insert([Counter(label: "d"), Counter(label: "e")]) }
            try expectEqual(more, [Counter(id: 4, label: "d"), Counter(id: 5, label: "e")])
            try expectEqual(try trial.write { try $0.upsert(Counter(label: "f")) }, Counter(id: 6, label: "f"))
            try expectEqual(try trial.keys(Counter.all), [1, 2, 3, 4, 5, 6])
        },
        ConformanceCase(
            "keys.assigned-not-reused", in: .keys, "the key of a deleted record is never assigned again"
        ) { trial in
            try trial.insert([Counter(label: "a"), Counter(label: "b"), Counter(label: "c")])
            try trial.write { try expect(try $0.delete(Counter.self, 3), "it was there") }
            try expectEqual(try trial.keys(Counter.all), [1, 2])
            try expectEqual(try trial.write { try $0.insert(Counter(label: "d")).id }, 4)
            try trial.write { try Counter.deleteAll(in: $0) }
            try expectEqual(try trial.keys(Counter.all), [])
            try expectEqual(try trial.write { try $0.insert(Counter(label: "e")).id }, 5)
            let id = try trial.write {
                try expect(try $0.delete(Counter.self, 5), "it was there")
                return try $0.insert(Counter(label: "f")).id
            }
            try expectEqual(id, 6)
        },
        ConformanceCase(
            "keys.assigned-reopened", in: .keys, "a deleted key is not assigned again after the store was reopened",
            requires: [.reopening], modes: [.fresh]
        ) { trial in
            try trial.insert([Counter(label: "a"), Counter(label: "b")])
            try trial.write { try expectEqual(try Counter.deleteAll(in: $0), 2) }
            try trial.reopen()
            try expectEqual(try trial.write { try $0.insert(Counter(label: "c")).id }, 3)
            try trial.reopen()
            try expectEqual(try trial.write { try $0.insert(Counter(label: "d")).id }, 4)
        },
        ConformanceCase(
            "keys.assigned-explicit", in: .keys, "a key given in a record pushes the assigned ones beyond it"
        ) { trial in
            let ids = try trial.write { transaction in
                try [0, 100, 0, 50, 0, -7, 0].enumerated().map {
                    try transaction.insert(Counter(id: $1, label: "\($0)")).id
                }
            }
            try expectEqual(ids, [1, 100, 101, 50, 102, -7, 103])
            try expectEqual(try trial.write { try $0.upsert(Counter(id: 500, label: "up")).id }, 500)
            try trial.write { try expect(try $0.delete(Counter.self, 500), "it was there") }
            try expectEqual(try trial.write { try $0.insert(Counter(label: "last")).id }, 501)
            try expectEqual(try trial.keys(Counter.all), [-7, 1, 50, 100, 101, 102, 103, 501])
        },
        ConformanceCase(
            "keys.assigned-negative", in: .keys, "after negative keys alone the first assigned one is 1"
        ) { trial in
            try trial.insert([Counter(id: -5, label: "a")])
            try expectEqual(try trial.write { try $0.insert(Counter(label: "b")).id }, 1)
        },
        ConformanceCase(
            "keys.assigned-savepoint", in: .keys, "after a part is undone assigned keys are still distinct and grow"
        ) { trial in
            let ids = try trial.write { transaction in
                let first = try transaction.insert(Counter(label: "a")).id
                do {
                    try transaction.savepoint {
                        try transaction.insert(Counter(label: "b"))
                        try transaction.insert(Counter(id: 40, label: "c"))
                        throw Abandon()
                    }
                } catch is Abandon {}
                let next = try transaction.insert([Counter(label: "b"), Counter(label: "c")]).map(\.id)
                return [first] + next
            }
            try expect(ids[0] < ids[1] && ids[1] < ids[2], "the keys do not grow: \(ids)")
            try expectEqual(try trial.fetch(Counter.all).map(\.id), ids)
            let last = try trial.write { try $0.insert(Counter(label: "d")).id }
            try expect(last > ids[2], "the keys do not grow: \(ids), \(last)")
        },
        ConformanceCase(
            "keys.assigned-failed", in: .keys, "an insert that fails leaves a transaction that assigns further keys"
        ) { trial in
            try trial.insert([Counter(label: "a")])
            let id = try trial.write { transaction in
                try expectError(.uniqueness, entity: "Counter", attributes: ["label"]) {
                    try transaction.insert(Counter(label: "a"))
                }
                return try transaction.insert(Counter(label: "b")).id
            }
            try expect(id > 1, "the key \(id) does not grow")
            try expectEqual(try trial.fetch(Counter.all).map(\.label), ["a", "b"])
        },
        ConformanceCase(
            "keys.assigned-end", in: .keys, "beyond the greatest key an assigned one is an error, a given one is not"
        ) { trial in
            try trial.insert([Counter(id: .max, label: "last")])
            try trial.write { transaction in
                try expectError(.limit, entity: "Counter") { try transaction.insert(Counter(label: "beyond")) }
                try expectError(.limit, entity: "Counter") { try transaction.upsert(Counter(label: "beyond")) }
                try expectEqual(try transaction.insert(Counter(id: 7, label: "given")).id, 7)
            }
            try expectEqual(try trial.keys(Counter.all), [7, .max])
            try trial.write { try expect(try $0.delete(Counter.self, .max), "it was there") }
            try trial.write { transaction in
                try expectError(.limit, entity: "Counter") { try transaction.insert(Counter(label: "beyond")) }
            }
        },
        ConformanceCase(
            "keys.explicit-zero", in: .keys, "where keys are given, 0 is a key as any other"
        ) { trial in
            try trial.insert([Shelf(id: 0, name: "zero")])
            try expectEqual(try trial.find(Shelf.self, 0), Shelf(id: 0, name: "zero"))
            try trial.write { transaction in
                try expectError(.uniqueness, entity: "Shelf", attributes: ["id"]) {
                    try transaction.insert(Shelf(id: 0, name: "again"))
                }
            }
            try expectEqual(try trial.fetch(Shelf.all), [Shelf(id: 0, name: "zero")])
        },
    ]
}
