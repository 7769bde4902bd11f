import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var pathsCases: [ConformanceCase] {
    [
        ConformanceCase("paths.one", in: .paths, "a path leads to an attribute of the record that a reference names") {
            trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2]) { $0.genre.label == "Rock" }
            try shop.songs([3, 5]) { $0.genre.label == "Jazz" }
            try shop.songs([]) { $0.genre.label == "Folk" }
            try shop.songs([1, 2, 3]) { $0.album.title == "Alpha" }
            try shop.songs([1, 2, 3, 5, 6]) { $0.album.title.in(["Alpha", "Gamma", "Delta"]) }
            try shop.expect(Artist.where { $0.genre.label == "Folk" }, [4])
            try shop.expect(PlaylistSong.where { $0.target.title == "Bell" }, [2, 6])
        },
        ConformanceCase("paths.deep", in: .paths, "a path leads through two and three references") { trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.label == "Ada" }
            try shop.songs([5, 6]) { $0.album.artist.label > "Ada" }
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.genre.label == "Rock" }
            try shop.songs([5, 6]) { $0.album.artist.genre.label.in(["Jazz", "Folk"]) }
            try shop.songs([5, 6]) { $0.album.artist.rating == nil }
            try shop.expect(PlaylistSong.where { $0.target.album.artist.label == "Bo" }, [3, 5])
            try shop.expect(PlaylistSong.where { $0.target.album.artist.genre.label == "Jazz" }, [3, 5])
        },
        ConformanceCase("paths.key", in: .paths, "a path may end at the key of the record it leads to") { trial in
            let shop = try Shop(trial)
            try shop.songs([3, 5]) { $0.genre.id == 2 }
            try shop.songs([4, 6]) { $0.genre.id == nil }
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.id == 1 }
            try shop.songs([5, 6]) { $0.album.artist.genre.id == 2 }
            try shop.songs([5, 6]) { $0.album.artist.id.in(2...9) }
        },
        ConformanceCase("paths.name", in: .paths, "a path may end at an attribute called name") { trial in
            try trial.insert([Shelf(id: 1, name: "top"), Shelf(id: 2, name: "low")])
            try trial.insert([Box(id: 1, shelf: Ref(1)), Box(id: 2, shelf: Ref(2), spare: Ref(1), outer: Ref(1))])
            try expectEqual(try trial.keys(Box.where { $0.shelf.name == "top" }), [1])
            try expectEqual(try trial.keys(Box.where { $0.spare.name == nil }), [1])
            try expectEqual(try trial.keys(Box.where { $0.outer.shelf.name == "top" }), [2])
            try expectEqual(try trial.keys(Box.sorted(by: { $0.shelf.name })), [2, 1])
        },
        ConformanceCase("paths.nil-on-the-way", in: .paths, "a path through an absent reference is nil") { trial in
            let shop = try Shop(trial)
            try shop.songs([4, 6]) { $0.genre.label == nil }
            try shop.songs([1, 2, 3, 5]) { $0.genre.label != nil }
            try shop.songs([3, 4, 5, 6]) { $0.genre.label != "Rock" }
            try shop.songs([1, 2]) { $0.genre.label > "Jazz" }
            try shop.songs([4, 5, 6]) { $0.genre.label.in([nil, "Jazz"]) && !($0.title == "Cloud") }
            try shop.expect(Album.where { $0.artist.genre.label == nil }, [4])
            try shop.expect(Employee.where { $0.manager.manager.label == nil }, [1, 2, 3])
        },
        ConformanceCase("paths.self", in: .paths, "a path may go round in an entity that refers to itself") { trial in
            let shop = try Shop(trial)
            try shop.expect(Employee.where { $0.manager.label == "Ann" }, [2, 3])
            try shop.expect(Employee.where { $0.manager.manager.label == "Ann" }, [4])
            try shop.expect(Employee.where { $0.manager.manager.manager.label == "Ann" }, [5])
            try shop.expect(Employee.where { $0.manager.manager.manager.label == "Flo" }, [6])
            try shop.expect(Employee.where { $0.salary > $0.manager.salary }, [])
            try shop.expect(Employee.where { $0.salary <= $0.manager.salary }, [2, 4, 5])
        },
        ConformanceCase(
            "paths.dangling", in: .paths, "a reference without a rule that names no record is a path to nil"
        ) { trial in
            let shop = try Shop(trial)
            try shop.expect(Artist.where { $0.mentor.label == "Bo" }, [1])
            try shop.expect(Artist.where { $0.mentor.label == nil }, [2, 4])
            try shop.expect(Artist.where { $0.mentor.label != nil }, [1, 3])
            try shop.expect(Artist.where { $0.mentor != nil }, [1, 2, 3])
            try shop.expect(Artist.where { $0.mentor.id == nil }, [2, 4])
            try shop.expect(Artist.where { $0.mentor.id != 1 }, [1, 2, 4])
            try shop.expect(Artist.where { $0.mentor.mentor.label == "Bo" }, [3])
            try shop.expect(Artist.where { $0.mentor.mentor.label == nil }, [1, 2, 4])
            try shop.expect(Artist.where { $0.mentor.rating == nil }, [1, 2, 4])
            try shop.write { try $0.insert(Artist(id: 99, label: "Zoe", rating: 1)) }
            try shop.expect(Artist.where { $0.mentor.label == "Zoe" }, [2])
            try shop.expect(Artist.where { $0.mentor.mentor.label == "Zoe" }, [1])
        },
        ConformanceCase("paths.several", in: .paths, "several conditions on one path are about one record") { trial in
            let shop = try Shop(trial)
            try shop.songs([1, 2, 3]) { $0.album.year == 1967 && $0.album.artist.label == "Ada" }
            try shop.songs([1, 2, 3, 5, 6]) { $0.album.year == 1967 || $0.album.artist.label == "Bo" }
            try shop.songs([4]) { $0.album.artist.label == "Ada" && $0.album.year == nil }
            try shop.songs([3]) { $0.genre.label == "Jazz" && $0.album.artist.genre.label == "Rock" }
            try shop.songs([4, 5, 6]) { !($0.album.year == 1967 && $0.album.artist.label == "Ada") }
            try shop.songs([1, 2, 4, 6]) { !($0.genre.label == "Jazz") || $0.album.title == "Delta" }
        },
        ConformanceCase("paths.reference", in: .paths, "a reference compares with records, keys and nil") { trial in
            let shop = try Shop(trial)
            try shop.songs([3, 5]) { $0.genre == Ref(2) }
            try shop.songs([3, 5]) { $0.genre == Shop.genres[1] }
            try shop.songs([1, 2, 4, 6]) { $0.genre != Shop.genres[1] }
            try shop.songs([5, 6]) { $0.album.artist == Ref(2) }
            try shop.songs([1, 2, 4, 6]) { $0.genre.in([nil, Ref(1)]) }
            try shop.songs([1, 2, 3, 4, 5, 6]) { $0.genre == nil || $0.album != Ref(2) }
        },
        ConformanceCase("paths.changes", in: .paths, "a path shows the record it leads to as it is now") { trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                try transaction.update(Genre(id: 1, label: "Pop"))
                try transaction.update(Album(id: 2, title: "Beta", artist: Ref(2)))
                try transaction.delete(Genre.self, 2)
            }
            try shop.songs([1, 2]) { $0.genre.label == "Pop" }
            try shop.songs([]) { $0.genre.label == "Rock" }
            try shop.songs([3, 4, 5, 6]) { $0.genre.label == nil }
            try shop.songs([4, 5, 6]) { $0.album.artist.label == "Bo" }
            try shop.songs([4, 5, 6]) { $0.album.artist.genre.label == nil }
        },
        ConformanceCase(
            "paths.truth-table", in: .paths, "every comparison of a path with values and nil, negated and not"
        ) { trial in
            let shop = try Shop(trial)
            try check(
                shop, Song.fields.genre.label, ["Rock", "Rock", "Jazz", nil, "Jazz", nil], [nil, "Jazz", "Rock", "A"])
            try check(shop, Song.fields.album.year, [1967, 1967, 1967, nil, 1959, 1959], [nil, 1959, 1967, 1960])
            let ratings: [Double?] = [4.5, 4.5, 4.5, 4.5, nil, nil]
            try check(shop, Song.fields.album.artist.rating, ratings, [nil, 4.5, 1, 9])
            try check(shop, Artist.fields.mentor.rating, [nil, nil, 4.5, nil], [nil, 4.5, 5])
            try check(shop, Employee.fields.manager.salary, [nil, 100, 100, 80, 50, nil], [nil, 50, 80, 100, 99])
        },
        ConformanceCase("paths.unknown", in: .paths, "a path that leads nowhere says where it ends") { trial in
            let shop = try Shop(trial)
            func songs(_ path: String) -> Query<Song> { Song.all.where(Condition(.compare(path, .equal, .null))) }
            try shop.expectFailure(
                .unknownAttribute, entity: "Genre", attributes: ["nothing"], of: songs("genre.nothing"))
            try shop.expectFailure(
                .unknownAttribute, entity: "Song", attributes: ["nothing"], of: songs("nothing.label"))
            try shop.expectFailure(
                .unknownAttribute, entity: "Artist", attributes: ["x"], of: songs("album.artist.x"))
            try shop.expectFailure(.invalidQuery, entity: "Song", attributes: ["title"], of: songs("title.length"))
            try shop.expectFailure(
                .invalidQuery, entity: "Album", attributes: ["year"], of: songs("album.year.month"))
            try shop.expectFailure(.unknownAttribute, entity: "Genre", of: songs("genre..label"))
            try shop.expectFailure(.unknownAttribute, entity: "Song", of: songs(".label"))
            try shop.expectFailure(.unknownAttribute, entity: "Genre", of: songs("genre."))
            try shop.expectFailure(
                .unknownAttribute, entity: "Genre", attributes: ["nothing"], of: Song.sorted(by: "genre.nothing"))
        },
        ConformanceCase("paths.wrong-kind", in: .paths, "a value of another kind at the end of a path is a mismatch") {
            trial in
            let shop = try Shop(trial)
            let wrong: [(String, StoredValue)] = [
                ("genre.label", .integer(1)), ("album.year", .string("1967")), ("album.artist.rating", .bytes([1])),
                ("genre", .string("1")), ("album.artist.id", .string("x")),
            ]
            for (path, value) in wrong {
                for condition in [AnyCondition.compare(path, .less, value), .among(path, [value])] {
                    try shop.expectFailure(.typeMismatch, of: Song.where { _ in Condition(condition) })
                    try shop.expectFailure(.typeMismatch, of: Song.where { _ in !Condition(condition) })
                }
            }
        },
    ]
}

/// Compares a field with constants in every way; the expected answers come from Swift's own optionals.
private func check<R: Record, Value: AttributeValue & Comparable>(
    _ shop: Shop, _ field: Field<R, Value?>, _ values: [Value?], _ constants: [Value?]
) throws where R.Key == Int64 {
    func keys(_ holds: (Value?) -> Bool) -> [Int64] {
        values.indices.filter { holds(values[$0]) }.map { Int64($0 + 1) }
    }
    func both(_ left: Value?, _ right: Value?, _ holds: (Value, Value) -> Bool) -> Bool {
        if let left, let right { holds(left, right) } else { false }
    }
    for constant in constants {
        let conditions: [(Condition<R>, [Int64])] = [
            (field == constant, keys { $0 == constant }), (field != constant, keys { $0 != constant }),
            (field < constant, keys { both($0, constant, <) }), (field <= constant, keys { both($0, constant, <=) }),
            (field > constant, keys { both($0, constant, >) }), (field >= constant, keys { both($0, constant, >=) }),
            (field.in([constant]), keys { $0 == constant }),
            (field.in([constant, nil]), keys { $0 == constant || $0 == nil }),
        ]
        for (condition, keys) in conditions { try shop.expect(R.where { _ in condition }, keys) }
    }
}
