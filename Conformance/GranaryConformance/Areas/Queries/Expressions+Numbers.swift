import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

var mixedNumbersCases: [ConformanceCase] {
    [
        ConformanceCase(
            "expressions.two-kinds", in: .expressions, "numbers of two kinds combine: integers, doubles, decimals"
        ) { trial in
            let shop = try Shop(trial)
            func expect(
                _ text: String, _ keys: [Int64], line: Int = #line, _ typed: (Song.Fields) -> Condition<Song>
            ) throws {
                try shop.songs(keys, line: line, where: typed)
                try shop.expect(try Song.where(text), keys, line: line)
            }
            func decimal(_ text: String) -> Decimal { Boundaries.decimal(text) }
            try expect("price * seconds == 99", [1, 4]) { $0.price * $0.seconds == 99 }
            try expect("seconds * price > 99", [5]) { $0.price * $0.seconds > 99 }
            try expect("seconds - price == 99.01", [1, 4]) { $0.seconds.asDecimal - $0.price == decimal("99.01") }
            try expect("cents * seconds == 300", [2]) { $0.cents * $0.seconds == Shop.cents("300") }
            try expect("seconds * cents == 300", [2]) { $0.cents * $0.seconds == Shop.cents("300") }
            try expect("cents * price == 0.9801", [1, 4]) { $0.cents.asDecimal * $0.price == decimal("0.9801") }
            try expect("cents * cents == 2.25", [2]) { $0.cents.asDecimal * $0.cents.asDecimal == decimal("2.25") }
            try expect("cents + price == 4", [5]) { $0.cents.asDecimal + $0.price == 4 }
            try expect("price / cents == 1", [1, 4, 5]) { $0.price / $0.cents.asDecimal == 1 }
            try expect("cents * 1.5 == 3", [5]) { $0.cents.asDecimal * decimal("1.5") == 3 }
            try expect("cents * 0.005 == 0.01", [5]) { $0.cents.asDecimal * decimal("0.005") == decimal("0.01") }
            try expect("cents / 3 == 0.5", [2]) { $0.cents.asDecimal / 3 == decimal("0.5") }
            try expect("cents % 1 == 0.5", [2]) { $0.cents.asDecimal % 1 == decimal("0.5") }
            try expect("score * seconds == 150", [1, 4]) { $0.score * $0.seconds == 150 }
            try expect("seconds / score == -133.33333333333334", [5]) {
                $0.seconds.asDouble / $0.score == -133.33333333333334
            }
            try expect("decimal(seconds) / 8 == 12.5", [1, 4]) { $0.seconds.asDecimal / 8 == decimal("12.5") }
            try expect("decimal(cents) == price", [1, 4, 5, 6]) { $0.cents.asDecimal == $0.price }
            try expect("cents == price", [1, 4, 5, 6]) { _ in
                Condition(.relation(.attribute("cents"), .equal, .attribute("price")))
            }
            try expect("price < seconds", [1, 4, 5]) { $0.price < $0.seconds.asDecimal }
            try expect("seconds > cents", [1, 2, 4, 5]) { $0.seconds.asDecimal > $0.cents.asDecimal }
            try shop.expect(Song.sorted(by: { $0.price * $0.seconds }, .descending), [5, 4, 1, 6, 3, 2])
            try shop.expect(Album.where { $0.songs.sum { $0.cents * $0.seconds } == Shop.cents("399") }, [1])
            try shop.read { snapshot in
                try expectEqual(try Song.all.sum({ $0.price * $0.seconds }, in: snapshot), 798)
                try expectEqual(
                    try snapshot.fetch(
                        Song.where { $0.id == 5 }.select { ($0.cents * $0.seconds, $0.cents.asDecimal * $0.price) }
                    )
                    .map(\.0), [Shop.cents("600")])
                try expectEqual(
                    try snapshot.fetch(Song.all.select { $0.score * $0.seconds }), [150, nil, nil, 150, -675, nil])
            }
            try shop.expectFailure(
                .typeMismatch,
                of: Song.where { _ in
                    Condition(
                        .relation(
                            .arithmetic(.attribute("price"), .multiply, .attribute("score")), .equal, .value(.null)))
                })
        },
        ConformanceCase(
            "expressions.two-kinds-limits", in: .expressions,
            "a product of a scaled decimal and an integer that does not fit throws, one as a decimal is exact"
        ) { trial in
            try trial.open(SuiteSchema.shop)
            let most = ScaledDecimal<2>(Boundaries.decimal("92233720368547758.07"))
            let album = Album(id: 1, title: "", artist: Ref(1))
            try trial.write {
                try $0.insert(Genre(id: 1, label: ""))
                try $0.insert(Artist(id: 1, label: ""))
                try $0.insert(album)
                try $0.insert(Song(id: 1, title: "", album: Ref(1), seconds: 2, cents: most))
            }
            try trial.read { snapshot in
                try expectError(.overflow, entity: "Song") {
                    try snapshot.fetch(Song.all.select { $0.cents * $0.seconds }).count
                }
                try expectEqual(
                    try snapshot.fetch(Song.all.select { $0.cents.asDecimal * $0.seconds }),
                    [Boundaries.decimal("184467440737095516.14")])
                try expectError(.overflow, entity: "Song") {
                    try snapshot.fetch(Song.all.select { $0.cents.asDecimal / ($0.seconds.asDecimal - 2) }).count
                }
            }
        },
        ConformanceCase(
            "expressions.many-factors", in: .expressions,
            "a product of many factors is resolved in time, each part once"
        ) { trial in
            let shop = try Shop(trial)
            for name in ["cents", "seconds", "price"] {
                let product = (0..<60).reduce(AnyExpression.attribute(name)) { product, _ in
                    .arithmetic(product, .multiply, .literal(.number("1")))
                }
                let mirrored = (0..<60).reduce(AnyExpression.attribute(name)) { product, _ in
                    .arithmetic(.literal(.number("1")), .multiply, product)
                }
                let own = AnyExpression.attribute(name)
                try shop.songs([1, 2, 3, 4, 5, 6]) { _ in
                    Condition(.all([.relation(product, .equal, own), .relation(mirrored, .equal, own)]))
                }
            }
        },
        ConformanceCase(
            "expressions.lists-ask", in: .expressions, "a list or a range is asked whether it contains a value"
        ) { trial in
            let shop = try Shop(trial)
            try shop.songs([1, 4]) { [100, 150].contains($0.seconds) }
            try shop.songs([2, 3]) { Set(["Bell", "Cloud"]).contains($0.title) }
            try shop.songs([1, 2, 4]) { (100...200).contains($0.seconds) }
            try shop.songs([1, 4]) { (100..<200).contains($0.seconds) }
            try shop.songs([]) { [Int]().contains($0.seconds) }
            try shop.songs([5, 6]) { [Shop.albums[2], Shop.albums[3]].contains($0.album) }
            try shop.songs([3, 5]) { [Shop.genres[1]].contains($0.genre) }
            try shop.songs([1, 2, 3, 4]) { ["Ada"].contains($0.album.artist.label) }
            try shop.songs([]) { $0.title.isEmpty }
            try shop.songs([3, 4, 5, 6]) { !$0.genre.label.isEmpty && $0.genre != Ref(1) }
        },
    ]
}
