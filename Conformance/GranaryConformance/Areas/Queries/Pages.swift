import ConformanceKit
import ConformanceModels
import GranaryCore

var keysetPagesCases: [ConformanceCase] {
    [
        ConformanceCase("pages.concatenate", in: .pages, "pages follow each other to all records, and lead back") {
            trial in
            let shop = try Shop(trial)
            let queries: [Query<Song>] = [
                Song.all, Song.sorted(by: \.seconds), Song.sorted(by: \.seconds, .descending),
                Song.sorted(by: \.seconds, .ascending, nils: .last),
                Song.sorted(by: \.seconds, .descending, nils: .first),
                Song.sorted(by: \.genre, .descending).sorted(by: \.seconds, .descending),
                Song.sorted(by: \.genre, .descending, nils: .first).sorted(by: \.score, .ascending, nils: .last),
                Song.sorted(by: \.isLive).sorted(by: \.score, .descending),
                Song.sorted(by: \.genre.label, .descending).sorted(by: \.title), Song.sorted { $0.seconds % 100 },
                Song.where { $0.seconds >= 100 || $0.seconds == nil }.sorted(by: \.score),
            ]
            try shop.read { snapshot in
                for query in queries {
                    let all = try snapshot.fetch(query).map(\.id)
                    for size in 1...7 {
                        let forwards = try pages(of: query, size: size, in: snapshot)
                        try expectEqual(forwards.flatMap { $0 }, all, "\(query.untyped.order) by \(size)")
                        try expect(forwards.dropLast().allSatisfy { $0.count == size }, "pages are full")
                        let backwards = try pagesBack(of: query, size: size, in: snapshot)
                        try expectEqual(
                            backwards.reversed().flatMap { $0 }, all, "\(query.untyped.order) back by \(size)")
                    }
                }
            }
        },
        ConformanceCase("pages.changes", in: .pages, "what is written between two pages moves no record") { trial in
            let shop = try Shop(trial)
            let query = Song.sorted(by: \.title)
            var first: Page<Song>?
            try trial.read { first = try query.page(in: $0, size: 3) }
            guard let end = first?.end else { throw ConformanceFailure(message: "no end", file: #fileID, line: #line) }
            try trial.write { tx in
                try tx.delete(Song.self, 3)
                try tx.insert(Song(id: 20, title: "Aaa", album: Ref(1)))
                try tx.insert(Song(id: 21, title: "Czz", album: Ref(1)))
            }
            try trial.read { snapshot in
                try expectEqual(try query.page(in: snapshot, after: end, size: 2).records.map(\.id), [21, 4])
                try expectEqual(try query.page(in: snapshot, before: end, size: 9).records.map(\.id), [20, 1, 2])
            }
            _ = shop
        },
        ConformanceCase(
            "pages.refused", in: .pages, "a place in another order, an offset and a negative size are refused"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let page = try Song.sorted(by: \.title).page(in: snapshot, size: 2)
                try expectEqual(page.hasMore, true)
                guard let end = page.end else {
                    throw ConformanceFailure(message: "no end", file: #fileID, line: #line)
                }
                try expectError(.invalidQuery) {
                    try Song.sorted(by: \.seconds).page(in: snapshot, after: end, size: 2)
                }
                try expectError(.invalidQuery) { try Song.all.offset(1).page(in: snapshot, size: 2) }
                try expectError(.invalidQuery) { try Song.all.page(in: snapshot, size: -1) }
                let none = try Song.where { $0.id > 99 }.page(in: snapshot, size: 2)
                try expect(
                    none.records.isEmpty && none.start == nil && none.end == nil && !none.hasMore, "an empty page")
            }
        },
    ]
}

/// The keys of a query's records, read page by page.
func pages<R: Record>(of query: Query<R>, size: Int, in snapshot: Snapshot) throws -> [[R.Key]] {
    var page = try query.page(in: snapshot, size: size)
    var pages = [page.records.map(\.id)]
    while page.hasMore, let end = page.end {
        page = try query.page(in: snapshot, after: end, size: size)
        pages.append(page.records.map(\.id))
    }
    return pages
}

/// The same from the last record to the first; the pages come in the order in which they are read.
func pagesBack<R: Record>(of query: Query<R>, size: Int, in snapshot: Snapshot) throws -> [[R.Key]] {
    let whole = try query.page(in: snapshot, size: 1_000)
    guard let last = whole.end else { return [] }
    var pages = [whole.records.suffix(1).map(\.id)]
    var page = try query.page(in: snapshot, before: last, size: size)
    while true {
        pages.append(page.records.map(\.id))
        guard page.hasMore, let start = page.start else { return pages }
        page = try query.page(in: snapshot, before: start, size: size)
    }
}
