import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

// As a store is asked for them: groups come in any order, and are compared by their values.
var groupsCases: [ConformanceCase] {
    [
        ConformanceCase("groups.nil", in: .groups, "records with nil are a group like any other") { trial in
            let shop = try Shop(trial)
            let give: [ReferenceQuery.Aggregate] = [.rows, .of(.sum, "seconds"), .of(.minimum, "title")]
            try shop.expect(
                Song.all, by: [.attribute("genre")], give: give,
                [try row(nil, 2, 100, "Dawn"), try row(1, 2, 300, "Able"), try row(2, 2, 300, "Cloud")])
            try shop.expect(
                Song.all, by: [.attribute("isLive")], give: [.rows, .of(.count, "seconds"), .of(.average, "score")],
                [try row(nil, 2, 0, 2.5), try row(false, 2, 2, -0.375), try row(true, 2, 2, 1.5)])
        },
        ConformanceCase("groups.kinds", in: .groups, "groups by numbers, texts, dates, decimals and references") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all, by: [.attribute("seconds")], give: [.rows],
                [try row(nil, 2), try row(100, 2), try row(200, 1), try row(300, 1)])
            try shop.expect(
                Song.all, by: [.attribute("score")], give: [.rows],
                [try row(nil, 2), try row(-2.25, 1), try row(1.5, 2), try row(2.5, 1)])
            try shop.expect(
                Album.all, by: [.attribute("price")], give: [.rows],
                [
                    try row(nil, 1), try row(Boundaries.decimal("9.99"), 2), try row(Boundaries.decimal("12.5"), 1),
                ])
            try shop.expect(
                Song.where { $0.released < Shop.date(1968, 1, 1) }, by: [.attribute("released")], give: [.rows],
                [try row(Shop.date(1959, 8, 17), 1), try row(Shop.date(1967, 5, 12), 1)])
            try shop.expect(
                Song.all, by: [.attribute("album")], give: [.rows], [try row(1, 3), try row(2, 1), try row(3, 2)])
        },
        ConformanceCase("groups.several", in: .groups, "groups by several values, nil among them") { trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all, by: [.attribute("album"), .attribute("genre")], give: [.rows],
                [
                    try row(1, 1, 2), try row(1, 2, 1), try row(2, nil, 1), try row(3, nil, 1), try row(3, 2, 1),
                ])
            try shop.expect(
                Song.all, by: [.attribute("isLive"), .attribute("seconds")], give: [.of(.maximum, "title")],
                [
                    try row(nil, nil, "Fog"), try row(false, 100, "Able"), try row(false, 300, "Echo"),
                    try row(true, 100, "Dawn"), try row(true, 200, "Bell"),
                ])
        },
        ConformanceCase("groups.paths", in: .groups, "groups by the end of a path, nil where it leads nowhere") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all, by: [.attribute("genre.label")], give: [.rows, .of(.sum, "seconds")],
                [try row(nil, 2, 100), try row("Jazz", 2, 300), try row("Rock", 2, 300)])
            try shop.expect(
                Song.all, by: [.attribute("album.artist.genre.label"), .attribute("album.year")], give: [.rows],
                [try row("Jazz", 1959, 2), try row("Rock", nil, 1), try row("Rock", 1967, 3)])
            try shop.expect(
                Artist.all, by: [.attribute("mentor.label")], give: [.rows],
                [try row(nil, 2), try row("Ada", 1), try row("Bo", 1)])
        },
        ConformanceCase("groups.expressions", in: .groups, "groups by expressions") { trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all, by: [Song.fields.released.component(.year).untyped], give: [.rows],
                [try row(nil, 2), try row(1959, 1), try row(1967, 1), try row(1968, 1), try row(2001, 1)])
            try shop.expect(
                Song.all, by: [(Song.fields.seconds / 150).untyped], give: [.rows],
                [try row(nil, 2), try row(0, 2), try row(1, 1), try row(2, 1)])
            try shop.expect(
                Song.all, by: [Song.fields.title.length.untyped], give: [.of(.minimum, "title")],
                [try row(3, "Fog"), try row(4, "Able"), try row(5, "Cloud")])
            try shop.expect(
                Album.all, by: [Album.fields.songs.count.untyped], give: [.rows],
                [try row(0, 1), try row(1, 1), try row(2, 1), try row(3, 1)])
            try shop.write { transaction in
                try transaction.insert([
                    Tag(id: 1, word: "Rock"), Tag(id: 2, word: "ROCK"), Tag(id: 3, word: "r\u{F6}ck"), Tag(id: 4),
                ])
            }
            try shop.expect(
                Tag.all, by: [Tag.fields.word.folded(.caseInsensitive).untyped], give: [.rows, .of(.minimum, "word")],
                [try row(nil, 1, nil), try row("rock", 2, "ROCK"), try row("r\u{F6}ck", 1, "r\u{F6}ck")])
        },
        ConformanceCase("groups.conditions", in: .groups, "a condition chooses what is grouped") { trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.where { $0.seconds > 100 }, by: [.attribute("genre")], give: [.rows],
                [try row(1, 1), try row(2, 1)])
            try shop.expect(
                Song.where { $0.playlists.isEmpty || $0.genre == nil }, by: [.attribute("genre")], give: [.rows],
                [try row(nil, 2)])
            try shop.expect(Song.where { _ in .never }, by: [.attribute("genre")], give: [.rows], [])
            try shop.expect(
                Song.sorted(by: { $0.seconds }, .descending).limit(3), by: [.attribute("genre")],
                give: [.rows, .of(.sum, "seconds")], [try row(nil, 1, 100), try row(1, 1, 200), try row(2, 1, 300)])
        },
        ConformanceCase("groups.none", in: .groups, "groups without aggregates of nothing but their number") { trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.all, by: [.attribute("genre")],
                give: [.of(.count, "seconds"), .of(.count, "seconds", distinct: true)],
                [try row(nil, 1, 1), try row(1, 2, 2), try row(2, 1, 1)])
            try shop.expect(
                Employee.all, by: [.attribute("manager")], give: [.of(.sum, "salary"), .of(.average, "salary")],
                [
                    try row(nil, 100, 100.0), try row(1, 80, 80.0), try row(2, 50, 50.0), try row(4, 50, 50.0),
                    try row(6, 0, nil),
                ])
        },
        ConformanceCase("groups.many", in: .groups, "hundreds of groups, each with its own records") { trial in
            let shop = try Shop(trial)
            try shop.write { transaction in
                try transaction.insert((0..<600).map { Tag(id: Int64($0), word: "w\(($0 * 7) % 200)") })
            }
            let expected = (0..<200).map { "w\($0)" }.sorted().map { word in
                (word, (0..<600).filter { "w\(($0 * 7) % 200)" == word })
            }
            try shop.expect(
                Tag.all, by: [.attribute("word")], give: [.rows, .of(.sum, "id"), .of(.minimum, "id")],
                try expected.map { try row($0, 3, $1.reduce(0, +), $1.min()) })
        },
    ]
}
