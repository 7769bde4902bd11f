import ConformanceKit
import ConformanceModels
import GranaryCore

var rangeCases: [ConformanceCase] {
    [
        ConformanceCase(
            "predicates.open-ranges", in: .predicates,
            "a range without an end holds of all beyond the other, not of nil"
        ) { trial in
            let shop = try Shop(trial)
            try shop.songs([5, 6]) { $0.id.in(5...) }
            try shop.songs([1, 2]) { $0.id.in(...2) }
            try shop.songs([1]) { $0.id.in(..<2) }
            try shop.songs([2, 5]) { $0.seconds.in(200...) }
            try shop.songs([1, 2, 4]) { $0.seconds.in(...200) }
            try shop.songs([1, 4]) { $0.seconds.in(..<200) }
            try shop.songs([4, 5, 6]) { $0.title.in("Dawn"...) }
            try shop.songs([1, 4, 5]) { $0.score.in(...1.5) }
            try shop.songs([1, 3, 4]) { song in (song.score ?? -1).in(0...) }
            try shop.songs([1, 2, 4]) { $0.seconds.in(100...200) }
            try shop.songs([1, 2]) { $0.id.in(1..<3) }
        },
        ConformanceCase(
            "predicates.endless-list", in: .predicates, "a list that does not end is refused as one that is too long",
            modes: [.fresh]
        ) { trial in
            let shop = try Shop(trial)
            let endless = sequence(first: Int64(1)) { $0 + 1 }
            try shop.expectFailure(.invalidQuery, entity: "Song", of: Song.where { $0.id.in(endless) })
            try shop.expectFailure(.invalidQuery, entity: "Song", of: Song.where { song in (song.id + 0).in(endless) })
        },
    ]
}
