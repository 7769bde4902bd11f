import ConformanceKit
import ConformanceModels
import GranaryCore

extension Artist {
    fileprivate var albums: RelatedRecords<Artist, Album> {
        RelatedRecords(of: id, Artist.relationships[0].relationship)
    }
}

extension Playlist {
    fileprivate var songs: RelatedRecords<Playlist, Song> {
        RelatedRecords(of: id, Playlist.relationships[0].relationship)
    }
}

extension Employee {
    fileprivate var reports: RelatedRecords<Employee, Employee> {
        RelatedRecords(of: id, Employee.relationships[0].relationship)
    }
}

var linkingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.order", in: .linking, "links are added at the end, moved, inserted at a place and replaced"
        ) {
            trial in
            let shop = try Shop(trial)
            let (mix, songs) = (Shop.playlists[0], Shop.songs)
            func expectSongs(_ keys: [Int64], line: Int = #line) throws {
                try shop.read { try expectEqual(try mix.songs.all.fetch(in: $0).map(\.id), keys, line: line) }
            }
            try expectSongs([1, 2, 5])
            try shop.write { try mix.songs.add([songs[5], songs[1], songs[3]], in: $0) }
            try expectSongs([1, 2, 5, 6, 4])
            try shop.write { try mix.songs.move(from: 4, to: 0, in: $0) }
            try expectSongs([4, 1, 2, 5, 6])
            try shop.write { try mix.songs.insert(songs[2], at: 2, in: $0) }
            try expectSongs([4, 1, 3, 2, 5, 6])
            try shop.write { try mix.songs.insert(songs[5], at: 99, in: $0) }
            try expectSongs([4, 1, 3, 2, 5, 6])
            try shop.write { try mix.songs.remove([songs[0], songs[4]], in: $0) }
            try expectSongs([4, 3, 2, 6])
            try shop.write { try mix.songs.replace(with: [songs[5], songs[0], songs[5], songs[2]], in: $0) }
            try expectSongs([6, 1, 3])
            try shop.write { try mix.songs.removeAll(in: $0) }
            try expectSongs([])
            try shop.read { try expectEqual(try $0.count(PlaylistSong.where { $0.source == Ref(1) }), 0) }
        },
        ConformanceCase("linking.refused", in: .linking, "what cannot be linked or moved leaves everything as it was") {
            trial in
            let shop = try Shop(trial)
            let mix = Shop.playlists[0]
            try shop.write { tx in
                try expectError(.danglingReference, entity: "Playlist", attributes: ["songs"]) {
                    try mix.songs.add(keys: [3, 77], in: tx)
                }
                try expectError(.invalidQuery) { try mix.songs.move(from: 3, to: 0, in: tx) }
                try expectError(.danglingReference, entity: "Playlist", attributes: ["songs"]) {
                    try Playlist(id: 55).songs.add(keys: [3], in: tx)
                }
                try expectError(.recordNotFound, entity: "Album", attributes: ["id"]) {
                    try Shop.artists[0].albums.add(keys: [77], in: tx)
                }
                try expectError(.required, entity: "Album", attributes: ["artist"]) {
                    try Shop.artists[0].albums.remove(keys: [1], in: tx)
                }
                try expectError(.invalidQuery) { try Shop.employees[0].reports.move(from: 0, to: 1, in: tx) }
            }
            try shop.read { try expectEqual(try mix.songs.all.fetch(in: $0).map(\.id), [1, 2, 5]) }
        },
        ConformanceCase(
            "linking.to-many", in: .linking, "a record related to another owner leaves the first; both ends agree"
        ) {
            trial in
            let shop = try Shop(trial)
            let (ada, bo) = (Shop.artists[0], Shop.artists[1])
            try shop.write { tx in
                try bo.albums.add(Shop.albums[0], in: tx)
                try expectEqual(try ada.albums.all.fetch(in: tx).map(\.id), [2])
                try expectEqual(try bo.albums.all.fetch(in: tx).map(\.id), [1, 3])
                try expectEqual(try tx.find(Album.self, 1)?.artist, Ref(2))
                try expectEqual(try bo.albums.contains(Shop.albums[0], in: tx), true)
                try expectEqual(try ada.albums.contains(Shop.albums[0], in: tx), false)
                try expectEqual(try ada.albums.all.where { $0.year == nil }.count(in: tx), 1)
            }
            let ann = Shop.employees[0]
            try shop.write { tx in
                try ann.reports.replace(with: [Shop.employees[2], Shop.employees[3]], in: tx)
                try expectEqual(try ann.reports.all.fetch(in: tx).map(\.id), [3, 4])
                try expectEqual(try tx.find(Employee.self, 2)?.manager, nil)
                try ann.reports.removeAll(in: tx)
                try expectEqual(try ann.reports.all.count(in: tx) == 0, true)
            }
        },
        ConformanceCase("linking.deletion", in: .linking, "links go with either of their records") { trial in
            let shop = try Shop(trial)
            try shop.write { tx in
                try tx.delete(Song.self, 2)
                try expectEqual(try Shop.playlists[0].songs.all.fetch(in: tx).map(\.id), [1, 5])
                try expectEqual(try Shop.playlists[3].songs.all.fetch(in: tx).map(\.id), [6])
                try tx.delete(Playlist.self, 1)
                try expectEqual(try tx.count(PlaylistSong.all), 2)
                try expectEqual(try tx.exists(Song.self, 1), true)
            }
        },
    ]
}
