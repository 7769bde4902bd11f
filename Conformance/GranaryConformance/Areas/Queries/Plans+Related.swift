import ConformanceKit
import ConformanceModels
import GranaryCore

// Conditions on related records: a store may find the related ones first, or look them up row by row, but nowhere does it read
// every record of an entity where an index finds some.

var relatedPlansCases: [ConformanceCase] {
    [
        ConformanceCase(
            "plans.to-one", in: .plans, "a condition two references away is found from its indexed end",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                try check(
                    Song.where { $0.album.artist.label == "artist 7" }, ["Song", "Album", "Artist"], in: snapshot)
                try check(
                    Song.where { $0.album.title.equals("ALBUM 7", .caseInsensitive) }, ["Song", "Album"], in: snapshot)
                try check(
                    Song.where { $0.album.artist.genre.label.hasPrefix("genre 7") },
                    ["Song", "Album", "Artist", "Genre"],
                    in: snapshot)
                try check(
                    Song.where { $0.album.artist.label == "artist 7" }.sorted(by: \.title).limit(3),
                    ["Song", "Album", "Artist"], in: snapshot)
            }
        },
        ConformanceCase(
            "plans.to-many", in: .plans, "a condition on those that refer to a record is found from theirs",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                try check(
                    Artist.where { $0.albums.contains { $0.title == "album 7" } }, ["Artist", "Album"], in: snapshot)
                try check(
                    Artist.where { $0.albums.contains { $0.songs.contains { $0.title == "song 7" } } },
                    ["Artist", "Album", "Song"], in: snapshot)
            }
        },
        ConformanceCase(
            "plans.many-to-many", in: .plans, "linked records are found through the links' index",
            requires: [.indexedQueries], modes: [.fresh]
        ) { trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                try check(
                    Song.where { $0.playlists.contains { $0.label == "playlist 7" } },
                    ["Song", "Playlist_songs", "Playlist"], in: snapshot)
                try check(
                    Playlist.where { $0.songs.contains { $0.title == "song 7" } },
                    ["Playlist", "Playlist_songs", "Song"],
                    in: snapshot)
            }
        },
        ConformanceCase(
            "plans.subquery", in: .plans, "what is among the records or values of a query is searched for",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                try check(
                    Album.where { $0.artist.in(Artist.where { $0.label == "artist 7" }) }, ["Album", "Artist"],
                    in: snapshot
                )
                let ids = Album.where { $0.title == "album 7" }.select(\.id)
                try check(Song.where { $0.id.in(ids) }, ["Song", "Album"], in: snapshot)
            }
        },
        ConformanceCase(
            "plans.union", in: .plans, "alternatives are searched for, each by its index", requires: [.indexedQueries],
            modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                let either = Artist.where { $0.label == "artist 7" || $0.genre == Ref(3) || $0.id.in([1, 2]) }
                try check(either, ["Artist"], in: snapshot)
                let searches = try either.explain(in: snapshot).steps.filter { $0.action == .search }
                try expectEqual(searches.compactMap(\.index).sorted(), ["genre", "key", "label"])
                let listed = Artist.where { $0.label.in(["artist 7", "artist 8", "x"]) }
                try check(listed, ["Artist"], in: snapshot)
                let list = try listed.explain(in: snapshot)
                try expectEqual(list.steps.first?.index, "label", "\(list)")
                try expectEqual(list.steps.first?.terms, ["label in (3)"], "\(list)")
                let same = Artist.where { $0.label == "artist 7" || $0.label == "artist 8" }
                try check(same, ["Artist"], in: snapshot)
                try expectEqual(try same.explain(in: snapshot).steps.first?.index, "label")
                // One that no index answers leaves all to be read.
                let unindexed = Artist.where { $0.label == "artist 7" || $0.label.length == 3 }
                try expectFullScan("Artist", try unindexed.explain(in: snapshot))
            }
        },
        ConformanceCase(
            "plans.forms", in: .plans, "chosen values and queries by names are planned as whole records are",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                let found = Artist.where { $0.label == "artist 7" }
                let all = Artist.where { $0.rating != 2 }
                try expectNoFullScan(found.select { ($0.label, $0.rating) }, in: snapshot)
                try expectNoFullScan(found.select { ($0.label, $0.genre.label) }.distinct(), in: snapshot)
                try expectFailure("values") { try expectNoFullScan(all.select { ($0.label, $0.rating) }, in: snapshot) }
                try expectNoFullScan(Request(recordsOf: found.untyped), in: snapshot)
                try expectFailure("names") { try expectNoFullScan(Request(recordsOf: all.untyped), in: snapshot) }
                let text = Request("Artist").where(.compare("genre.label", .equal, .string("genre 7")))
                try expectNoFullScan(text.sorted(by: "label").limit(5), in: snapshot)
                try expectNoFullScan(
                    found.grouped(by: { $0.rating }).select { ($0.rating, $0.id.count) }, in: snapshot)
            }
        },
        ConformanceCase(
            "plans.unindexed", in: .plans, "where no index finds anything, every record is said to be read",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try Shop(trial).trial.read { snapshot in
                try expectFailure("a condition") { try expectNoFullScan(Song.where { $0.score > 1 }, in: snapshot) }
                try expectFailure("a negation") { try expectNoFullScan(Artist.where { $0.label != "x" }, in: snapshot) }
                try expectFailure("everything") { try expectNoFullScan(Artist.all, in: snapshot) }
                try expectFailure("an order") { try expectNoFullScan(Song.sorted(by: \.score).limit(3), in: snapshot) }
                // At the far end of a relationship, too.
                let far = Song.where { $0.album.title == "Alpha" }
                try expectFailure("a related record") { try expectNoFullScan(far, in: snapshot) }
                try expect(
                    try far.explain(in: snapshot).fullScans.contains { $0 == "Album" || $0 == "Song" },
                    "the plan does not say what is read")
            }
        },
        ConformanceCase(
            "plans.pending", in: .plans, "what a context has not saved does not make an index useless",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            let context = try trial.stack.makeContext()
            try context.insert(Artist(id: 9_001, label: "artist 7", genre: Ref(3)))
            try context.delete(Artist.self, 8)
            for query in [
                Artist.where { $0.label == "artist 7" }, Artist.where { $0.genre == Ref(3) },
                Artist.sorted(by: \.label).limit(5),
            ] {
                try expectNoFullScan(query, in: context)
                try expect(
                    try query.explain(in: context).steps.contains { $0.action == .merge },
                    "changes are laid over what is read")
            }
            try expectEqual(try context.fetch(Artist.where { $0.label == "artist 7" }).map(\.id), [7, 9_001])
            try expectFailure("a condition without an index") {
                try expectNoFullScan(Artist.where { $0.rating != 2 }, in: context)
            }
        },
    ]
}

/// Fails unless a query finds some, but not all, and reads these entities, none of them whole.
private func check<R: Record>(
    _ query: Query<R>, _ entities: Set<String>, in snapshot: Snapshot, file: String = #fileID, line: Int = #line
) throws {
    try expectNoFullScan(query, in: snapshot, file: file, line: line)
    let count = try snapshot.count(query)
    try expect(
        count > 0 && count < (try snapshot.count(R.all)), "\(count) are found, which tells nothing", file: file,
        line: line)
    let plan = try query.explain(in: snapshot)
    let read = Set(plan.steps.map(\.entity).filter { !$0.isEmpty })
    try expectEqual(read, entities, "\(plan)", file: file, line: line)
}
