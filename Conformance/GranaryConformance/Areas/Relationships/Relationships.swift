import ConformanceKit
import ConformanceModels
import GranaryCore

var relationshipsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "relationships.contains", in: .relationships, "some related record of which a condition holds"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.contains { $0.seconds == 100 } }, [1, 2])
            try shop.expect(Album.where { $0.songs.contains { $0.seconds > 150 } }, [1, 3])
            try shop.expect(Album.where { $0.songs.contains { $0.seconds == nil } }, [1, 3])
            try shop.expect(Album.where { $0.songs.contains { $0.seconds != 100 } }, [1, 3])
            try shop.expect(Album.where { $0.songs.contains { !($0.seconds == 100) } }, [1, 3])
            try shop.expect(Album.where { $0.songs.contains { $0.genre.label == "Jazz" } }, [1, 3])
            try shop.expect(Genre.where { $0.artists.contains { $0.rating > 4 } }, [1, 3])
            try shop.expect(Album.where { $0.songs.contains(key: 4) }, [2])
            try shop.expect(Album.where { $0.songs.contains(Shop.songs[4]) }, [3])
        },
        ConformanceCase(
            "relationships.two-records", in: .relationships,
            "two conditions may hold of two related records, one that joins them of one"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(
                Album.where { $0.songs.contains { $0.seconds == 100 } && $0.songs.contains { $0.isLive == true } },
                [1, 2])
            try shop.expect(Album.where { $0.songs.contains { $0.seconds == 100 && $0.isLive == true } }, [2])
            try shop.expect(Album.where { $0.songs.contains { $0.seconds == 100 || $0.isLive == true } }, [1, 2])
        },
        ConformanceCase(
            "relationships.all", in: .relationships,
            "a condition that holds of every related record, or of none there are"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.allSatisfy { $0.seconds == 100 } }, [2, 4])
            try shop.expect(Album.where { $0.songs.allSatisfy { $0.seconds != nil } }, [2, 4])
            try shop.expect(Album.where { $0.songs.allSatisfy { $0.seconds == nil } }, [4])
            try shop.expect(Album.where { $0.songs.allSatisfy { $0.seconds > 99 } }, [2, 4])
            try shop.expect(Playlist.where { $0.songs.allSatisfy { $0.album == Ref(1) } }, [2, 3])
            try shop.expect(Employee.where { $0.reports.allSatisfy { $0.salary == 50 } }, [2, 3, 4, 5])
        },
        ConformanceCase("relationships.empty", in: .relationships, "records without related ones") { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.isEmpty }, [4])
            try shop.expect(Artist.where { $0.albums.isEmpty }, [4])
            try shop.expect(Genre.where { $0.songs.isEmpty }, [3])
            try shop.expect(Playlist.where { $0.songs.isEmpty }, [3])
            try shop.expect(Song.where { $0.playlists.isEmpty }, [4])
            try shop.expect(Employee.where { $0.reports.isEmpty }, [3, 5])
            try shop.expect(Artist.where { $0.pupils.isEmpty }, [3, 4])
            try shop.expect(Album.where { $0.songs.isEmpty || $0.songs.contains { $0.isLive == false } }, [1, 3, 4])
        },
        ConformanceCase(
            "relationships.never", in: .relationships, "a condition that never holds, and one that always does"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.contains { _ in .never } }, [])
            try shop.expect(Album.where { $0.songs.contains { _ in .always } }, [1, 2, 3])
            try shop.expect(Album.where { $0.songs.allSatisfy { _ in .never } }, [4])
            try shop.expect(Album.where { $0.songs.allSatisfy { _ in .always } }, [1, 2, 3, 4])
            try shop.expect(Playlist.where { $0.songs.contains { _ in .always } }, [1, 2, 4])
            try shop.expect(Playlist.where { $0.songs.contains { $0.id.in([]) } }, [])
        },
        ConformanceCase(
            "relationships.many-to-many", in: .relationships, "both sides of a many-to-many relationship are asked"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(Playlist.where { $0.songs.contains { $0.title == "Bell" } }, [1, 4])
            try shop.expect(Playlist.where { $0.songs.contains { $0.genre.label == "Jazz" } }, [1, 2])
            try shop.expect(Playlist.where { $0.songs.contains { $0.genre == nil } }, [4])
            try shop.expect(Playlist.where { $0.songs.contains(key: 3) }, [2])
            try shop.expect(Song.where { $0.playlists.contains { $0.label == "Mix" } }, [1, 2, 5])
            try shop.expect(Song.where { $0.playlists.contains { $0.label > "Mix" } }, [2, 3, 6])
            try shop.expect(
                Song.where { $0.playlists.contains { $0.songs.contains { $0.title == "Fog" } } }, [2, 6])
            try shop.expect(Song.where { $0.playlists.allSatisfy { $0.label == "Mix" } }, [1, 4, 5])
        },
        ConformanceCase("relationships.self", in: .relationships, "a relationship of an entity to itself") { trial in
            let shop = try Shop(trial)
            try shop.expect(Employee.where { $0.reports.contains { $0.salary == 50 } }, [2, 4])
            try shop.expect(Employee.where { $0.reports.contains { $0.label == "Flo" } }, [6])
            try shop.expect(Employee.where { $0.reports.contains { $0.reports.contains { $0.label == "Eve" } } }, [2])
            try shop.expect(Employee.where { $0.reports.contains { $0.reports.isEmpty } }, [1, 4])
            try shop.expect(Employee.where { $0.manager.reports.contains { $0.label == "Cat" } }, [2, 3])
            try shop.expect(Artist.where { $0.pupils.contains { $0.label == "Ada" } }, [2])
        },
        ConformanceCase("relationships.nested", in: .relationships, "relationships of related records, three deep") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(Artist.where { $0.albums.contains { $0.songs.contains { $0.score < 0 } } }, [2])
            try shop.expect(Artist.where { $0.albums.contains { $0.songs.isEmpty } }, [3])
            try shop.expect(Artist.where { $0.albums.allSatisfy { !$0.songs.isEmpty } }, [1, 2, 4])
            try shop.expect(
                Artist.where {
                    $0.albums.contains { $0.songs.contains { $0.playlists.contains { $0.label == "Pair" } } }
                },
                [1, 2])
            try shop.expect(
                Genre.where { $0.artists.contains { $0.albums.contains { $0.songs.allSatisfy { $0.seconds > 0 } } } },
                [1])
        },
        ConformanceCase(
            "relationships.through-path", in: .relationships,
            "a to-many relationship at the end of a path, empty where the path is nil"
        ) { trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2, 3, 4]) { $0.album.songs.contains { $0.isLive == true } }
            try shop.songs([3, 5]) { $0.genre.songs.contains { $0.seconds == 300 } }
            try shop.songs([1, 2, 4, 6]) { $0.genre.songs.allSatisfy { $0.seconds != nil } }
            try shop.songs([4, 6]) { $0.genre.songs.isEmpty }
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.albums.contains { $0.year == nil } }
            try shop.songs([4, 6]) { $0.genre.songs.count == 0 }
            try shop.songs([1, 2, 3, 5]) { $0.genre.songs.count == 2 }
            try shop.songs([4, 6]) { $0.genre.songs.sum { $0.seconds } == 0 }
            try shop.songs([4, 6]) { $0.genre.songs.maximum { $0.title } == nil }
            try shop.songs([3, 5]) { $0.genre.songs.maximum { $0.title } == "Echo" }
        },
    ] + relatedAggregateCases + changingRelationshipsCases
}

private var relatedAggregateCases: [ConformanceCase] {
    [
        ConformanceCase("relationships.count", in: .relationships, "the number of related records") { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.count == 3 }, [1])
            try shop.expect(Album.where { $0.songs.count >= 1 }, [1, 2, 3])
            try shop.expect(Album.where { $0.songs.count == 0 }, [4])
            try shop.expect(Album.where { $0.songs.count(where: { $0.seconds > 100 }) == 1 }, [1, 3])
            try shop.expect(Playlist.where { $0.songs.count > 1 }, [1, 4])
            try shop.expect(Playlist.where { $0.songs.count(where: { $0.isLive == true }) == 0 }, [2, 3])
            try shop.expect(Employee.where { $0.reports.count == 1 }, [2, 4, 6])
            try shop.expect(Album.where { $0.songs.count.in([0, 3]) }, [1, 4])
            try shop.expect(Artist.where { $0.albums.count > $0.pupils.count }, [1, 3])
        },
        ConformanceCase("relationships.sum", in: .relationships, "sums over related records; of none 0") { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.sum { $0.seconds } == 300 }, [1, 3])
            try shop.expect(Album.where { $0.songs.sum { $0.seconds } == 0 }, [4])
            try shop.expect(Album.where { $0.songs.sum { $0.score } == 4 }, [1])
            try shop.expect(Album.where { $0.songs.sum { $0.price } == Boundaries.decimal("2.28") }, [1])
            try shop.expect(Album.where { $0.songs.sum { $0.price } == 0 }, [4])
            try shop.expect(Album.where { $0.songs.sum { $0.cents } == Shop.cents("2.49") }, [1])
            try shop.expect(Playlist.where { $0.songs.sum { $0.seconds } == 600 }, [1])
            try shop.expect(Playlist.where { $0.songs.sum { $0.seconds } == 0 }, [2, 3])
            try shop.expect(Album.where { $0.songs.sum { $0.seconds * 2 } > 250 }, [1, 3])
        },
        ConformanceCase("relationships.average", in: .relationships, "averages over related records; of none nil") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.average { $0.score } == 2 }, [1])
            try shop.expect(Album.where { $0.songs.average { $0.score } == nil }, [4])
            try shop.expect(Album.where { $0.songs.average { $0.score } < 1.75 }, [2, 3])
            try shop.expect(Album.where { $0.songs.average { $0.seconds } == 150 }, [1])
            try shop.expect(Album.where { $0.songs.average { $0.price } == Boundaries.decimal("1.14") }, [1])
            try shop.expect(Playlist.where { $0.songs.average { $0.seconds } == 200 }, [1, 4])
        },
        ConformanceCase("relationships.extremes", in: .relationships, "least and greatest values of related records") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.minimum { $0.title } == "Able" }, [1])
            try shop.expect(Album.where { $0.songs.maximum { $0.title } < "D" }, [1])
            try shop.expect(Album.where { $0.songs.maximum { $0.title } == nil }, [4])
            try shop.expect(Album.where { $0.songs.minimum { $0.seconds } == 100 }, [1, 2])
            try shop.expect(Album.where { $0.songs.maximum { $0.released } == Shop.date(1968, 2, 29) }, [1])
            try shop.expect(Album.where { $0.songs.minimum { $0.isLive } == false }, [1, 3])
            try shop.expect(Playlist.where { $0.songs.maximum { $0.album.year } == 1967 }, [1, 2, 4])
        },
        ConformanceCase(
            "relationships.order", in: .relationships, "records are ordered by what their relationships hold"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.expect(Album.sorted(by: { $0.songs.count }), [4, 2, 3, 1])
            try shop.expect(Album.sorted(by: { $0.songs.count }, .descending), [1, 3, 2, 4])
            try shop.expect(Album.sorted(by: { $0.songs.sum { $0.seconds } }, .descending), [3, 1, 2, 4])
            try shop.expect(Album.sorted(by: { $0.songs.average { $0.score } }, nils: .last), [3, 2, 1, 4])
            try shop.expect(Album.sorted(by: { $0.songs.maximum { $0.title } }), [4, 1, 2, 3])
            try shop.expect(Playlist.sorted(by: { $0.songs.count }, .descending).limit(2), [1, 4])
        },
        ConformanceCase(
            "relationships.untyped-aggregates", in: .relationships, "different related values are counted once if asked"
        ) { trial in
            let shop = try Shop(trial)
            func albums(_ expression: AnyExpression, is count: Int64) -> Query<Album> {
                Album.where { _ in Condition(.relation(expression, .equal, .value(.integer(count)))) }
            }
            let seconds = AnyExpression.attribute("seconds")
            try shop.expect(albums(.aggregate(.count, of: seconds, over: "songs"), is: 2), [1])
            try shop.expect(
                albums(.aggregate(.count, of: .attribute("album.id"), over: "songs", isDistinct: true), is: 1),
                [1, 2, 3])
            try shop.expect(
                albums(.aggregate(.sum, of: .value(.integer(5)), over: "songs", isDistinct: true), is: 5), [1, 2, 3])
            try shop.expect(
                albums(
                    .aggregate(.sum, of: seconds, over: "songs", where: .compare("seconds", .less, .integer(200))),
                    is: 100),
                [1, 2])
        },
        ConformanceCase(
            "relationships.aggregates-deep", in: .relationships,
            "aggregates of aggregates are as deep as a query may be, also in what is changed"
        ) { trial in
            let shop = try Shop(trial)
            // All songs of an album get the same number: how many songs the album has.
            func most(_ depth: Int) -> AnyExpression {
                var count = AnyExpression.aggregate(.count, of: nil, over: "album.songs")
                for _ in 0..<depth { count = .aggregate(.maximum, of: count, over: "album.songs") }
                return count
            }
            func songs(_ depth: Int, with count: Int64) -> Query<Song> {
                Song.where { _ in Condition(.relation(most(depth), .equal, .value(.integer(count)))) }
            }
            for depth in 0...6 { try shop.expect(songs(depth, with: 3), [1, 2, 3]) }
            // The number of employees below somebody. Two employees have nobody below them; both get the second one as
            // their manager. The first change must not hide the second employee from the condition.
            var under = AnyExpression.value(.integer(0))
            for _ in 0..<40 {
                under = .aggregate(.sum, of: .arithmetic(under, .add, .value(.integer(1))), over: "reports")
            }
            let last = Employee.where { _ in Condition(.relation(under, .equal, .value(.integer(0)))) }
            try shop.expect(last, [3, 5])
            try shop.write { transaction in
                try expectEqual(try last.updateAll(in: transaction) { $0.set(\.manager, to: Ref(5)) }, 2)
            }
            try shop.expect(Employee.where { $0.manager == Ref(5) }, [3, 5])
        },
    ]
}

private var changingRelationshipsCases: [ConformanceCase] {
    [
        ConformanceCase(
            "relationships.changes", in: .relationships, "a relationship shows records as they come, move and go"
        ) { trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                try transaction.delete(Song.self, 2)
                try transaction.insert(Song(id: 7, title: "Gale", album: Ref(4), seconds: 10))
                try transaction.update(Song(id: 4, title: "Dawn", album: Ref(3)))
                try transaction.insert(PlaylistSong(source: Ref(3), target: Ref(7)))
            }
            try shop.expect(Album.where { $0.songs.isEmpty }, [2])
            try shop.expect(Album.sorted(by: { $0.songs.count }, .descending), [3, 1, 4, 2])
            try shop.expect(Playlist.where { $0.songs.contains { $0.seconds < 100 } }, [3])
            try shop.expect(Playlist.where { $0.songs.count == 1 }, [2, 3, 4])
            try shop.write { try $0.delete(Album.self, 3) }
            try shop.expect(Playlist.where { $0.songs.isEmpty }, [4])
            try shop.expect(Genre.where { $0.songs.isEmpty }, [3])
            try expectEqual(try trial.keys(Song.all), [1, 3, 7])
        },
        ConformanceCase(
            "relationships.unlinked", in: .relationships, "a deleted link ends a relationship, not its records"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.write { try expectEqual(try PlaylistSong.where { $0.source == Ref(1) }.deleteAll(in: $0), 3) }
            try shop.expect(Playlist.where { $0.songs.isEmpty }, [1, 3])
            try shop.expect(Song.where { $0.playlists.isEmpty }, [1, 4, 5])
            try shop.write { try $0.delete(Playlist.self, 4) }
            try shop.expect(Song.where { $0.playlists.count > 0 }, [3])
            try shop.expect(PlaylistSong.all, [4])
        },
        ConformanceCase("relationships.bulk", in: .relationships, "relationships choose what is updated and deleted") {
            trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                let lonely = Song.where { $0.playlists.isEmpty || $0.genre.label == "Rock" }
                try expectEqual(try lonely.updateAll(in: transaction) { $0.set(\.seconds, to: 1) }, 3)
                try expectEqual(try Album.where { $0.songs.count < 2 }.deleteAll(in: transaction), 2)
            }
            try shop.songs([1, 2]) { $0.seconds == 1 }
            try shop.expect(Song.all, [1, 2, 3, 5, 6])
            try shop.expect(Album.all, [1, 3])
        },
        ConformanceCase("relationships.unknown", in: .relationships, "a relationship that is none is an error") {
            trial in
            let shop = try Shop(trial)
            func albums(_ path: String) -> Query<Album> { Album.where { _ in Condition(.exists(path)) } }
            try shop.expectFailure(.unknownAttribute, entity: "Album", attributes: ["nothing"], of: albums("nothing"))
            try shop.expectFailure(
                .unknownAttribute, entity: "Artist", attributes: ["songs"], of: albums("artist.songs"))
            try shop.expectFailure(.unknownAttribute, entity: "Album", attributes: ["artist"], of: albums("artist"))
            try shop.expectFailure(.invalidQuery, entity: "Album", attributes: ["title"], of: albums("title.songs"))
            let inner = AnyCondition.exists("songs", .compare("nothing", .equal, .null))
            try shop.expectFailure(
                .unknownAttribute, entity: "Song", attributes: ["nothing"], of: Album.where { _ in Condition(inner) })
            for aggregate in [
                AnyExpression.aggregate(.sum, of: .attribute("title"), over: "songs"),
                .aggregate(.average, of: .attribute("isLive"), over: "songs"),
            ] {
                try shop.expectFailure(
                    .typeMismatch,
                    of: Album.where { _ in Condition(.relation(aggregate, .equal, .value(.null))) })
            }
            try shop.expectFailure(
                .invalidQuery,
                of: Album.where { _ in
                    Condition(.relation(.aggregate(.sum, over: "songs"), .equal, .value(.integer(0))))
                })
            try shop.expectFailure(
                .invalidQuery, entity: "Album",
                of: Album.where { _ in Condition(.relation(.aggregate(.count), .equal, .value(.integer(0)))) })
        },
    ]
}
