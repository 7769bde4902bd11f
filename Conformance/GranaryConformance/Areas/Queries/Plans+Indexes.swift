import ConformanceKit
import GranaryCore

// What an index can do for one entity, by what a plan says of it. Words that stores may put differently are not compared: how
// a beginning of a text is searched for, and whether an index whose rows are read anyway is called read alone.

var indexPlansCases: [ConformanceCase] {
    [
        ConformanceCase(
            "plans.limit", in: .plans, "reading in the order of an index ends when there is enough",
            requires: [.indexedQueries], modes: [.fresh]
        ) { trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                var scan = QueryPlan.Step(.scan, "Artist", index: "label")
                scan.limit = 7
                try expectEqual(try Artist.sorted(by: \.label).limit(5).offset(2).explain(in: snapshot).steps, [scan])
                scan.limit = 5
                scan.isBackwards = true
                let last = Artist.sorted(by: \.label, .descending).limit(5)
                try expectEqual(try last.explain(in: snapshot).steps, [scan])
                try expectNoFullScan(last, in: snapshot)
                let found = Artist.where { $0.label > "artist 3" }.sorted(by: \.label).limit(5)
                try expectEqual(
                    try found.explain(in: snapshot).steps, [searching("Artist", "label", ["label > ?"], limit: 5)])
                let keys = try Artist.all.limit(3).explain(in: snapshot)
                try expectEqual(keys.steps.map(\.action), [.scan])
                try expectEqual(keys.steps.first?.limit, 3)
                // Without a limit all are read.
                try expectFullScan("Artist", try Artist.sorted(by: \.label).explain(in: snapshot))
            }
        },
        ConformanceCase(
            "plans.top", in: .plans, "without an index no more rows are kept than are asked for",
            requires: [.indexedQueries], modes: [.fresh]
        ) { trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                func sort(_ query: Query<Playlist>) throws -> QueryPlan.Step? {
                    let plan = try query.explain(in: snapshot)
                    try expectFullScan("Playlist", plan)
                    try expectEqual(plan.steps.filter { $0.action == .sort }.count, 1, "\(plan)")
                    return plan.steps.last
                }
                let ordered = Playlist.sorted(by: { $0.label.length }, .descending)
                try expectEqual(try sort(ordered.limit(3))?.limit, 3)
                try expectEqual(try sort(ordered.limit(3).offset(4))?.limit, 7)
                try expectEqual(try sort(ordered.where { $0.label != "x" }.limit(2))?.limit, 2)
                try expectEqual(try sort(ordered)?.limit, nil)
            }
        },
        ConformanceCase(
            "plans.count", in: .plans, "what an index answers is counted in the index alone",
            requires: [.indexedQueries],
            modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            let count = AnyGrouping(by: [], columns: [Artist.fields.id.count.untyped])
            try trial.read { snapshot in
                func counting(_ query: Query<Artist>) throws -> QueryPlan {
                    try expectNoFullScan(Request(recordsOf: query.untyped).grouped(as: count), in: snapshot)
                    return try Request(recordsOf: query.untyped).grouped(as: count).explain(in: snapshot)
                }
                var search = searching("Artist", "label", ["label = ?"])
                search.isIndexOnly = true
                try expectEqual(try counting(Artist.where { $0.label == "artist 7" }).steps, [search])
                for query in [
                    Artist.where { $0.label.hasPrefix("artist 7") }, Artist.where { $0.label > "artist 7" },
                    Artist.where { $0.genre == Ref(3) }, Artist.where { $0.rating == nil },
                ] {
                    let plan = try counting(query)
                    try expectEqual(plan.steps.map(\.action), [.search], "\(plan)")
                    try expectEqual(plan.steps.map(\.isIndexOnly), [true], "\(plan)")
                }
                // What the index does not tell is asked of the rows.
                let asked = try counting(Artist.where { $0.label == "artist 7" && $0.rating != 2 })
                try expectEqual(asked.steps.map(\.action), [.search, .filter], "\(asked)")
                try expectEqual(asked.steps.first?.isIndexOnly, false, "\(asked)")
            }
        },
        ConformanceCase(
            "plans.group", in: .plans, "groups by an indexed attribute are counted in the index alone",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                let grouped = Artist.all.grouped(by: { $0.genre }).select { ($0.genre, $0.id.count) }
                var scan = QueryPlan.Step(.scan, "Artist", index: "genre")
                scan.isIndexOnly = true
                try expectEqual(
                    try grouped.explain(in: snapshot).steps, [scan, QueryPlan.Step(.group, terms: ["genre"])])
                try expectEqual(try snapshot.fetch(grouped).map(\.1).reduce(0, +), 600)
                // Of a part of the records a part of an index is enough; of all of them all of it.
                try expectNoFullScan(
                    Artist.where { $0.label > "artist 3" }.grouped(by: { $0.label }).select {
                        ($0.label, $0.rating.maximum)
                    },
                    in: snapshot)
                try expectFailure("all of an index") { try expectNoFullScan(grouped, in: snapshot) }
                let whole = Artist.where { $0.rating != 2 }.grouped(by: { $0.rating }).select {
                    ($0.rating, $0.id.count)
                }
                try expectFailure("a condition without an index") { try expectNoFullScan(whole, in: snapshot) }
            }
        },
        ConformanceCase(
            "plans.ends", in: .plans, "the least and the greatest value are found at the ends of an index",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                func check(_ columns: [AnyExpression], of query: Query<Artist> = Artist.all, _ indexes: [String]) throws
                {
                    let grouping = AnyGrouping(by: [], columns: columns)
                    try expectNoFullScan(Request(recordsOf: query.untyped).grouped(as: grouping), in: snapshot)
                    let plan = try Request(recordsOf: query.untyped).grouped(as: grouping).explain(in: snapshot)
                    try expectEqual(plan.steps.map(\.index), indexes, "\(plan)")
                }
                let (label, rating) = (Artist.fields.label, Artist.fields.rating)
                try check([label.minimum.untyped], ["label"])
                try check([label.maximum.untyped], ["label"])
                try check([rating.minimum.untyped], ["rating"])
                try check([label.minimum.untyped, rating.maximum.untyped], ["label", "rating"])
                try check([label.maximum.untyped], of: Artist.where { $0.label < "artist 3" }, ["label"])
                let (least, greatest, none) = try Artist.all.select {
                    ($0.rating.minimum, $0.label.maximum, $0.mentor.maximum)
                }.aggregate(in: snapshot)
                try expectEqual(least, 0)
                try expectEqual(greatest, "same")
                try expectEqual(none, nil)
                // A sum takes them all.
                try expectFailure("a sum") {
                    try expectNoFullScan(
                        Request("Artist").grouped(by: []).select([rating.sum.untyped]), in: snapshot)
                }
            }
        },
        ConformanceCase(
            "plans.compound", in: .plans, "an index over several is searched by equal values, then a range",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                let range = Song.where { $0.genre == Ref(3) && $0.seconds > 100 }.sorted(by: \.seconds)
                try expectEqual(
                    try range.explain(in: snapshot).steps,
                    [searching("Song", "genre_seconds", ["genre = ?", "seconds > ?"])])
                let both = Song.where { $0.genre == Ref(3) && $0.seconds == 120 }
                try expectEqual(
                    try both.explain(in: snapshot).steps,
                    [searching("Song", "genre_seconds", ["genre = ?", "seconds = ?"])])
                let beginning = Song.where { $0.album == Ref(7) && $0.score == 1.5 && $0.title.hasPrefix("song") }
                let plan = try beginning.sorted(by: \.title).explain(in: snapshot)
                try expectEqual(plan.steps.map(\.action), [.search], "\(plan)")
                try expectEqual(plan.steps.first?.index, "album_score_title")
                try expectEqual(Array(plan.steps.first?.terms.prefix(2) ?? []), ["album = ?", "score = ?"])
            }
        },
        ConformanceCase(
            "plans.folded", in: .plans, "an index of folded texts is searched, and gives their order",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                func check(
                    _ query: Query<Tag>, _ index: String, _ actions: [QueryPlan.Action], limit: Int? = nil,
                    line: Int = #line
                ) throws {
                    try expectNoFullScan(query, in: snapshot, line: line)
                    let plan = try query.explain(in: snapshot)
                    try expectEqual(plan.steps.map(\.action), actions, "\(plan)", line: line)
                    try expectEqual(plan.steps.first?.index, index, "\(plan)", line: line)
                    try expectEqual(plan.steps.first?.limit, limit, "\(plan)", line: line)
                }
                try check(Tag.where { $0.word.equals("WORD 7", .caseInsensitive) }, "word", [.search])
                try check(Tag.where { $0.label.equals("LABEL 7", .caseInsensitive) }, "label", [.search])
                try check(
                    Tag.where { $0.word.equals("WÖRD 7", [.caseInsensitive, .diacriticInsensitive]) }, "word", [.search]
                )
                try check(Tag.where { $0.word.hasPrefix("WORD 7", .caseInsensitive) }, "word", [.search, .sort])
                try check(
                    Tag.where { $0.word.hasPrefix("WORD 7", .caseInsensitive) }
                        .sorted(by: { $0.word.folded(.caseInsensitive) }), "word", [.search])
                try check(Tag.sorted(by: { $0.word.folded(.caseInsensitive) }).limit(4), "word", [.scan], limit: 4)
                try check(
                    Tag.sorted(by: { $0.word.folded(.caseInsensitive) }, .descending).limit(4), "word", [.scan],
                    limit: 4)
                let seventh = Tag.where { $0.word.equals("WORD 7", .caseInsensitive) }
                try expectEqual(try seventh.explain(in: snapshot).steps.first?.terms, ["word[c] = ?"])
                try expectEqual(try snapshot.fetch(seventh).map(\.id), [7])
                // Another folding is not what the index has.
                try expectFullScan(
                    "Tag", try Tag.where { $0.label.equals("a", .diacriticInsensitive) }.explain(in: snapshot))
                try expectFullScan(
                    "Tag",
                    try Tag.where {
                        $0.word.contains("7", .caseInsensitive)
                    }.explain(in: snapshot))
            }
        },
        ConformanceCase(
            "plans.unique", in: .plans, "an index whose values are unique is searched as any other",
            requires: [.indexedQueries], modes: [.fresh]
        ) { trial in
            try PlannedShop.open(trial)
            try trial.read { snapshot in
                let genre = try Genre.where { $0.label == "genre 7" }.explain(in: snapshot)
                try expectEqual(genre.steps.map(\.action), [.search], "\(genre)")
                try expectEqual(genre.steps.first?.index, "label", "\(genre)")
                try expectEqual(genre.steps.first?.terms, ["label = ?"], "\(genre)")
                let links = try PlaylistSong.where { $0.source == Ref(1) && $0.target == Ref(5) }.explain(in: snapshot)
                try expectEqual(links.steps.map(\.action), [.search], "\(links)")
                try expectEqual(links.steps.first?.index, "source_target", "\(links)")
            }
        },
        ConformanceCase(
            "plans.page", in: .plans, "a page is found by its place in an index, however far on it is",
            requires: [.indexedQueries], modes: [.fresh]
        ) {
            trial in
            try PlannedShop.open(trial)
            func check<R: Record>(_ query: Query<R>, in snapshot: Snapshot, line: Int = #line) throws {
                func check(_ plan: QueryPlan) throws {
                    // Neither read from the start, nor sorted, nor rows read that are not on the page.
                    try expect(
                        plan.steps.allSatisfy { $0.action == .search && $0.index != "key" },
                        "\(query.untyped.order): \(plan)",
                        line: line)
                }
                var page = try query.page(in: snapshot, size: 45)
                var count = page.records.count
                while page.hasMore, let end = page.end, let start = page.start {
                    try expectNoFullScan(query, after: end, size: 45, in: snapshot, line: line)
                    try expectNoFullScan(query, before: start, size: 45, in: snapshot, line: line)
                    try check(try query.explain(in: snapshot, after: end, size: 45))
                    try check(try query.explain(in: snapshot, before: start, size: 45))
                    page = try query.page(in: snapshot, after: end, size: 45)
                    count += page.records.count
                }
                try expectEqual(count, try snapshot.count(query), line: line)
            }
            try trial.read { snapshot in
                try check(Artist.sorted(by: \.label), in: snapshot)
                try check(Artist.sorted(by: \.label, .descending), in: snapshot)
                // Nil comes first, last, and last in an ascending order.
                try check(Artist.sorted(by: \.rating), in: snapshot)
                try check(Artist.sorted(by: \.rating, .descending), in: snapshot)
                try check(Artist.sorted(by: \.rating, .ascending, nils: .last), in: snapshot)
                try check(Song.sorted(by: \.genre).sorted(by: \.seconds), in: snapshot)
                try check(Song.sorted(by: \.genre, .descending).sorted(by: \.seconds, .descending), in: snapshot)
                let unordered = Playlist.sorted { $0.label.length }
                guard let end = try unordered.page(in: snapshot, size: 5).end else {
                    throw ConformanceFailure(message: "no page", file: #fileID, line: #line)
                }
                try expectFailure("no index") { try expectNoFullScan(unordered, after: end, size: 5, in: snapshot) }
            }
        },
    ]
}

/// The music shop with an index over everything, and some hundred of each record.
enum PlannedShop {
    static func open(_ trial: Trial) throws {
        try trial.open(SuiteSchema.indexedShop)
        try trial.write { tx in
            try tx.insert((1...40).map { Genre(id: $0, label: "genre \($0)") })
            // A third of the artists have one label, a third no rating.
            try tx.insert(
                (1...600).map { id in
                    Artist(
                        id: id, label: id % 3 == 0 ? "same" : "artist \(id)", genre: Ref(id % 40 + 1),
                        rating: id % 3 == 1 ? nil : Double(id % 5))
                })
            try tx.insert(
                (1...300).map { Album(id: $0, title: "album \($0)", artist: Ref($0), year: 1900 + $0 % 100) })
            try tx.insert(
                (1...600).map { id in
                    Song(
                        id: id, title: "song \(id)", album: Ref(id % 300 + 1),
                        genre: id % 4 == 0 ? nil : Ref(id % 5 + 1),
                        seconds: id % 3 == 0 ? nil : 100 + id % 30, score: 1.5)
                })
            try tx.insert((1...20).map { Playlist(id: $0, label: "playlist \($0)") })
            try tx.insert(
                (1...200).map { PlaylistSong(source: Ref($0 % 20 + 1), target: Ref($0), position: $0) })
            try tx.insert((1...50).map { Tag(id: $0, label: "Label \($0)", word: "Word \($0)") })
        }
    }
}

func searching(_ entity: String, _ index: String, _ terms: [String], limit: Int? = nil) -> QueryPlan.Step {
    var step = QueryPlan.Step(.search, entity, index: index, terms: terms)
    step.limit = limit
    return step
}

func expectFullScan(_ entity: String, _ plan: QueryPlan, file: String = #fileID, line: Int = #line) throws {
    try expect(
        plan.fullScans == [entity], "every \(entity) is read, of which the plan does not tell:\n\(plan)", file: file,
        line: line)
}

/// Fails unless an expectation fails.
func expectFailure(_ what: String, file: String = #fileID, line: Int = #line, _ body: () throws -> Void) throws {
    do {
        try body()
    } catch is ConformanceFailure {
        return
    }
    throw ConformanceFailure(message: "\(what) was not told of", file: file, line: line)
}
