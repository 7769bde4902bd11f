import ConformanceKit
import ConformanceModels
import GranaryCore

// What is pending is a net effect, and no order of writes may matter to it.

var mergingOrdersCases: [ConformanceCase] {
    [
        ConformanceCase(
            "merging.circle", in: .merging,
            "records that forbid each other's deletion go together, as they did in the context"
        ) { trial in
            let context = try fill(trial)
            try context.change(shelf(1, "a"))
            try context.delete(.integer(1), from: Kind.item)
            try context.delete(.integer(1), from: Kind.shelf)
            try expectEqual((try context.blocking.save()).deleted, 2)
            try expectEqual(try rows(trial, Kind.shelf), [shelf(2, "b")])
        },
        ConformanceCase(
            "merging.circle-among-others", in: .merging,
            "records that forbid each other's deletion go together with others of their kinds that nothing keeps"
        ) { trial in
            let context = try fill(trial)
            try trial.write { tx in
                try tx.insert(shelf(3, "c"), into: Kind.shelf)
                try tx.insert(shelf(4, "d"), into: Kind.shelf)
                try tx.insert(item(3, home: 2, slot: 3, code: "three"), into: Kind.item)
                try tx.insert(item(4, home: 4, slot: 0, code: "four"), into: Kind.item)
                try tx.change(shelf(4, "d", keeper: 4))
            }
            try context.change(shelf(4, "d"))
            for key: Int64 in [3, 4] { try context.delete(.integer(key), from: Kind.item) }
            for key: Int64 in [3, 4] { try context.delete(.integer(key), from: Kind.shelf) }
            try expectEqual((try context.blocking.save()).deleted, 4)
            try expectEqual(try rows(trial, Kind.shelf).map(\.[0]), [.integer(1), .integer(2)])
            try expectEqual(try rows(trial, Kind.item).map(\.[0]), [.integer(1), .integer(2)])
        },
        ConformanceCase(
            "merging.freed", in: .merging,
            "unique values of a deleted record go to one that refers elsewhere at the same time"
        ) { trial in
            let context = try fill(trial)
            try context.change(shelf(1, "a"))
            try context.delete(.integer(1), from: Kind.item)
            try context.change(item(2, home: 1, slot: 0, code: "one"))
            try expectEqual((try context.blocking.save()).updated, 2)
            try expectEqual(try rows(trial, Kind.item), [item(2, home: 1, slot: 0, code: "one")])
        },
        ConformanceCase(
            "merging.exchanged-homes", in: .merging, "two exchange unique values while one refers elsewhere"
        ) { trial in
            let context = try fill(trial)
            try context.change(item(2, home: 2, slot: 0, code: nil))
            try context.change(item(1, home: 2, slot: 1, code: "two"))
            try context.change(item(2, home: 2, slot: 0, code: "one"))
            try expectEqual((try context.blocking.save()).updated, 2)
            try expectEqual(
                try rows(trial, Kind.item),
                [item(1, home: 2, slot: 1, code: "two"), item(2, home: 2, slot: 0, code: "one")])
        },
        ConformanceCase(
            "merging.nullified", in: .merging,
            "a record that was changed here and made to refer there to what is deleted here loses the reference alone"
        ) { trial in
            let context = try fill(trial)
            try context.change(item(2, home: 2, slot: 0, code: "new"))
            try context.change(shelf(1, "a"))
            try context.delete(.integer(1), from: Kind.item)
            try context.delete(.integer(1), from: Kind.shelf)
            try trial.write { try $0.change(item(2, home: 2, slot: 0, code: "two", spare: 1)) }
            try context.blocking.save()
            try expectEqual(try rows(trial, Kind.item), [item(2, home: 2, slot: 0, code: "new")])
        },
        ConformanceCase(
            "merging.moved-link", in: .merging,
            "a link takes the place of one that is deleted, though it has no other value"
        ) { trial in
            try fillPlaylists(
                trial, songs: 1,
                [
                    PlaylistSong(id: 1, source: Ref(1), target: Ref(1)),
                    PlaylistSong(id: 2, source: Ref(2), target: Ref(1)),
                ])
            let context = try trial.stack.makeContext()
            try context.delete(PlaylistSong.self, 1)
            try context.update(PlaylistSong(id: 2, source: Ref(1), target: Ref(1)))
            try context.blocking.save()
            try expectEqual(
                try trial.fetch(PlaylistSong.all), [PlaylistSong(id: 2, source: Ref(1), target: Ref(1))])
        },
        ConformanceCase(
            "merging.links-swapped", in: .merging,
            "links that exchange places, each of them a required reference, are saved"
        ) { trial in
            try fillPlaylists(
                trial, songs: 3,
                [
                    PlaylistSong(id: 1, source: Ref(1), target: Ref(1)),
                    PlaylistSong(id: 2, source: Ref(1), target: Ref(2)),
                    PlaylistSong(id: 3, source: Ref(1), target: Ref(3)),
                    PlaylistSong(id: 4, source: Ref(2), target: Ref(3)),
                ])
            let context = try trial.stack.makeContext()
            let child = try context.makeChild()
            let wanted = [
                PlaylistSong(id: 1, source: Ref(1), target: Ref(2)),
                PlaylistSong(id: 2, source: Ref(1), target: Ref(3)),
                PlaylistSong(id: 3, source: Ref(1), target: Ref(1)),
            ]
            // On the way one of them stands elsewhere: within a context too no two have one place.
            try child.update(PlaylistSong(id: 1, source: Ref(2), target: Ref(1)))
            try child.update(wanted[2])
            try child.update(wanted[1])
            try child.update(wanted[0])
            try child.saveToParent()
            try expectEqual(try context.fetch(PlaylistSong.where { $0.source == Ref(1) }), wanted)
            // With a deletion the references are given first.
            try context.delete(PlaylistSong.self, 4)
            try context.blocking.save()
            try expectEqual(try trial.stack.blocking.read { try $0.fetch(PlaylistSong.all) }, wanted)
            try context.update(PlaylistSong(id: 1, source: Ref(2), target: Ref(1)))
            try context.update(PlaylistSong(id: 3, source: Ref(1), target: Ref(2)))
            try context.update(PlaylistSong(id: 1, source: Ref(1), target: Ref(1)))
            try context.blocking.save()
            try expectEqual(try trial.fetch(PlaylistSong.all).map(\.target), [Ref(1), Ref(3), Ref(2)])
        },
        ConformanceCase(
            "merging.nothing-left", in: .merging, "a save of changes that come to nothing over all contexts leaves none"
        ) { trial in
            let parent = try fill(trial)
            let child = try parent.makeChild()
            try parent.change(shelf(2, "c"))
            try child.change(shelf(2, "b"))
            try expect(parent.hasChanges && child.hasChanges, "there are no changes")
            let result = try child.blocking.save()
            try expect(result.isEmpty && result.transactionNumber == nil, "something was written")
            try expect(!parent.hasChanges && !child.hasChanges, "changes are left")
        },
        ConformanceCase(
            "merging.between", in: .merging, "conflicts that are settled between a child and the store are reported"
        ) { trial in
            let parent = try fill(trial)
            let child = try parent.makeChild()
            child.mergePolicy = .contextWins
            try child.change(shelf(2, "mine"))
            try parent.change(shelf(2, "theirs"))
            let result = try child.blocking.save()
            try expectEqual(result.conflicts.map(\.kind), [.changedTwice])
            try expectEqual(result.conflicts.map(\.attributes), [["name"]])
            try expectEqual(try rows(trial, Kind.shelf)[1], shelf(2, "mine"))
        },
    ]
}

private enum Kind {
    static let shelf = 0
    static let item = 2
}

/// Two shelves, the first kept by the item on it, and an item on each.
private func fill(_ trial: Trial) throws -> EditContext {
    try trial.open(ContextProgram.schema)
    try trial.write { tx in
        try tx.insert(shelf(1, "a"), into: Kind.shelf)
        try tx.insert(shelf(2, "b"), into: Kind.shelf)
        try tx.insert(item(1, home: 1, slot: 0, code: "one"), into: Kind.item)
        try tx.insert(item(2, home: 2, slot: 0, code: "two"), into: Kind.item)
        try tx.change(shelf(1, "a", keeper: 1))
    }
    return try trial.stack.makeContext()
}

/// Two playlists, and songs of one album on them.
private func fillPlaylists(_ trial: Trial, songs: Int64, _ links: [PlaylistSong]) throws {
    try trial.open(SuiteSchema.shop)
    try trial.write { tx in
        try tx.insert([Playlist(id: 1), Playlist(id: 2)])
        try tx.insert(Artist(id: 1))
        try tx.insert(Album(id: 1, artist: Ref(1)))
        try tx.insert((1...songs).map { Song(id: $0, album: Ref(1)) })
        try tx.insert(links)
    }
}

private func item(
    _ id: Int64, home: Int64, slot: Int64, code: String?, spare: Int64? = nil
) -> [StoredValue] {
    [
        .integer(id), .integer(home), .integer(slot), spare.map { .integer($0) } ?? .null, .null, .null, .null,
        code.map { .string($0) } ?? .null, .null,
    ]
}

private func shelf(_ id: Int64, _ name: String, keeper: Int64? = nil) -> [StoredValue] {
    [.integer(id), .string(name), keeper.map { .integer($0) } ?? .null]
}

extension Context {
    /// Updates a shelf or an item.
    fileprivate func change(_ row: [StoredValue]) throws {
        try expect(try update(row, in: row.count == 3 ? Kind.shelf : Kind.item), "there is no record to update")
    }
}

private func rows(_ trial: Trial, _ entity: Int) throws -> [[StoredValue]] {
    try trial.read { try $0.allRows()[entity] }
}
