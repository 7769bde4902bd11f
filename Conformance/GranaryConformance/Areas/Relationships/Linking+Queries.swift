import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

// A list's order is that of its links: it holds in every query of the related records that asks for no other.

var linkingQueriesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.list-cut", in: .linking,
            "the first ten of a list are the first ten in its order, however it is asked"
        ) { trial in
            let shop = try Shop(trial)
            let (list, order) = try longList(shop)
            try shop.read { snapshot in
                func keys(_ query: Query<Song>) throws -> [Int64] { try snapshot.fetch(query).map(\.id) }
                try expectEqual(try list.all.fetch(in: snapshot).map(\.id), order)
                try expectEqual(try keys(list.all), order)
                try expectEqual(try keys(list.all.limit(10)), Array(order.prefix(10)))
                try expectEqual(try keys(list.all.limit(10).offset(5)), Array(order.dropFirst(5).prefix(10)))
                try expectEqual(try keys(list.all.offset(20)), Array(order.dropFirst(20)))
                try expectEqual(try list.all.limit(10).fetch(in: snapshot).map(\.id), Array(order.prefix(10)))
                try expectEqual(try list.all.limit(99).fetch(in: snapshot).map(\.id), order)
                try expectEqual(try list.all.limit(0).fetch(in: snapshot).count, 0)
                try expectError(.invalidQuery) { try list.all.limit(-1).fetch(in: snapshot).count }
                try expectEqual(try list.all.first(in: snapshot)?.id, order.first)
                try expectEqual(try list.all.last(in: snapshot)?.id, order.last)
                let even = order.filter { $0 % 2 == 0 }
                try expectEqual(try keys(list.all.where { $0.id % 2 == 0 }), even)
                try expectEqual(try keys(list.all.where { $0.id % 2 == 0 }.limit(4)), Array(even.prefix(4)))
                try expectEqual(try keys(list.all.reversed().limit(3)), Array(order.reversed().prefix(3)))
                try expectEqual(try list.all.where { $0.id % 2 == 0 }.last(in: snapshot)?.id, even.last)
                try expectEqual(try list.all.select { $0.id }.fetch(in: snapshot), order)
                try expectEqual(try snapshot.count(list.all.limit(7)), 7)
                try expectEqual(try snapshot.count(list.all.select { $0.album }.distinct()), 1)
                let named = try dynamic(list).all(in: snapshot.schema)
                try expectEqual(
                    try snapshot.fetch(named.limit(10)).map(\.key), order.prefix(10).map { .integer($0) })
                // Another list of the same songs has its own order.
                let other = RelatedRecords<Playlist, Song>(of: 1, Playlist.relationships[0].relationship)
                try expectEqual(try keys(other.all.limit(4)), [order[3], order[1], 1, 2])
            }
        },
        ConformanceCase(
            "linking.list-sorted", in: .linking, "an order that is asked for takes the place of a list's own"
        ) {
            trial in
            let shop = try Shop(trial)
            let (list, order) = try longList(shop)
            try shop.read { snapshot in
                func keys(_ query: Query<Song>) throws -> [Int64] { try snapshot.fetch(query).map(\.id) }
                let sorted = order.sorted()
                try expectEqual(try keys(list.all.sorted(by: \.id)), sorted)
                try expectEqual(
                    try keys(list.all.sorted(by: "-title").limit(5)), sorted.reversed().prefix(5).map { $0 })
                try expectEqual(
                    try keys(list.all.where { $0.id > 110 }.sorted(by: \.title, .descending)),
                    sorted.reversed().filter { $0 > 110 })
                try expectEqual(
                    try snapshot.fetch(try dynamic(list).all(in: snapshot.schema).sorted(by: "id")).map(\.key),
                    sorted.map { .integer($0) })
                // Of a query's values only which they are counts; with a limit, the first of the list.
                try expectEqual(
                    try keys(Song.where { $0.id.in(list.all.limit(3).select { $0.id }) }), order.prefix(3).sorted())
            }
        },
        ConformanceCase(
            "linking.ordered-sorted", in: .linking,
            "an order that is asked for takes the place of the one the related records hold"
        ) { trial in
            try trial.open(SuiteSchema.boards)
            let board = Board(id: 1)
            try trial.insert([board])
            try trial.insert((1...4).map { Card(id: $0, label: "\($0 % 3)", board: Ref(1), place: 9 - $0) })
            try trial.read { snapshot in
                try expectEqual(try board.cards.all.fetch(in: snapshot).map(\.id), [4, 3, 2, 1])
                try expectEqual(try board.cards.all.limit(2).fetch(in: snapshot).map(\.id), [4, 3])
                try expectEqual(try board.cards.all.sorted(by: \.label).fetch(in: snapshot).map(\.id), [3, 1, 4, 2])
                try expectEqual(
                    try board.cards.all.where { $0.id != 3 }.sorted(by: "-label").fetch(in: snapshot).map(\.id),
                    [2, 4, 1])
                try expectEqual(try board.cards.all.first(in: snapshot)?.id, 4)
                try expectEqual(try board.cards.all.last(in: snapshot)?.id, 1)
            }
        },
        ConformanceCase(
            "linking.list-pages", in: .linking, "a list is read in pages in its order, also by a place as text"
        ) {
            trial in
            let shop = try Shop(trial)
            let (list, order) = try longList(shop)
            try shop.read { snapshot in
                var found: [Int64] = []
                var position: PagePosition?
                repeat {
                    let page = try list.all.where { $0.id != 101 }.page(in: snapshot, after: position, size: 6)
                    found += page.records.map(\.id)
                    position = try page.hasMore ? page.end.map(copied) : nil
                } while position != nil
                try expectEqual(found, order.filter { $0 != 101 })
            }
        },
        ConformanceCase(
            "linking.list-moved", in: .linking, "a query of a list follows its changes, also pending ones",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            let (list, order) = try longList(shop)
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try list.move(from: 24, to: 0, in: edit)
            try list.remove(keys: [order[0]], in: edit)
            let expected = [order[24]] + order[1..<24]
            try expectEqual(try edit.fetch(list.all).map(\.id), expected)
            try expectEqual(try edit.fetch(list.all.limit(10)).map(\.id), Array(expected.prefix(10)))
            try expectEqual(try list.all.fetch(in: edit).map(\.id), expected)
            try expectEqual(try list.all.where { $0.id % 2 == 0 }.first(in: edit)?.id, expected.first { $0 % 2 == 0 })
            try expectEqual(try trial.fetch(list.all.limit(1)).map(\.id), [order[0]])
        },
        ConformanceCase(
            "linking.list-ties", in: .linking, "records with one place in a list come by key, however it is asked"
        ) { trial in
            let shop = try Shop(trial)
            let list = RelatedRecords<Playlist, Song>(of: 3, Playlist.relationships[0].relationship)
            try shop.write { tx in
                let places: [(Int64, Int64)] = [(5, 1), (2, 1), (6, 0), (1, 1), (4, 2), (3, 2)]
                try tx.insert(places.map { PlaylistSong(source: Ref(3), target: Ref($0), position: $1) })
            }
            let order: [Int64] = [6, 1, 2, 5, 3, 4]
            try shop.read { snapshot in
                try expectEqual(try list.all.fetch(in: snapshot).map(\.id), order)
                try expectEqual(try snapshot.fetch(list.all).map(\.id), order)
                for count in 0...7 {
                    try expectEqual(try list.all.limit(count).fetch(in: snapshot).map(\.id), Array(order.prefix(count)))
                }
                let loaded = try snapshot.fetch(Playlist.where { $0.id == 3 }.with { $0.songs })
                try expectEqual(loaded.map { $0.1.map(\.id) }, [order])
            }
        },
    ]
}

/// A list of 25 songs that are not in the order of their keys, two of which are on another one, too.
private func longList(_ shop: Shop) throws -> (RelatedRecords<Playlist, Song>, [Int64]) {
    let order = (0..<25).map { Int64(101 + $0 * 7 % 25) }
    let relationship = Playlist.relationships[0].relationship
    let list = RelatedRecords<Playlist, Song>(of: 3, relationship)
    try shop.write { tx in
        try tx.insert(order.sorted().map { Song(id: $0, title: "t\($0)", album: Ref(1)) })
        try list.add(keys: order, in: tx)
        let other = RelatedRecords<Playlist, Song>(of: 1, relationship)
        try other.add(keys: [order[1]], in: tx)
        try other.move(from: 3, to: 0, in: tx)
        try other.add(keys: [order[3]], in: tx)
        try other.move(from: 4, to: 0, in: tx)
    }
    return (list, order)
}

private func dynamic(_ list: RelatedRecords<Playlist, Song>) -> RelatedRecords<DynamicRecord, DynamicRecord> {
    RelatedRecords(of: .integer(list.owner), list.relationship)
}

/// A place as it comes back from text.
private func copied(_ position: PagePosition) throws -> PagePosition {
    try JSONDecoder().decode(PagePosition.self, from: try JSONEncoder().encode(position))
}
