import ConformanceKit
import GranaryCore

var pathNamesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "paths.any-name", in: .paths, "a path by key path leads to attributes named as what a query asks of a field"
        ) { trial in
            try trial.open(Schema(Tally.self))
            try trial.insert([
                Tally(id: 1, count: 10, minimum: "a", untyped: 1.5, isEmpty: true, first: Ref(1), next: Ref(2)),
                Tally(id: 2, count: 20, minimum: "b", first: Ref(1), next: Ref(3)),
                Tally(id: 3, count: 30, minimum: "c", untyped: 2.5, first: Ref(2)),
            ])
            try expectEqual(try trial.keys(Tally.where { $0.first[\.count] == 10 }), [1, 2])
            try expectEqual(try trial.keys(Tally.where { $0.next[\.count] > 20 }), [2])
            try expectEqual(try trial.keys(Tally.where { $0.next[\.count] == nil }), [3])
            try expectEqual(try trial.keys(Tally.where { $0.first[\.minimum] == "b" }), [3])
            try expectEqual(try trial.keys(Tally.where { $0.next[\.untyped] == 2.5 }), [2])
            try expectEqual(try trial.keys(Tally.where { $0.first[\.isEmpty] }), [1, 2])
            try expectEqual(try trial.keys(Tally.where { $0.next[\.next][\.minimum] == "c" }), [1])
            try expectEqual(try trial.keys(Tally.where { $0.next.next[\.count] == 30 }), [1])
            try expectEqual(try trial.keys(Tally.where { $0.first[\.sum].count == 2 }), [1, 2])
            try expectEqual(try trial.keys(Tally.where { $0.next[\.sum].isEmpty }), [2, 3])
            try expectEqual(try trial.keys(Tally.sorted(by: { $0.next[\.count] }, .descending)), [2, 1, 3])
            // By its plain name at the end of a path it is the aggregate.
            try trial.read { snapshot in
                let groups = Tally.all.grouped(by: { $0.first }).select { ($0.first, $0.next.count) }
                try expectEqual(try snapshot.fetch(groups).map(\.1), [2, 0])
            }
        }
    ]
}
