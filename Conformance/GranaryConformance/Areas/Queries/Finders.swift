import ConformanceKit
import ConformanceModels
import GranaryCore

var findersCases: [ConformanceCase] {
    [
        ConformanceCase("finders.read", in: .finders, "finders on the type answer as the context does") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                try expectEqual(try Song.find(3, in: snapshot)?.title, "Cloud")
                try expectEqual(try Song.find(99, in: snapshot)?.title, nil)
                try expectEqual(try Song.find([5, 99, 2], in: snapshot).map(\.id), [5, 2])
                try expectEqual(try Song.count(in: snapshot), 6)
                try expectEqual(try snapshot.exists(Song.self, 6), true)
                try expectEqual(try snapshot.exists(Song.self, 7), false)
                try expectEqual(try Song.first(in: snapshot)?.id, 1)
                try expectEqual(try Song.sorted(by: "-seconds,title").first(in: snapshot)?.id, 5)
                try expectEqual(try Song.all.first(minimumOf: \.score, in: snapshot)?.id, 5)
                try expectEqual(try Song.all.first(maximumOf: \.seconds, in: snapshot)?.id, 5)
                try expectEqual(try Genre.where { $0.id > 9 }.first(minimumOf: \.label, in: snapshot)?.id, nil)
                try expectEqual(
                    try Song.sorted(by: "album.artist.label,-title").fetch(in: snapshot).map(\.id), [4, 3, 2, 1, 6, 5])
                try expectEqual(try Song.where { $0.seconds == 100 }.last(in: snapshot)?.id, 4)
                try expectEqual(try Song.all.limit(2).last(in: snapshot)?.id, 2)
                try expectError(.unknownAttribute, entity: "Song") {
                    try Song.sorted(by: "nothing").first(in: snapshot) == nil
                }
            }
        },
        ConformanceCase(
            "finders.cut", in: .finders, "the least and the greatest are of the records a limit and an offset leave"
        ) { trial in
            let shop = try Shop(trial)
            let titled = Song.sorted(by: { $0.title }, .descending)
            try shop.read { snapshot in
                let last = Array(try snapshot.fetch(titled).prefix(3))
                let least = last.filter { $0.score != nil }.min { ($0.score ?? 0, $0.id) < ($1.score ?? 0, $1.id) }
                try expectEqual(try titled.limit(3).first(minimumOf: \.score, in: snapshot)?.id, least?.id)
                try expectEqual(try Song.all.limit(1).first(maximumOf: \.seconds, in: snapshot)?.id, 1)
                try expectEqual(try Song.all.offset(3).limit(1).first(minimumOf: \.title, in: snapshot)?.id, 4)
                try expectEqual(try titled.offset(2).limit(2).first(maximumOf: \.id, in: snapshot)?.id, 4)
                try expectEqual(try titled.offset(2).limit(2).first(minimumOf: \.id, in: snapshot)?.id, 3)
                try expectEqual(try Song.all.offset(6).first(maximumOf: \.title, in: snapshot)?.id, nil)
                try expectEqual(try Song.all.limit(0).first(maximumOf: \.title, in: snapshot)?.id, nil)
                try expectError(.invalidQuery, entity: "Song") {
                    try Song.all.limit(-1).first(maximumOf: \.title, in: snapshot) == nil
                }
            }
        },
        ConformanceCase("finders.create", in: .finders, "what is not found is created, once") { trial in
            try Shop(trial).write { tx in
                let rock = try Genre.findOrCreate(1, in: tx) { Genre(id: 1, label: "other") }
                try expectEqual(rock.label, "Rock")
                let pop = try Genre.findOrCreate(9, in: tx) { Genre(id: 9, label: "Pop") }
                try expectEqual(pop.label, "Pop")
                let soul = try Genre.findOrCreate(where: { $0.label == "Soul" && $0.id == 10 }, in: tx)
                try expectEqual(soul.id, 10)
                try expectEqual(try Genre.findOrCreate(where: { $0.label == "Soul" && $0.id == 10 }, in: tx), soul)
                try expectEqual(try Genre.count(in: tx), 5)
                try expectError(.required, entity: "Album") {
                    try Album.findOrCreate(where: { $0.id == 50 }, in: tx).id
                }
                try expectError(.invalidQuery) { try Genre.findOrCreate(where: { $0.label > "Z" }, in: tx).id }
                // Nothing is found of which both hold, and nothing can be made.
                try expectError(.invalidQuery, entity: "Genre", attributes: ["label"]) {
                    try Genre.findOrCreate(where: { $0.id == 11 && $0.label == "A" && $0.label == "B" }, in: tx).id
                }
                try expectEqual(
                    try Genre.findOrCreate(where: { $0.id == 11 && $0.id == 11 && $0.label == "A" }, in: tx).id, 11)
                try expectEqual(try Genre.count(in: tx), 6)
            }
        },
        ConformanceCase("finders.delete", in: .finders, "all are deleted, or all but some") { trial in
            let shop = try Shop(trial)
            try shop.write { tx in
                try expectEqual(try PlaylistSong.deleteAll(in: tx), 6)
                try expectEqual(try Playlist.deleteAll(except: [2, 99], in: tx), 3)
                try expectEqual(try Playlist.all.fetch(in: tx).map(\.id), [2])
                try expectEqual(try Song.deleteAll(except: [Shop.songs[0], Shop.songs[5]], in: tx), 4)
                try expectEqual(try Song.where { $0.seconds == 100 }.deleteAll(in: tx), 1)
                try expectEqual(try Song.all.fetch(in: tx).map(\.id), [6])
            }
        },
        ConformanceCase("finders.sample", in: .finders, "a sample has so many different records of the query") {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                var random = CaseRandom(seed: trial.seed)
                var seen: Set<Int64> = []
                for _ in 0..<100 {
                    let sample = try Song.where { $0.id != 2 }.sample(count: 3, using: &random, in: snapshot).map(\.id)
                    try expectEqual(Set(sample).count, 3)
                    seen.formUnion(sample)
                }
                try expectEqual(seen, [1, 3, 4, 5, 6])
                try expectEqual(try Song.all.sample(count: 50, using: &random, in: snapshot).count, 6)
                try expectEqual(try Song.all.sample(count: 0, using: &random, in: snapshot).count, 0)
            }
        },
        ConformanceCase("finders.dynamic", in: .finders, "records without types are read and written by name") {
            trial in
            let shop = try Shop(trial)
            try shop.write { tx in
                var genre = try DynamicRecord("Genre", in: tx.schema)
                try genre.set("id", to: Int64(7))
                try expectError(.required, entity: "Genre", attributes: ["label"]) { try tx.insert(genre).key }
                try genre.set("label", to: "Ska")
                try tx.insert(genre)
                try expectEqual(try tx.find(Genre.self, 7)?.label, "Ska")
                try genre.set("label", to: "Dub")
                try tx.update(genre)
                try expectEqual(try tx.find("Genre", 7 as Int64)?["label"], .string("Dub"))
                try expectError(.uniqueness, entity: "Genre") { try tx.insert(genre).key }
                try expectEqual(try tx.delete(genre), true)
                try expectError(.recordNotFound, entity: "Genre") { try tx.update(genre) }
                try expectError(.typeMismatch, entity: "Genre", attributes: ["label"]) { try genre.set("label", to: 5) }
                try expectError(.unknownAttribute, entity: "Genre") { try genre.set("size", to: 5) }
                try expectError(.unknownEntity, entity: "Nothing") { try tx.fetch(Request("Nothing")).count }
                let query = Request("Song").where(.compare("album.artist.label", .equal, .string("Ada")))
                try expectEqual(try tx.fetch(query.sorted(by: "-id")).map(\.key), [4, 3, 2, 1].map { .integer($0) })
                try expectEqual(try tx.count(query.limit(3)), 3)
                try expectEqual(
                    try query.limit(2).select([.attribute("title")]).fetch(in: tx),
                    [[.string("Able")], [.string("Bell")]])
                try expectEqual(
                    try Request("Song").where(.compare("id", .less, .integer(3))).updateAll(
                        setting: ["seconds": .null], in: tx), 2
                )
                try expectEqual(try tx.count(Song.where { $0.seconds == nil }), 4)
                try expectEqual(try Request("Playlist").deleteAll(in: tx), 4)
            }
        },
        ConformanceCase("finders.text-form", in: .finders, "a condition in text form answers as its typed form") {
            trial in
            let shop = try Shop(trial)
            func agree(_ text: String, _ typed: (Song.Fields) -> Condition<Song>, line: Int = #line) throws {
                try shop.read { snapshot in
                    let expected = try snapshot.fetch(Song.where(typed)).map(\.id)
                    try expectEqual(try snapshot.fetch(Song.where(text)).map(\.id), expected, text, line: line)
                }
            }
            try agree("seconds >= 100 AND genre.label CONTAINS[c] \"rock\"") {
                $0.seconds >= 100 && $0.genre.label.contains("rock", .caseInsensitive)
            }
            try agree("album.artist.label == 'Ada' OR released > \"1999-01-01\"") {
                $0.album.artist.label == "Ada" || $0.released > Shop.date(1999, 1, 1)
            }
            try agree("price BETWEEN {0.99, 1.29} AND NOT isLive = YES") {
                $0.price.between(Boundaries.decimal("0.99"), Boundaries.decimal("1.29")) && !($0.isLive == true)
            }
            try agree("title IN {'Able', 'Fog'} OR year(released) == 1959") {
                $0.title.in(["Able", "Fog"]) || $0.released.year == 1959
            }
            try agree("album.songs.@count > 1 && seconds * 2 < 500") {
                $0.album.songs.count > 1 && $0.seconds * 2 < 500
            }
        },
    ]
}
