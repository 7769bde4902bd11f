import ConformanceKit
import GranaryCore

private func samples(_ count: Int) -> [Sample] {
    (1...count).map { (number: Int) -> Sample in
        let (small, large) = (Int8(number % 7), Int64(number * 37 % 101))
        return Sample(id: Int64(number), int8: small, integer: large)
    }
}

var pagesCases: [ConformanceCase] {
    [
        ConformanceCase("order.limit", in: .order, "a limit takes from the front, an offset leaves out there") {
            trial in
            try trial.insertTwins(samples(10))
            let all = (1...10).map { Int64($0) }
            try trial.read { snapshot in
                for limit in [0, 1, 3, 9, 10, 11, Int.max] {
                    try snapshot.expectTwins(Sample.all.limit(limit), Array(all.prefix(limit)))
                    for offset in [0, 1, 9, 10, 11, Int.max] {
                        try snapshot.expectTwins(
                            Sample.all.limit(limit).offset(offset), Array(all.dropFirst(offset).prefix(limit)),
                            "limit \(limit) offset \(offset)")
                    }
                }
                for offset in [0, 1, 9, 10, 11, Int.max] {
                    try snapshot.expectTwins(
                        Sample.all.offset(offset), Array(all.dropFirst(offset)), "offset \(offset)")
                }
            }
        },
        ConformanceCase("order.limit-filtered", in: .order, "a limit and an offset count records that match") { trial in
            try trial.insertTwins(samples(40))
            let matching = (1...40).filter { $0 % 7 == 3 }.map { Int64($0) }
            try trial.read {
                try $0.expectTwins(Sample.where { $0.int8 == 3 }.limit(2), Array(matching.prefix(2)))
                try $0.expectTwins(
                    Sample.where { $0.int8 == 3 }.limit(2).offset(3), Array(matching.dropFirst(3).prefix(2)))
                try $0.expectTwins(Sample.where { $0.int8 == 3 }.offset(matching.count), [])
                try $0.expectTwins(Sample.where { $0.int8 == 3 }.limit(.max).offset(.max), [])
                try $0.expectTwins(Sample.where { $0.int8 == 3 }.limit(1).offset(1), [10])
                try $0.expectTwins(Sample.where { $0.id > 30 }.limit(3).offset(1), [32, 33, 34])
            }
        },
        ConformanceCase("order.limit-negative", in: .order, "a negative limit or offset is an error in every call") {
            trial in
            try trial.insertTwins(samples(3))
            try trial.write { transaction in
                for query in [
                    Sample.all.limit(-1), Sample.all.offset(-1), Sample.all.limit(.min),
                    Sample.all.limit(1).offset(.min),
                ] {
                    try expectError(.invalidQuery, entity: "Sample") { try transaction.fetch(query) }
                    try expectError(.invalidQuery, entity: "Sample") { try transaction.count(query) }
                    try expectError(.invalidQuery, entity: "Sample") { try transaction.first(query) }
                    try expectError(.invalidQuery, entity: "Sample") { try query.exists(in: transaction) }
                    try expectError(.invalidQuery, entity: "Sample") { try query.cursor(in: transaction) }
                    try expectError(.invalidQuery, entity: "Sample") { try query.explain(in: transaction) }
                    try expectError(.invalidQuery, entity: "Sample") { try query.deleteAll(in: transaction) }
                    try expectError(.invalidQuery, entity: "Sample") {
                        try query.updateAll(in: transaction) { $0.set(\.text, to: "") }
                    }
                }
            }
            try expectEqual(try trial.keys(Sample.all), [1, 2, 3])
        },
        ConformanceCase("order.pages", in: .order, "pages by offset follow each other without gap or repeat") { trial in
            try trial.insertTwins(samples(100))
            let orders: [Query<Sample>] = [
                Sample.all, Sample.sorted(by: \.int8), Sample.sorted(by: \.int8, .descending),
                Sample.sorted(by: \.int8).sorted(by: \.integer, .descending),
                Sample.where { $0.int8 != 2 }.sorted(by: \.int8),
            ]
            try trial.read { snapshot in
                for query in orders {
                    let all = try snapshot.twinKeys(query)
                    for size in [1, 7, 33] {
                        var paged: [Int64] = []
                        while true {
                            let page = try snapshot.fetch(query.limit(size).offset(paged.count)).map(\.id)
                            let indexed = try snapshot.fetch(query.indexed.limit(size).offset(paged.count)).map(\.id)
                            try expectEqual(page, indexed)
                            if page.isEmpty { break }
                            paged += page
                        }
                        try expectEqual(paged, all, "pages of \(size)")
                    }
                }
            }
        },
        ConformanceCase("order.first", in: .order, "first, exists and count respect order, limit and offset") { trial in
            try trial.insertTwins(samples(10))
            try trial.read { snapshot in
                let query = Sample.sorted(by: \.id, .descending)
                try expectEqual(try snapshot.first(query)?.id, 10)
                try expectEqual(try snapshot.first(query.offset(3))?.id, 7)
                try expectEqual(try snapshot.first(query.limit(2).offset(3))?.id, 7)
                try expectEqual(try snapshot.first(query.limit(0))?.id, nil)
                try expectEqual(try snapshot.first(query.offset(10))?.id, nil)
                try expectEqual(try snapshot.first(Sample.where { $0.id > 99 })?.id, nil)
                try expectEqual(try query.offset(9).exists(in: snapshot), true)
                try expectEqual(try query.offset(10).exists(in: snapshot), false)
                try expectEqual(try query.limit(0).exists(in: snapshot), false)
                try expectEqual(try snapshot.count(query.offset(3)), 7)
                try expectEqual(try snapshot.count(query.limit(4).offset(3)), 4)
                try expectEqual(try snapshot.count(query.limit(4).offset(8)), 2)
                try expectEqual(try snapshot.count(query.limit(0)), 0)
                try expectEqual(try snapshot.count(query.limit(.max).offset(.max)), 0)
            }
        },
    ]
}

var cursorCases: [ConformanceCase] {
    [
        ConformanceCase("order.cursor", in: .order, "a cursor gives the records of a fetch, one at a time") { trial in
            try trial.insertTwins(samples(60))
            try trial.read { snapshot in
                for query in [
                    Sample.all, Sample.sorted(by: \.int8, .descending).limit(10).offset(5),
                    Sample.where { $0.int8 == 1 },
                    Sample.where { $0.id > 99 }, Sample.where { $0.integer > 50 || $0.int8 == 1 }.sorted(by: \.integer),
                ] {
                    let fetched = try snapshot.fetch(query)
                    let cursor = try query.indexed.cursor(in: snapshot)
                    var stepped: [Sample] = []
                    while let next = try cursor.next() { stepped.append(next.sample) }
                    try expectEqual(stepped, fetched)
                    try expectEqual(try cursor.next(), nil, "after the end")
                    var visited: [Sample] = []
                    try query.forEach(in: snapshot) { visited.append($0) }
                    try expectEqual(visited, fetched)
                }
            }
        },
        ConformanceCase(
            "order.cursor-interleaved", in: .order, "cursors and look-ups in one snapshot do not disturb each other"
        ) { trial in
            try trial.insertTwins(samples(30))
            try trial.read { snapshot in
                let up = try Sample.sorted(by: \.id).cursor(in: snapshot)
                let down = try Sample.sorted(by: \.id, .descending).cursor(in: snapshot)
                let indexed = try IndexedSample.sorted(by: \.integer).cursor(in: snapshot)
                let order = try snapshot.fetch(Sample.sorted(by: \.integer)).map(\.id)
                for step in 1...30 {
                    try expectEqual(try up.next()?.id, Int64(step))
                    try expectEqual(try snapshot.find(Sample.self, Int64(31 - step))?.id, Int64(31 - step))
                    try expectEqual(try down.next()?.id, Int64(31 - step))
                    try expectEqual(try snapshot.count(Sample.where { $0.id <= Int64(step) }), step)
                    try expectEqual(try indexed.next()?.id, order[step - 1])
                }
                try expectEqual(try up.next()?.id, nil)
            }
        },
        ConformanceCase("order.cursor-invalidated", in: .order, "a cursor ends when its transaction writes") { trial in
            try trial.insert((1...5).map { Shelf(id: $0) })
            let writes: [(String, @Sendable (Transaction) throws -> Void)] = [
                ("insert", { try $0.insert(Shelf(id: 9)) }), ("update", { try $0.update(Shelf(id: 5, name: "new")) }),
                ("upsert", { try $0.upsert(Shelf(id: 8)) }), ("delete", { try $0.delete(Shelf.self, 4) }),
                ("updateAll", { try Shelf.where { $0.id == 3 }.updateAll(in: $0) { $0.set(\.name, to: "x") } }),
                ("deleteAll", { try Shelf.where { $0.id == 3 }.deleteAll(in: $0) }),
                ("insert of another type", { try $0.insert(Counter(label: "c")) }),
            ]
            try trial.write { transaction in
                for (name, write) in writes {
                    let cursor = try Shelf.all.cursor(in: transaction)
                    try expectEqual(try cursor.next()?.id, 1, name)
                    try write(transaction)
                    for _ in 1...2 {
                        try expectError(.cursorInvalidated) { try cursor.next() }
                    }
                }
                var ids: [Int64] = []
                try Shelf.all.forEach(in: transaction) { ids.append($0.id) }
                try expectEqual(ids, [1, 2, 5, 8, 9])
            }
        },
        ConformanceCase("order.cursor-read-on", in: .order, "reading in a transaction does not end a cursor") { trial in
            try trial.insert((1...3).map { Shelf(id: $0) })
            try trial.write { transaction in
                try transaction.insert(Shelf(id: 4))
                let cursor = try Shelf.all.cursor(in: transaction)
                try expectEqual(try cursor.next()?.id, 1)
                try expectEqual(try transaction.count(Shelf.all), 4)
                try expectEqual(try transaction.find(Shelf.self, 4)?.id, 4)
                try expectEqual(try cursor.next()?.id, 2)
            }
        },
        ConformanceCase("order.closed", in: .order, "a snapshot, transaction or cursor is closed after its end") {
            trial in
            try trial.insert((1...3).map { Shelf(id: $0) })
            let (snapshot, cursor) = try trial.read { snapshot in
                let cursor = try Shelf.all.cursor(in: snapshot)
                _ = try cursor.next()
                return (snapshot, cursor)
            }
            try expectError(.closed) { try cursor.next() }
            try expectError(.closed) { try snapshot.find(Shelf.self, 1) }
            try expectError(.closed) { try snapshot.fetch(Shelf.all) }
            try expectError(.closed) { try snapshot.count(Shelf.all) }
            try expectError(.closed) { try Shelf.all.cursor(in: snapshot) }
            let kept = Kept()
            try trial.write { transaction in
                kept.transaction = transaction
                kept.cursor = try Shelf.all.cursor(in: transaction)
            }
            try expectError(.closed) { try kept.cursor?.next() }
            try expectError(.closed) { try kept.transaction?.insert(Shelf(id: 9)) }
            try expectError(.closed) { try kept.transaction?.delete(Shelf.self, 1) }
            try expectError(.closed) { try kept.transaction.map { try Shelf.deleteAll(in: $0) } }
            try expectError(.closed) { try kept.transaction?.fetch(Shelf.all) }
            try expectError(.closed) { try kept.transaction?.savepoint {} }
            try expectEqual(try trial.keys(Shelf.all), [1, 2, 3])
        },
    ]
}

/// What a closure lets out that it should not.
private final class Kept {
    var transaction: Transaction?
    var cursor: RequestCursor<Shelf, Shelf>?
}
