import ConformanceKit
import ConformanceModels
import GranaryCore

// What is asked by names has the answers of the typed form.

var findersByNameCases: [ConformanceCase] {
    [
        ConformanceCase(
            "finders.by-name", in: .finders, "first, last, extremes and streams by names are the typed ones"
        ) {
            trial in
            let shop = try Shop(trial)
            let queries: [Query<Song>] = [
                Song.all, Song.sorted(by: \.seconds, .descending), Song.sorted(by: \.title).limit(4).offset(1),
                Song.where { $0.album.artist.label == "Ada" }.sorted(by: \.isLive, nils: .last), Song.all.limit(0),
                Song.where { $0.id > 99 },
            ]
            try shop.read { snapshot in
                for typed in queries {
                    let query = Request(recordsOf: typed.untyped)
                    let keys = try snapshot.fetch(typed).map { StoredValue.integer($0.id) }
                    try expectEqual(try snapshot.first(query)?.key, keys.first)
                    try expectEqual(
                        try query.last(in: snapshot)?.key,
                        try typed.last(in: snapshot).map {
                            .integer($0.id)
                        })
                    try expectEqual(try query.last(in: snapshot)?.key, keys.last)
                    let cursor = try query.cursor(in: snapshot)
                    var streamed: [StoredValue] = []
                    while let record = try cursor.next() { streamed.append(record.key) }
                    try expectEqual(streamed, keys)
                    try expectEqual(
                        try query.first(minimumOf: .attribute("score"), in: snapshot)?.key,
                        try typed.first(minimumOf: \.score, in: snapshot).map { .integer($0.id) })
                    try expectEqual(
                        try query.first(maximumOf: try AnyExpression(parsing: "seconds * 2"), in: snapshot)?.key,
                        try typed.first(maximumOf: { $0.seconds * 2 }, in: snapshot).map { .integer($0.id) })
                }
                let few = Song.sorted(by: \.title).limit(2)
                try expectEqual(try few.first(maximumOf: \.seconds, in: snapshot)?.id, 2)
                try expectEqual(
                    try Request(recordsOf: few.untyped).first(maximumOf: .attribute("seconds"), in: snapshot)?.key,
                    .integer(2))
                try expectError(.unknownEntity, entity: "Nothing") {
                    try Request("Nothing").last(in: snapshot)?.key
                }
                try expectError(.unknownAttribute) {
                    try Request("Song").first(minimumOf: .attribute("x"), in: snapshot)?.key
                }
            }
        },
        ConformanceCase(
            "finders.cursor-by-name", in: .finders, "a cursor by names ends with a write, and with its transaction",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            var kept: RequestCursor<DynamicRecord, DynamicRecord>?
            try trial.write { tx in
                let cursor = try Request("Song").cursor(in: tx)
                try expectEqual(try cursor.next()?.key, .integer(1))
                try tx.delete(Song.self, 2)
                try expectError(.cursorInvalidated) { try cursor.next()?.key }
                kept = try Request("Song").cursor(in: tx)
            }
            try expectError(.closed) { try kept?.next()?.key }
            _ = shop
        },
        ConformanceCase("finders.sample-by-name", in: .finders, "a sample by names is the typed one, drawn alike") {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let typed = Song.where { $0.id != 2 }
                for count in 0...6 {
                    var (one, other) = (CaseRandom(seed: trial.seed), CaseRandom(seed: trial.seed))
                    let sample = try Request(recordsOf: typed.untyped).sample(count: count, using: &one, in: snapshot)
                        .map(\.key)
                    try expectEqual(sample.count, min(count, 5))
                    try expectEqual(
                        sample, try typed.sample(count: count, using: &other, in: snapshot).map { .integer($0.id) })
                }
                try expectEqual(try Request("Song").sample(count: 9, in: snapshot).count, 6)
            }
        },
        ConformanceCase(
            "finders.values-by-name", in: .finders, "dictionaries and distinct values by names are the typed ones"
        ) { trial in
            let shop = try Shop(trial)
            let query = Request("Song").sorted(by: "-seconds")
            let columns: [(name: String, value: AnyExpression)] = [
                ("title", .attribute("title")), ("artist", .attribute("album.artist.label")),
            ]
            try shop.read { snapshot in
                let typed = Song.sorted(by: \.seconds, .descending).select { ($0.title, $0.album.artist.label) }
                try expectEqual(
                    try query.select(named: columns).fetch(in: snapshot),
                    try snapshot.fetch(typed).map {
                        ["title": try StoredValue(encoding: $0.0), "artist": try StoredValue(encoding: $0.1)]
                    })
                try expectEqual(
                    try query.limit(1).select(named: columns).fetch(in: snapshot).first?["title"], .string("Echo"))
                let values = columns.map(\.value)
                try expectEqual(try query.select(values).explain(in: snapshot), try typed.explain(in: snapshot))
                let seconds = Song.sorted(by: \.seconds).select { $0.seconds }.distinct()
                let named = Request("Song").sorted(by: "seconds")
                try expectEqual(try snapshot.count(seconds), 4)
                try expectEqual(try named.select([.attribute("seconds")]).distinct().count(in: snapshot), 4)
                try expectEqual(
                    try named.limit(9).offset(1).select([.attribute("seconds")]).distinct().count(in: snapshot), 3)
                try expectEqual(
                    try named.select([.attribute("seconds")]).distinct().explain(in: snapshot),
                    try seconds.explain(in: snapshot))
                try expectError(.invalidQuery) {
                    try named.select([.attribute("title")]).distinct().count(in: snapshot)
                }
            }
        },
        ConformanceCase("finders.groups-by-name", in: .finders, "dictionaries of groups are those of the typed groups")
        {
            trial in
            let shop = try Shop(trial)
            let columns: [(name: String, value: AnyExpression)] = [
                ("genre", .attribute("genre.label")), ("songs", .aggregate(.count)),
                ("seconds", .aggregate(.sum, of: .attribute("seconds"))),
            ]
            let named = Request("Song").grouped(by: [.attribute("genre.label")]).select(named: columns)
            let typed = Song.all.grouped(by: { $0.genre.label }).select {
                ($0.genre.label, $0.id.count, $0.seconds.sum)
            }
            try shop.read { snapshot in
                try expectEqual(
                    try named.fetch(in: snapshot),
                    try snapshot.fetch(typed).map {
                        [
                            "genre": try StoredValue(encoding: $0.0), "songs": try StoredValue(encoding: $0.1),
                            "seconds": try StoredValue(encoding: $0.2),
                        ]
                    })
                try expectEqual(try named.explain(in: snapshot), try typed.explain(in: snapshot))
            }
        },
        ConformanceCase("finders.create-by-name", in: .finders, "what is not found by names is created, once") {
            trial in
            try Shop(trial).write { tx in
                func genre(_ id: Int64, _ label: String) throws -> DynamicRecord {
                    var genre = try DynamicRecord("Genre", in: tx.schema)
                    try genre.set("id", to: id)
                    try genre.set("label", to: label)
                    return genre
                }
                let rock = try tx.findOrCreate("Genre", 1) { try genre(1, "other") }
                try expectEqual(rock["label"], .string("Rock"))
                let pop = try tx.findOrCreate("Genre", 9) { try genre(9, "Pop") }
                try expectEqual(try tx.find(Genre.self, 9)?.label, "Pop")
                let named = Request("Genre").where(.compare("label", .equal, .string("Pop")))
                try expectEqual(try named.findOrCreate(in: tx) { try genre(11, "Pop") }, pop)
                let wanted = AnyCondition.all([
                    .compare("label", .equal, .string("Soul")), .compare("id", .equal, .integer(10)),
                ])
                let soul = try tx.findOrCreate("Genre", where: wanted)
                try expectEqual(soul.key, .integer(10))
                try expectEqual(try tx.findOrCreate("Genre", where: wanted), soul)
                try expectEqual(try tx.count(Genre.all), 5)
                try expectError(.required, entity: "Album") {
                    try tx.findOrCreate("Album", where: .compare("id", .equal, .integer(50))).key
                }
                try expectError(.invalidQuery) {
                    try tx.findOrCreate("Genre", where: .compare("label", .greater, .string("Z"))).key
                }
            }
        },
    ]
}
