import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

// What a program has where a query asks of a field: optionals, records, keys, plain decimals.
var givenValuesCases: [ConformanceCase] {
    [
        ConformanceCase("predicates.optionals", in: .predicates, "an optional equals what it holds, and nil only nil") {
            trial in
            let shop = try Shop(trial)
            let able: String? = "Able"
            let none: String? = nil
            try shop.songs([1]) { $0.title == able }
            try shop.songs([2, 3, 4, 5, 6]) { $0.title != able }
            try shop.songs([]) { $0.title == none }
            try shop.songs([1, 2, 3, 4, 5, 6]) { $0.title != none }
            try shop.songs([1]) { able == $0.title }
            try shop.songs([1, 2, 3, 4, 5, 6]) { none != $0.title }
            try shop.songs([4, 6]) { $0.genre.label == none }
            try shop.songs([1, 2, 3, 4]) { $0.album.artist.label == Optional("Ada") }
            let hundred: Int64? = 100
            try shop.songs([1, 4]) { ($0.seconds ?? 0) == hundred }
        },
        ConformanceCase(
            "predicates.optional-records", in: .predicates, "an optional record is what is referred to, nil nothing"
        ) { trial in
            let shop = try Shop(trial)
            let rock: Genre? = Shop.genres[0]
            let noGenre: Genre? = nil
            try shop.songs([1, 2]) { $0.genre == rock }
            try shop.songs([3, 4, 5, 6]) { $0.genre != rock }
            try shop.songs([4, 6]) { $0.genre == noGenre }
            try shop.songs([1, 2, 3, 5]) { $0.genre != noGenre }
            let jazz: Ref<Genre>? = Ref(2)
            let noReference: Ref<Genre>? = nil
            try shop.songs([3, 5]) { $0.genre == jazz }
            try shop.songs([4, 6]) { $0.genre == noReference }
            let beta: Album? = Shop.albums[1]
            let noAlbum: Album? = nil
            try shop.songs([4]) { $0.album == beta }
            try shop.songs([]) { $0.album == noAlbum }
            try shop.songs([1, 2, 3, 4, 5, 6]) { $0.album != noAlbum }
            let gamma: Ref<Album>? = Ref(3)
            try shop.songs([5, 6]) { $0.album == gamma }
            try shop.songs([1, 2, 3, 4]) { $0.album != gamma }
        },
        ConformanceCase(
            "predicates.in-records", in: .predicates, "a reference is one of records, of references, of keys"
        ) {
            trial in
            let shop = try Shop(trial)
            let genres = [Shop.genres[0], Shop.genres[2]]
            try shop.songs([1, 2]) { $0.genre.in(genres) }
            try shop.songs([1, 2]) { $0.genre.in(Set(genres.map(\.id))) }
            try shop.songs([1, 2]) { $0.genre.in(genres.map { Ref($0) }) }
            try shop.songs([3, 5]) { $0.genre.in([2, 9]) }
            try shop.songs([]) { $0.genre.in([Genre]()) }
            try shop.songs([]) { $0.genre.in([Int64]()) }
            try shop.songs([4, 5, 6]) { $0.album.in(Shop.albums[1...]) }
            try shop.songs([4, 5, 6]) { $0.album.in([2: "b", 3: "c"].keys) }
            try shop.songs([5, 6]) { $0.album.artist.in([Shop.artists[1]]) }
            try shop.expectFailure(
                .invalidQuery, of: Song.where { $0.genre.in(repeatElement(Shop.genres[0], count: 100_001)) })
        },
        ConformanceCase("predicates.in-wrapped", in: .predicates, "what may be nil is one of values that are not") {
            trial in
            let shop = try Shop(trial)
            let named: [Int64: String] = [100: "short", 300: "long"]
            try shop.songs([1, 4, 5]) { $0.seconds.in(named.keys) }
            try shop.songs([]) { $0.seconds.in([String: Int64]().values) }
            try shop.songs([1, 2]) { $0.genre.label.in(Set(["Rock"])) }
            try shop.songs([2]) { song in (song.seconds * 2).in(Set<Int64>([400])) }
        },
        ConformanceCase("predicates.money", in: .predicates, "a decimal with places compares with a Decimal exactly") {
            trial in
            let shop = try Shop(trial)
            let limit = Boundaries.decimal("0.99")
            let one = Boundaries.decimal("1.50")
            try shop.songs([1, 4]) { $0.cents == limit }
            try shop.songs([2, 3, 5, 6]) { $0.cents != limit }
            try shop.songs([]) { $0.cents < limit }
            try shop.songs([1, 4]) { $0.cents <= limit }
            try shop.songs([2, 5]) { $0.cents > limit }
            try shop.songs([1, 2, 4, 5]) { $0.cents >= limit }
            try shop.songs([2, 5]) { limit < $0.cents && limit <= $0.cents && limit != $0.cents }
            try shop.songs([1, 4]) { one > $0.cents && one >= $0.cents && limit == $0.cents }
            try shop.songs([1, 2, 4]) { $0.cents.in(limit...one) }
            try shop.songs([1, 4]) { $0.cents.in(limit..<one) }
            try shop.songs([2, 5]) { $0.cents.in(one...) }
            try shop.songs([1, 2, 4]) { $0.cents.in(...one) }
            try shop.songs([1, 4]) { $0.cents.in(..<one) }
            try shop.songs([1, 2, 4]) { $0.cents.between(limit, one) }
            try shop.songs([1, 2, 4]) { $0.cents.in([limit, one]) }
            try shop.songs([2]) { $0.cents * 2 == one * 2 }
            try shop.expect(Album.where { $0.songs.sum(\.cents) > limit }, [1, 3])
            let none: Decimal? = nil
            try shop.songs([3, 6]) { $0.cents == none }
            try shop.songs([1, 2, 4, 5]) { $0.cents != none }
            // A literal is the number as written.
            try shop.songs([1, 4]) { $0.cents == 0.99 }
            try shop.songs([1, 2, 4]) { $0.cents.in(0.99...1.5) }
        },
        ConformanceCase("predicates.money-range", in: .predicates, "a Decimal that does not fit the places is an error")
        {
            trial in
            let shop = try Shop(trial)
            for value in [Boundaries.decimal("0.995"), Boundaries.decimal("92233720368547758.08"), .nan] {
                try shop.expectFailure(.range, of: Song.where { $0.cents == ScaledDecimal(value) })
                try shop.expectFailure(.range, of: Song.where { $0.cents == value })
                try shop.expectFailure(.range, of: Song.where { $0.cents > value })
                try shop.expectFailure(.range, of: Song.where { $0.cents.in([value]) })
                try shop.expectFailure(.range, of: Song.where { $0.cents.between(0, 1) || $0.cents * 2 < value })
            }
        },
        ConformanceCase("predicates.money-written", in: .predicates, "a Decimal is set and found or made by") { trial in
            let shop = try Shop(trial)
            let limit = Boundaries.decimal("0.99")
            let raised: Decimal? = Boundaries.decimal("1.25")
            let none: Decimal? = nil
            try shop.write { tx in
                try expectEqual(
                    try Song.where { $0.cents == limit }.updateAll(in: tx) {
                        $0.set(\.cents, to: raised)
                    }, 2)
                try expectEqual(try Song.where { $0.cents == raised }.fetch(in: tx).map(\.id), [1, 4])
                try Song.where { $0.id == 4 }.updateAll(in: tx) { $0.set(\.cents, to: none) }
                try Song.where { $0.id == 6 }.updateAll(in: tx) { $0.set(\.cents, to: limit) }
                try expectEqual(try Song.where { $0.cents == nil }.fetch(in: tx).map(\.id), [3, 4])
                try expectEqual(try Song.where { $0.cents == 0.99 }.fetch(in: tx).map(\.id), [6])
                try expectError(.range, entity: "Song", attributes: ["cents"]) {
                    try Song.all.updateAll(in: tx) { $0.set(\.cents, to: Boundaries.decimal("0.995")) }
                }
                try expectEqual(try Song.findOrCreate(where: { $0.cents == limit }, in: tx).id, 6)
                let made = try Song.findOrCreate(
                    where: { $0.cents == limit && $0.id == 9 && $0.title == "New" && $0.album == Ref(1) }, in: tx)
                try expectEqual(made.cents, Shop.cents("0.99"))
            }
        },
    ]
}
