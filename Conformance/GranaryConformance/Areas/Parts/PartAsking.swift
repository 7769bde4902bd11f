import ConformanceKit
import GranaryCore

var partAskingCases: [ConformanceCase] {
    [
        parted("paths", "conditions follow references from either part into the other, also through links") {
            _, stack in
            try stack.blocking.read { snapshot in
                func lists(_ query: Query<PlaylistSong>) throws -> [Int64] { try snapshot.fetch(query).map(\.id) }
                try expectEqual(try lists(PlaylistSong.where { $0.target.title == "Sinnerman" }), [2, 3])
                try expectEqual(try lists(PlaylistSong.where { $0.target.album.artist.label == "Jimi" }), [1])
                try expectEqual(try lists(PlaylistSong.where { !($0.target.album.artist.label == "Jimi") }), [2, 3])
                try expectEqual(
                    try lists(PlaylistSong.where { $0.target.title == "Sky" || $0.source.label == "Sunday" }), [3])
                try expectEqual(
                    try snapshot.fetch(Song.where { $0.playlists.contains { $0.label == "Monday" } }).map(\.id), [1, 3])
                try expectEqual(
                    try snapshot.fetch(Song.where { !$0.playlists.contains { $0.label == "Monday" } }).map(\.id), [2])
                try expectEqual(
                    try snapshot.fetch(
                        Artist.where {
                            $0.albums.contains { $0.songs.contains { $0.playlists.contains { $0.label == "Sunday" } } }
                        }
                    )
                    .map(\.label), ["Nina"])
                try expectEqual(
                    try snapshot.fetch(Playlist.where { $0.songs.contains { $0.seconds > 500 } }).map(\.id), [1, 2])
                try expectEqual(
                    try snapshot.fetch(Article.where { $0.writer.name == nil }).map(\.id), [3])
                let loud = Song.where { $0.seconds < 250 }.select(\.id)
                try expectEqual(try lists(PlaylistSong.where { $0.target.id.in(loud) }), [1])
            }
        },
        parted("order", "records are ordered, paged and counted by attributes of the other part") { _, stack in
            try stack.blocking.read { snapshot in
                let ordered = PlaylistSong.all.sorted(by: \.target.title, .descending)
                try expectEqual(try snapshot.fetch(ordered).map(\.id), [3, 2, 1])
                try expectEqual(try snapshot.fetch(ordered.limit(1).offset(1)).map(\.id), [2])
                try expectEqual(try snapshot.fetch(Article.sorted(by: \.writer.name)).map(\.id), [3, 2, 1])
                try expectEqual(try snapshot.count(ordered.where { $0.target.seconds > 250 }), 2)
            }
        },
        parted("values", "values, groups and aggregates go over both parts") { _, stack in
            try stack.blocking.read { snapshot in
                let titles = try PlaylistSong.sorted(by: \.id).select { ($0.source.label, $0.target.title) }.fetch(
                    in: snapshot)
                try expectEqual(
                    titles.map { "\($0.0) \($0.1)" }, ["Monday Fire", "Monday Sinnerman", "Sunday Sinnerman"])
                let groups = try PlaylistSong.all.grouped(by: { $0.target.title }).select {
                    ($0.target.title, $0.id.count)
                }
                .fetch(in: snapshot)
                try expectEqual(
                    groups.map { "\($0.0) \($0.1)" }.sorted(), ["Fire 1", "Sinnerman 2"])
                let most = try PlaylistSong.all.select { $0.target.seconds.maximum }.aggregate(in: snapshot)
                try expectEqual(most, 600)
            }
        },
        parted("related", "related records are loaded and listed from the other part") { _, stack in
            try stack.blocking.read { snapshot in
                let lists = try snapshot.fetch(Playlist.sorted(by: \.id).with { $0.songs })
                try expectEqual(lists.map { $0.1.map(\.title) }, [["Fire", "Sinnerman"], ["Sinnerman"]])
                let writers = try snapshot.fetch(Writer.sorted(by: \.id).with { $0.articles })
                try expectEqual(writers.map { $0.1.map(\.id) }, [[2], [1]])
            }
        },
        parted("searched", "words are searched in the part that has them, and along paths from the other") { _, stack in
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Writer.where { $0.search("fire") }).map(\.id), [1])
                try expectEqual(try snapshot.fetch(Article.where { $0.search("fire") }).map(\.id), [1])
                try expectEqual(try snapshot.fetch(Article.where { $0.writer.search("fire") }).map(\.id), [2])
                try expectEqual(
                    try snapshot.fetch(Article.where { $0.search("on") }.sorted(by: .rank)).map(\.id), [1, 2])
            }
        },
        parted(
            "plans", "a plan shows what is asked of the other part first, and uses the indexes of both",
            requires: [.indexedQueries]
        ) {
            _, stack in
            try stack.blocking.read { snapshot in
                let plan = try PlaylistSong.where { $0.target.title == "Sinnerman" }.explain(in: snapshot)
                try expectEqual(
                    plan.steps.map(\.entity).filter { !$0.isEmpty }, ["Playlist_songs", "Song"], "\(plan)")
                try expectEqual(plan.steps.first?.action, .search, "\(plan)")
                try expectEqual(plan.steps.first?.index, "target", "\(plan)")
            }
        },
        parted("sets", "all records of a condition about the other part are changed and deleted, with their counts") {
            _, stack in
            try stack.blocking.write { tx in
                let changed = try Article.where { $0.writer.name == "Bo" }.updateAll(in: tx) { $0.reads += 10 }
                try expectEqual(changed, 1)
                let removed = try PlaylistSong.where { $0.target.title == "Sinnerman" }.deleteAll(in: tx)
                try expectEqual(removed, 2)
            }
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Article.sorted(by: \.id)).map(\.reads), [10, 5, 9])
                try expectEqual(try snapshot.count(PlaylistSong.all), 1)
                try expectEqual(try snapshot.count(Song.all), 3)
            }
        },
        parted("snapshots", "a read sees both parts at one time, whatever is committed meanwhile") { shop, stack in
            let pairs = 200
            try stack.blocking.write { tx in
                try tx.insert(Playlist(id: 100, label: "0"))
                try tx.insert(Genre(id: 100, label: "0"))
            }
            let writer = Worker("the writer") {
                for number in 1...pairs {
                    try stack.blocking.write { tx in
                        try tx.update(Genre(id: 100, label: "\(number)"))
                        try tx.update(Playlist(id: 100, label: "\(number)"))
                    }
                }
            }
            var seen: Set<String> = []
            while !seen.contains("\(pairs)") {
                let (one, other) = try stack.blocking.read { snapshot in
                    (try snapshot.find(Playlist.self, 100)?.label, try snapshot.find(Genre.self, 100)?.label)
                }
                try expectEqual(one, other)
                seen.insert(one ?? "none")
            }
            try writer.value()
        },
    ]
}
