import ConformanceKit
import ConformanceModels
import GranaryCore

var subqueriesCases: [ConformanceCase] {
    [
        ConformanceCase(
            "subqueries.references", in: .subqueries, "a reference to one of the records another query gives"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.songs([3, 5]) { $0.genre.in(Genre.where { $0.label == "Jazz" }) }
            try shop.songs([1, 2, 3, 4]) { $0.album.in(Album.where { $0.artist == Ref(1) }) }
            try shop.songs([]) { $0.genre.in(Genre.where { $0.label == "Pop" }) }
            try shop.songs([1, 2, 3, 5]) { $0.genre.in(Genre.all) }
            try shop.songs([5, 6]) { $0.album.in(Album.sorted(by: { $0.title }, .descending).limit(2)) }
            try shop.songs([1, 2, 3]) { $0.album.in(Album.sorted(by: { $0.year }, .descending).offset(1).limit(1)) }
        },
        ConformanceCase("subqueries.values", in: .subqueries, "a value among those another query gives") { trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2, 4]) { $0.seconds.among(Song.where { $0.isLive == true }) { $0.seconds } }
            try shop.songs([1, 4]) { $0.score.among(Song.where { $0.seconds < 150 }) { $0.score } }
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.label.among(Artist.where { $0.rating > 4 }) { $0.label } }
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.id.among(Artist.where { $0.label < "B" }) { $0.id } }
            try shop.expect(Album.where { $0.year.among(Album.where { $0.id == 4 }) { $0.year } }, [1, 4])
            try shop.expect(Album.where { $0.price.among(Album.where { $0.id == 1 }) { $0.price } }, [1, 4])
        },
        ConformanceCase("subqueries.nil", in: .subqueries, "nil is among values with nil, and only there") { trial in
            let shop = try Shop(trial)
            try shop.songs([2, 6]) { $0.score.among(Song.where { $0.seconds == 200 }) { $0.score } }
            try shop.songs([1, 2, 4]) { $0.seconds.among(Song.where { $0.seconds < 300 }) { $0.seconds } }
            try shop.songs([3, 5, 6]) { !$0.seconds.among(Song.where { $0.seconds < 300 }) { $0.seconds } }
            try shop.songs([1, 2, 4, 5]) { !$0.seconds.among(Song.where { $0.id == 6 }) { $0.seconds } }
            try shop.songs([3]) { $0.id < 4 && $0.seconds.among(Song.where { $0.id == 6 }) { $0.seconds } }
            try shop.songs([4, 6]) { $0.genre.label.among(Song.where { $0.id == 4 }) { $0.genre.label } }
            try shop.songs([]) { $0.seconds.among(Song.where { _ in .never }) { $0.seconds } }
            try shop.songs([1, 2, 3, 4, 5, 6]) { !$0.seconds.among(Song.where { _ in .never }) { $0.seconds } }
        },
        ConformanceCase(
            "subqueries.expressions", in: .subqueries, "expressions among the expressions another query gives"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2, 3, 4, 6]) { song in (song.seconds + 100).among(Song.all) { $0.seconds } }
            try shop.songs([1, 2, 4]) { song in
                (song.seconds + 100).among(Song.where { $0.seconds != nil }) { $0.seconds }
            }
            try shop.songs([1, 2, 4, 5]) { $0.title.length.among(Song.where { $0.id == 1 }) { $0.title.length } }
            try shop.expect(Album.where { $0.songs.count.among(Playlist.all) { $0.songs.count } }, [1, 2, 3, 4])
            try shop.expect(
                Album.where { $0.songs.count.among(Playlist.where { $0.label == "Mix" }) { $0.songs.count } }, [1])
        },
        ConformanceCase("subqueries.cut", in: .subqueries, "an order, a limit and an offset choose the values") {
            trial in
            let shop = try Shop(trial)
            let longest = Song.sorted(by: { $0.seconds }, .descending)
            try shop.songs([5]) { $0.id.among(longest.limit(1)) { $0.id } }
            try shop.songs([2, 5]) { $0.id.among(longest.limit(2)) { $0.id } }
            try shop.songs([2, 4]) { $0.id.among(longest.offset(1).limit(2)) { $0.id } }
            try shop.songs([]) { $0.id.among(longest.limit(0)) { $0.id } }
            try shop.songs([]) { $0.id.among(longest.offset(6)) { $0.id } }
            try shop.songs([1, 4]) { $0.seconds.among(Song.where { $0.seconds > 0 }.limit(1)) { $0.seconds } }
        },
        ConformanceCase(
            "subqueries.distinct", in: .subqueries, "a limit and an offset count different values, if so asked"
        ) { trial in
            let shop = try Shop(trial)
            let seconds = { (song: Song.Fields) in song.seconds }
            // By key they are 100, 200, nil, 100, 300, nil; each once they are nil, 100, 200, 300.
            let ordered = Song.sorted(by: { $0.seconds }, .descending)
            try shop.songs([1, 3, 4, 6]) { $0.seconds.in(Song.all.limit(2).select(seconds).distinct()) }
            try shop.songs([1, 2, 4, 5]) { $0.seconds.in(ordered.limit(3).select(seconds).distinct()) }
            try shop.songs([1, 2, 4]) { $0.seconds.in(ordered.offset(1).limit(2).select(seconds).distinct()) }
            try shop.songs([3, 5, 6]) { !$0.seconds.in(ordered.offset(1).limit(2).select(seconds).distinct()) }
            try shop.songs([3, 6]) { $0.seconds.in(ordered.offset(3).select(seconds).distinct()) }
            try shop.songs([1, 2, 3, 4, 5, 6]) { $0.seconds.in(Song.all.select(seconds).distinct()) }
            try shop.songs([1, 2, 4, 5]) { song in
                song.score.in(Song.sorted(by: { $0.score }, nils: .last).limit(2).select { $0.score }.distinct())
                    || song.seconds.in(Song.sorted(by: { $0.seconds }).offset(2).limit(1).select(seconds).distinct())
            }
            try shop.read { snapshot in
                let text = "seconds IN (SELECT DISTINCT seconds FROM Song ORDER BY seconds DESC LIMIT 2 OFFSET 1)"
                try expectEqual(try snapshot.fetch(Song.where(text)).map(\.id), [1, 2, 4])
            }
            try shop.expectFailure(
                .invalidQuery, entity: "Song",
                of: Song.where { $0.seconds.in(Song.sorted(by: \.title).limit(2).select(seconds).distinct()) })
        },
        ConformanceCase("subqueries.nested", in: .subqueries, "a query among whose values another looks has one itself")
        {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2, 3, 4]) { song in
                song.album.in(
                    Album.where { $0.artist.in(Artist.where { $0.genre.in(Genre.where { $0.label == "Rock" }) }) })
            }
            try shop.expect(
                Artist.where { $0.albums.contains { $0.id.among(Album.where { $0.songs.isEmpty }) { $0.id } } }, [3])
            try shop.songs([2, 6]) { song in
                song.id.among(PlaylistSong.where { $0.source.in(Playlist.where { $0.label == "Pair" }) }) {
                    $0.target.id
                }
            }
        },
        ConformanceCase("subqueries.combined", in: .subqueries, "subqueries join other conditions") { trial in
            let shop = try Shop(trial)
            try shop.songs([3]) { $0.genre.in(Genre.where { $0.label == "Jazz" }) && $0.album == Ref(1) }
            try shop.songs([1, 2, 3, 5]) {
                $0.genre.in(Genre.where { $0.label == "Jazz" }) || $0.album.title == "Alpha"
            }
            try shop.songs([4, 6]) { !($0.genre.in(Genre.where { $0.label > "K" }) || $0.genre.label == "Jazz") }
            try shop.expect(
                Album.where {
                    $0.songs.contains { $0.genre.in(Genre.where { $0.artists.contains { $0.rating == nil } }) }
                },
                [1, 3])
        },
        ConformanceCase("subqueries.writes", in: .subqueries, "a subquery chooses what is updated and deleted") {
            trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                let short = Song.where { $0.seconds.among(Song.where { $0.isLive == true }) { $0.seconds } }
                try expectEqual(try short.updateAll(in: transaction) { $0.set(\.seconds, to: 1) }, 3)
                // All were chosen before the first was deleted.
                let same = Song.where { $0.seconds.among(Song.where { $0.seconds == 1 }.limit(1)) { $0.seconds } }
                try expectEqual(try same.deleteAll(in: transaction), 3)
            }
            try shop.expect(Song.all, [3, 5, 6])
        },
        ConformanceCase(
            "subqueries.wrong", in: .subqueries, "values of another kind, and names that are none, are errors"
        ) {
            trial in
            let shop = try Shop(trial)
            func songs(_ expression: String, _ subquery: AnySubquery) -> Query<Song> {
                Song.where { _ in Condition(.amongRows(.attribute(expression), subquery)) }
            }
            try shop.expectFailure(
                .typeMismatch, of: songs("title", AnySubquery("Song", column: .attribute("seconds"))))
            try shop.expectFailure(
                .typeMismatch, of: songs("seconds", AnySubquery("Genre", column: .attribute("label"))))
            try shop.expectFailure(
                .unknownEntity, entity: "Nothing", of: songs("id", AnySubquery("Nothing", column: .attribute("id"))))
            try shop.expectFailure(
                .unknownAttribute, entity: "Genre", attributes: ["x"],
                of: songs("id", AnySubquery("Genre", column: .attribute("x"))))
            try shop.expectFailure(
                .invalidQuery, entity: "Genre",
                of: songs("id", AnySubquery("Genre", column: .attribute("id"), limit: -1)))
        },
    ]
}
