import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

// Every verb that asks answers every kind of request: records, records with what is loaded with them, chosen values, distinct ones,
// groups, all of these by names, and the records of a list.

var requestVerbsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "requests.verbs", in: .finders, "every verb that asks answers every kind of request", modes: [.fresh]
        ) { trial in
            _ = try Shop(trial)
            try RequestKinds.each { try $0.check(trial) }
        },
        ConformanceCase(
            "requests.observed", in: .observation, "every kind of request is observed, with its number and its changes",
            modes: [.fresh]
        ) { trial in
            _ = try Shop(trial)
            try RequestKinds.each { try $0.watch(trial) }
        },
        ConformanceCase(
            "requests.wrong", in: .finders, "what a kind of request cannot give is an error", modes: [.fresh]
        ) { trial in
            _ = try Shop(trial)
            try trial.read { snapshot in
                let titles = Song.all.select(\.title)
                try expectError(.invalidQuery, entity: "Song") {
                    try titles.limit(2).page(in: snapshot, size: 2).records
                }
                try expectError(.invalidQuery, entity: "Song") { try titles.page(in: snapshot, size: -1).records }
                try expectError(.invalidQuery, entity: "Song") { try titles.load([], in: snapshot).count }
                let albums = Song.all.grouped(by: \.album).select { $0.album }
                try expectError(.invalidQuery, entity: "Song") {
                    try albums.offset(1).page(in: snapshot, size: 2).records
                }
                try expectError(.invalidQuery, entity: "Song") { try albums.aggregate(in: snapshot) }
                try expectError(.invalidQuery, entity: "Song") { try albums.limit(-1).count(in: snapshot) }
                let places = try Song.all.select(\.title).page(in: snapshot, size: 2)
                try expectError(.invalidQuery, entity: "Song") {
                    try albums.page(in: snapshot, after: places.end, size: 2).records
                }
                try expectError(.invalidQuery) { try Song.where { $0.title.in(albums) }.fetch(in: snapshot).count }
                try expectError(.invalidQuery, entity: "Song") {
                    try Request("Song").select([]).distinct().fetch(in: snapshot).count
                }
                try expectError(.invalidQuery, entity: "Song") {
                    try Request("Song").grouped(by: [.attribute("album")]).select([]).count(in: snapshot)
                }
                // An aggregate of single records says what was meant.
                let count = Computed<Song, Int>(.aggregate(.count, of: .attribute("title")))
                for query in [Song.where { _ in count > 3 }, Song.sorted(by: { _ in count })] {
                    let error = try expectError(.invalidQuery, entity: "Song", attributes: ["title"]) {
                        try query.fetch(in: snapshot).count
                    }
                    try expect(error.message.hasSuffix("For the length of a text write `length`."), error.message)
                }
                try expectError(.invalidQuery, entity: "Song", attributes: ["seconds"]) {
                    try Song.where { $0.seconds.maximum > 3 }.fetch(in: snapshot).count
                }
                try expectError(.unknownEntity) { try Request("Sing").cursor(in: snapshot).next() }
            }
        },
        ConformanceCase("requests.coded", in: .finders, "a request without its types is asked again by its text") {
            trial in
            _ = try Shop(trial)
            try trial.read { snapshot in
                let sums = Song.where { $0.seconds > 50 }.grouped(by: \.album).having { $0.id.count > 1 }
                    .select { ($0.album, $0.seconds.sum) }.sorted(by: { $0.seconds.sum }, .descending)
                for request in [
                    Song.where { $0.album == Ref(1) }.sorted(by: \.title).limit(2).untyped,
                    Song.all.select { ($0.title, $0.album.title) }.offset(1).untyped,
                    Song.all.select(\.seconds).distinct().untyped, sums.untyped, Song.all.with(\.album).untyped,
                ] {
                    let read = try JSONDecoder().decode(AnyRequest.self, from: try JSONEncoder().encode(request))
                    try expectEqual(read, request)
                    try expectEqual(try Request(read).fetch(in: snapshot), try Request(request).fetch(in: snapshot))
                }
                try expectEqual(
                    try Request(sums.untyped).fetch(in: snapshot), [[.integer(1), .integer(300)]])
                // A request of records alone is read back with its type.
                let query = Song.where { $0.seconds > 50 }.sorted(by: \.title, .descending)
                let read = try JSONDecoder().decode(Query<Song>.self, from: try JSONEncoder().encode(query))
                try expectEqual(read, query)
                try expectEqual(try read.fetch(in: snapshot).map(\.id), try query.fetch(in: snapshot).map(\.id))
            }
        },
    ]
}

/// A kind of request, with what it gives of the shop as text.
private struct RequestKind<Root: Fetchable, Output: Sendable>: Sendable {
    let name: String
    let request: Request<Root, Output>
    let expected: [String]
    let text: @Sendable (Output) throws -> String

    /// Asks with every verb.
    func check(_ trial: Trial) throws {
        try trial.read { snapshot in
            func same(_ given: [Output], _ wanted: [String], _ verb: String, line: Int = #line) throws {
                try expectEqual(try given.map(text), wanted, "\(name): \(verb)", line: line)
            }
            func one(_ given: Output?) -> [Output] { given.map { [$0] } ?? [] }
            let last = expected.suffix(1)
            try same(try request.fetch(in: snapshot), expected, "fetch")
            try same(try snapshot.fetch(request), expected, "fetch of a context")
            try expectEqual(try request.fetch(in: snapshot, as: text), expected, "\(name): fetch as text")
            try same(one(try request.first(in: snapshot)), Array(expected.prefix(1)), "first")
            try same(one(try snapshot.first(request)), Array(expected.prefix(1)), "first of a context")
            try same(one(try request.last(in: snapshot)), Array(last), "last")
            try expectEqual(try request.count(in: snapshot), expected.count, "\(name): count")
            try expectEqual(try snapshot.count(request), expected.count, "\(name): count of a context")
            try expectEqual(try request.exists(in: snapshot), !expected.isEmpty, "\(name): exists")
            var each: [Output] = []
            try request.forEach(in: snapshot) { each.append($0) }
            try same(each, expected, "forEach")
            let cursor = try request.cursor(in: snapshot)
            each = []
            while let next = try cursor.next() { each.append(next) }
            try same(each, expected, "cursor")
            try expectEqual(try request.explain(in: snapshot).steps.isEmpty, false, "\(name): explain")
            try checkCuts(snapshot)
            try checkPages(snapshot)
            for count in [0, 2, 99] {
                let sample = try request.sample(count: count, in: snapshot).map(text)
                try expectEqual(sample.count, min(count, expected.count), "\(name): sample")
                try expectEqual(Set(sample).subtracting(expected), [], "\(name): sample")
                try expectEqual(Set(sample).count, sample.count, "\(name): sample")
            }
        }
    }

    private func checkCuts(_ snapshot: Snapshot) throws {
        let part = request.limit(2).offset(1)
        let wanted = Array(expected.dropFirst().prefix(2))
        try expectEqual(try part.fetch(in: snapshot).map(text), wanted, "\(name): cut")
        try expectEqual(try part.last(in: snapshot).map(text), wanted.last, "\(name): last of a cut")
        try expectEqual(try part.first(in: snapshot).map(text), wanted.first, "\(name): first of a cut")
        try expectEqual(try part.count(in: snapshot), wanted.count, "\(name): count of a cut")
        try expectEqual(try request.limit(0).exists(in: snapshot), false, "\(name): exists of none")
        try expectEqual(try request.limit(0).first(in: snapshot).map(text), nil, "\(name): first of none")
        try expectEqual(
            try request.reversed().fetch(in: snapshot).map(text), expected.reversed(), "\(name): reversed")
        try expectEqual(
            try request.reversed().reversed().limit(3).fetch(in: snapshot).map(text), Array(expected.prefix(3)),
            "\(name): reversed twice")
    }

    private func checkPages(_ snapshot: Snapshot) throws {
        for size in [1, 2, expected.count, 50] {
            var (position, seen): (PagePosition?, [String]) = (nil, [])
            repeat {
                let page = try request.page(in: snapshot, after: position, size: size)
                seen += try page.records.map(text)
                if let end = page.end { _ = try request.explain(in: snapshot, after: end, size: size) }
                position = page.hasMore ? page.end : nil
            } while position != nil
            try expectEqual(seen, expected, "\(name): pages of \(size)")
            seen = []
            repeat {
                let page = try request.page(in: snapshot, before: position, size: size)
                seen = try page.records.map(text) + seen
                position = page.hasMore ? page.start : nil
            } while position != nil
            try expectEqual(seen, expected, "\(name): pages back of \(size)")
        }
    }

    /// Observes it, and sees a song that comes.
    func watch(_ trial: Trial) throws {
        let stack = try trial.stack
        let text = text
        let answers = Following(stack.observe(request).map { try $0.map(text) }, on: trial)
        let counts = Following(stack.observeCount(request), on: trial)
        let changes = Following(
            stack.observeChanges(request).map { change in
                (try change.records.map(text), try change.inserted.map(text), change.difference.deletions.count)
            }, on: trial)
        let context = try trial.read { try $0.fetch(request).map(text) }
        try expectEqual(context, expected, name)
        try answers.wait("\(name): the first answer") { $0.last == expected }
        try counts.wait("\(name): the first number") { $0.last == expected.count }
        try changes.wait("\(name): the first change") { $0.last?.1 == expected }
        let song = Song(id: 77, title: "Zed", album: Ref(2), genre: Ref(1), seconds: 900, cents: 1)
        try trial.write { tx in
            try tx.insert(song)
            try tx.insert(PlaylistSong(source: Ref(1), target: Ref(77), position: 99))
        }
        let after = try trial.read { try $0.fetch(request).map(text) }
        try expectEqual(after == expected, false, "\(name): the new song is to be seen")
        try answers.wait("\(name): the next answer") { $0.last == after }
        try counts.wait("\(name): the next number") { $0.last == after.count }
        try changes.wait("\(name): the next change") { $0.last?.0 == after }
        if after.count == expected.count + 1 {
            try expectEqual(changes.values.last?.1, after.filter { !expected.contains($0) }, "\(name): what came")
        }
        try trial.write { tx in
            try PlaylistSong.where { $0.target == Ref(77) }.deleteAll(in: tx)
            try tx.delete(Song.self, 77)
        }
        try answers.wait("\(name): the last answer") { $0.last == expected }
        try counts.wait("\(name): the last number") { $0.last == expected.count }
        try changes.wait("\(name): the last change") { $0.last?.0 == expected }
    }
}

/// The kinds of requests, asked for one after the other: each has types of its own.
private enum RequestKinds {
    static func each(_ body: (any CheckedKind) throws -> Void) throws {
        let songs = Shop.songs
        let albums = Dictionary(Shop.albums.map { ($0.id, $0.title) }) { first, _ in first }
        func title(_ song: Song) -> String { "\(song.id) \(albums[song.album.key] ?? "")" }
        let keys = songs.map { "\($0.id)" }
        try body(kind("records", Song.all, keys) { "\($0.id)" })
        try body(
            kind("in order", Song.sorted(by: \.seconds, .descending), ["5", "2", "4", "1", "6", "3"]) { "\($0.id)" })
        try body(kind("loaded", Song.all.with(\.album), songs.map(title)) { "\($0.0.id) \($0.1.title)" })
        try body(
            kind(
                "loaded in part", Album.all.with { $0.songs.sorted(by: \.seconds, .descending).limit(1) },
                ["1 2", "2 4", "3 5", "4 "]
            ) { album, songs in "\(album.id) \(songs.map { "\($0.id)" }.joined())" })
        try body(
            kind("chosen", Song.all.select { ($0.title, $0.seconds) }, songs.map { "\($0.title) \($0.seconds ?? -1)" })
            {
                "\($0.0) \($0.1 ?? -1)"
            })
        try body(
            kind("chosen in order", Song.sorted(by: \.title, .descending).select(\.id), keys.reversed()) { "\($0)" })
        try body(
            kind("distinct", Song.all.select(\.seconds).distinct(), ["nil", "100", "200", "300"]) {
                $0.map { "\($0)" } ?? "nil"
            })
        try body(
            kind("groups", Song.all.grouped(by: \.album).select { ($0.album, $0.id.count) }, ["1: 3", "2: 1", "3: 2"]) {
                "\($0.0.key): \($0.1)"
            })
        try body(
            kind(
                "groups in order",
                Song.all.grouped(by: \.album).select { ($0.album, $0.id.count) }.sorted(
                    by: { $0.id.count }, .descending),
                ["1: 3", "3: 2", "2: 1"]
            ) { "\($0.0.key): \($0.1)" })
        try body(kind("by name", Request("Song"), keys) { try "\($0.value("id", as: Int64.self))" })
        try body(
            kind("loaded by name", Request("Song").with("album"), songs.map(title)) { loaded in
                let album = try loaded["album"].first?.record.value("title", as: String.self)
                return try "\(loaded.record.value("id", as: Int64.self)) \(album ?? "")"
            })
        try body(
            kind("chosen by name", Request("Song").select([.attribute("title")]), songs.map(\.title)) {
                try $0.first?.value(as: String.self) ?? ""
            })
        try body(
            kind(
                "groups by name",
                Request("Song").grouped(by: [.attribute("album")]).select(named: [("songs", .aggregate(.count))]),
                ["3", "1", "2"]
            ) { try "\($0["songs"]?.value(as: Int64.self) ?? 0)" })
        let list = RelatedRecords<Playlist, Song>(of: 1, Playlist.relationships[0].relationship)
        try body(kind("a list", list.all, ["1", "2", "5"]) { "\($0.id)" })
        let named = RelatedRecords<DynamicRecord, DynamicRecord>(of: .integer(1), list.relationship)
        try body(
            kind("a list by name", try named.all(in: SuiteSchema.shop), ["1", "2", "5"]) {
                try "\($0.value("id", as: Int64.self))"
            })
    }

    private static func kind<Root, Output>(
        _ name: String, _ request: Request<Root, Output>, _ expected: [String],
        _ text: @escaping @Sendable (Output) throws -> String
    ) -> RequestKind<Root, Output> { RequestKind(name: name, request: request, expected: expected, text: text) }
}

private protocol CheckedKind {
    func check(_ trial: Trial) throws
    func watch(_ trial: Trial) throws
}

extension RequestKind: CheckedKind {}
