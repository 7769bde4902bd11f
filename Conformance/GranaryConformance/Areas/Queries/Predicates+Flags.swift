import ConformanceKit
import ConformanceModels
import Foundation
import GranaryCore

// A Bool where a condition is expected, and conditions in lists.
var flagPredicatesCases: [ConformanceCase] {
    [
        ConformanceCase("predicates.flag", in: .predicates, "a Bool is a condition: nil is not true") { trial in
            let shop = try Shop(trial)
            try shop.expect(Song.where { $0.isLive }, [2, 4])
            try shop.expect(Song.where { $0.seconds > 100 }.where { $0.isLive }, [2])
            try shop.songs([1, 3, 5, 6]) { !$0.isLive }
            try shop.songs([2, 4]) { !(!$0.isLive) }
            try shop.songs([2]) { $0.isLive && $0.seconds > 100 }
            try shop.songs([2]) { $0.seconds > 100 && $0.isLive }
            try shop.songs([2, 4, 5]) { $0.isLive || $0.seconds == 300 }
            try shop.songs([2, 4, 5]) { $0.seconds == 300 || $0.isLive }
            try shop.songs([2, 4]) { $0.isLive && $0.isLive }
            try shop.songs([1, 2, 3, 4, 5, 6]) { !$0.isLive || $0.isLive }
            try shop.songs([1, 3, 4, 5, 6]) { !($0.isLive && $0.seconds > 100) }
        },
        ConformanceCase("predicates.flag-computed", in: .predicates, "so is what is computed, and the end of a path") {
            trial in
            let shop = try Shop(trial)
            try shop.expect(Song.where { $0.isLive ?? true }, [2, 3, 4, 6])
            try shop.expect(Song.where { $0.info.value(at: "isLoud", as: Bool.self) }, [4])
            try shop.expect(PlaylistSong.where { $0.target.isLive }, [2, 6])
            try shop.read { snapshot in
                let genreGroups = Song.all.grouped(by: { $0.genre })
                try expectEqual(
                    try snapshot.fetch(
                        genreGroups.having { $0.isLive.maximum }.select { ($0.genre, $0.isLive.minimum) }
                    ).map(\.0), [nil, Ref(1)])
                try expectEqual(
                    try snapshot.fetch(
                        genreGroups.having { $0.isLive.minimum }.select { ($0.genre, $0.isLive.minimum) }
                    ).map(\.0), [nil])
                try expectEqual(
                    try snapshot.fetch(
                        genreGroups.having { !$0.isLive.minimum }.select { ($0.genre, $0.isLive.minimum) }
                    ).map(\.0), [Ref(1), Ref(2)])
            }
        },
        ConformanceCase("predicates.flag-related", in: .predicates, "a Bool is asked of related records") { trial in
            let shop = try Shop(trial)
            try shop.expect(Album.where { $0.songs.contains { $0.isLive } }, [1, 2])
            try shop.expect(Album.where { !$0.songs.contains { $0.isLive } }, [3, 4])
            try shop.expect(Album.where { $0.songs.allSatisfy { $0.isLive } }, [2, 4])
            try shop.expect(Album.where { $0.songs.allSatisfy { !$0.isLive } }, [3, 4])
            try shop.expect(Album.where { $0.songs.count { $0.isLive } == 1 }, [1, 2])
        },
        ConformanceCase("predicates.flag-written", in: .predicates, "a Bool chooses what is written and made") {
            trial in
            let shop = try Shop(trial)
            try shop.write { tx in
                try expectEqual(try Song.where { $0.isLive }.updateAll(in: tx) { $0.set(\.score, to: 9) }, 2)
                try expectEqual(try Song.where { $0.score == 9 }.fetch(in: tx).map(\.id), [2, 4])
                try expectEqual(try Song.where { $0.isLive && $0.seconds > 100 }.deleteAll(in: tx), 1)
                try expectEqual(try Song.findOrCreate(where: { $0.isLive }, in: tx).id, 4)
                let made = try Song.findOrCreate(
                    where: { $0.isLive && $0.id == 9 && $0.title == "New" && $0.album == Ref(1) }, in: tx)
                try expectEqual(made.isLive, true)
                try expectError(.invalidQuery) {
                    try Song.findOrCreate(
                        where: { !$0.isLive && $0.id == 10 && $0.title == "New" && $0.album == Ref(1) }, in: tx
                    ).id
                }
            }
        },
        ConformanceCase("predicates.flag-pending", in: .predicates, "a Bool is asked of what a context has not saved") {
            trial in
            try trial.insert([Sample(id: 1, flag: true), Sample(id: 2, flag: false), Sample(id: 3)])
            let edit = try trial.stack.makeContext()
            defer { edit.reset() }
            try edit.update(Sample(id: 1, flag: nil))
            try edit.update(Sample(id: 3, flag: true))
            try edit.insert(Sample(id: 4, flag: true))
            try expectEqual(try edit.fetch(Sample.where { $0.flag }).map(\.id), [3, 4])
            try expectEqual(try edit.fetch(Sample.where { !$0.flag }).map(\.id), [1, 2])
            try expectEqual(try Sample.findOrCreate(where: { $0.flag && $0.id == 5 }, in: edit).flag, true)
            try expectEqual(try edit.count(Sample.where { $0.flag && $0.id > 3 }), 2)
        },
        ConformanceCase("predicates.joined", in: .predicates, "conditions are joined from lists, of none as well") {
            trial in
            let shop = try Shop(trial)
            let keys: [Int64] = [1, 3, 9]
            try shop.songs([1, 3]) { song in .any(keys.map { song.id == $0 }) }
            try shop.songs([2, 4, 5, 6]) { song in .all(keys.map { song.id != $0 }) }
            try shop.songs([]) { _ in .any([]) }
            try shop.songs([1, 2, 3, 4, 5, 6]) { _ in .all([]) }
            try shop.songs([4]) { .all([$0.seconds == 100, Condition($0.isLive)]) }
            try shop.songs([1, 2, 4]) { .any([$0.seconds == 100, Condition($0.isLive)]) }
            try shop.songs([6]) { $0.id > 4 && .all([$0.genre == nil]) }
            try shop.expect(Song.where(.any([Song.fields.id == 2, Song.fields.id == 5])), [2, 5])
            try shop.expectFailure(
                .invalidQuery, of: Song.where { song in .any((0...10_000).map { song.seconds + 1 == $0 }) })
        },
        ConformanceCase("predicates.statements", in: .predicates, "statements in a closure mean \"and\"") { trial in
            let shop = try Shop(trial)
            try shop.expect(
                Song.where {
                    $0.seconds >= 100
                    $0.title < "E"
                    $0.score == nil || $0.score > 1
                }, [1, 2, 4])
            try shop.expect(
                Song.where {
                    $0.isLive
                    !($0.title == "Bell")
                }, [4])
            try shop.expect(
                Album.where {
                    $0.songs.contains {
                        $0.seconds == 100
                        $0.isLive
                    }
                    $0.year == nil
                }, [2])
            func songs(_ title: String?, among keys: [Int64], live: Bool) -> Query<Song> {
                Song.where { song in
                    if let title { song.title == title }
                    for key in keys { song.id != key }
                    if live { song.isLive } else { !song.isLive }
                }
            }
            try shop.expect(songs(nil, among: [], live: true), [2, 4])
            try shop.expect(songs("Dawn", among: [2], live: true), [4])
            try shop.expect(songs("Dawn", among: [4], live: true), [])
            try shop.expect(songs(nil, among: [1, 6], live: false), [3, 5])
            try shop.read { snapshot in
                let grouping = Song.all.grouped(by: { $0.genre })
                let kept = try snapshot.fetch(
                    grouping.having {
                        $0.id.count == 2
                        $0.seconds.sum > 100
                        $0.score.sum > 1
                    }.select { $0.genre })
                try expectEqual(kept, [Ref(1)])
            }
            try shop.write { tx in
                let made = try Song.findOrCreate(
                    where: {
                        $0.id == 9
                        $0.title == "New"
                        $0.isLive
                        $0.album == Ref(1)
                    }, in: tx)
                try expectEqual(made.title, "New")
                try expectEqual(
                    try Song.where {
                        $0.isLive
                        $0.id > 4
                    }.deleteAll(in: tx), 1)
            }
        },
    ]
}
