import ConformanceKit
import ConformanceModels
import GranaryCore

var linkingByNameCases: [ConformanceCase] {
    [
        ConformanceCase(
            "linking.other-records", in: .linking, "a record by names that is of another entity is not related"
        ) { trial in
            let shop = try Shop(trial)
            let relationship = Playlist.relationships[0].relationship
            let songs = RelatedRecords<DynamicRecord, DynamicRecord>(of: .integer(1), relationship)
            try shop.write { tx in
                let artist = try present(try tx.find("Artist", 4))
                for verb: () throws -> Void in [
                    { try songs.add(artist, in: tx) }, { try songs.remove(artist, in: tx) },
                    { try songs.replace(with: [artist], in: tx) }, { try songs.insert(artist, at: 0, in: tx) },
                    { _ = try songs.contains(artist, in: tx) },
                ] {
                    try expectError(.typeMismatch, entity: "Artist") { try verb() }
                }
                try expectError(.typeMismatch, entity: "Song", attributes: ["id"]) {
                    try songs.contains(key: .string("4"), in: tx)
                }
                let song = try present(try tx.find("Song", 4))
                try songs.add(song, in: tx)
                try expectEqual(try songs.contains(song, in: tx), true)
                try expectEqual(
                    try songs.all(in: tx.schema).fetch(in: tx).map(\.key),
                    [.integer(1), .integer(2), .integer(5), .integer(4)])
            }
        },
        ConformanceCase(
            "linking.without-types", in: .linking, "records of a schema without types are linked from both sides"
        ) { trial in
            func entity(_ name: String, _ key: AttributeType) -> Entity {
                Entity(name, key: "name", attributes: [Attribute("name", key)])
            }
            let schema = Schema(entities: [entity("Tag", .string), entity("Note", .int64)])
                .linking("Note", "tags", to: "Tag", inverse: "notes", ordered: true, onDelete: .deny)
            let stack = try trial.open(schema)
            let (a, c) = (StoredValue.string("a"), StoredValue.string("c"))
            try stack.blocking.write { tx in
                for name in ["c", "a"] {
                    var tag = try DynamicRecord("Tag", in: schema)
                    try tag.set("name", to: name)
                    try tx.insert(tag)
                }
                var first = try DynamicRecord("Note", in: schema)
                try first.set("name", to: 1)
                try tx.insert(first)
                let note = try present(try tx.find("Note", 1))
                for key in [c, a] {
                    try note.related("tags").add(try present(try tx.find("Tag", key)), in: tx)
                }
            }
            try stack.blocking.write { tx in
                let (note, tag) = (
                    try present(try tx.find("Note", 1)), try present(try tx.find("Tag", a))
                )
                try expectEqual(try note.related("tags").all(in: schema).fetch(in: tx).map(\.key), [c, a])
                try expectEqual(try tag.related("notes").all(in: schema).fetch(in: tx).map(\.key), [.integer(1)])
                try expectError(.deniedDeletion, entity: "Note", attributes: ["tags"]) { try tx.delete(note) }
                try tx.delete(tag)
                try expectEqual(try note.related("tags").all(in: schema).fetch(in: tx).map(\.key), [c])
            }
        },
        ConformanceCase(
            "linking.order-narrowed", in: .linking, "linked records of which a condition holds keep the owner's order"
        ) { trial in
            let shop = try Shop(trial)
            let songs = RelatedRecords<Playlist, Song>(of: 1, Playlist.relationships[0].relationship)
            try shop.write { tx in
                try songs.add(keys: [6, 3, 6, 1], in: tx)
                try songs.move(from: 2, to: 0, in: tx)
            }
            try shop.read { snapshot in
                try expectEqual(try songs.all.fetch(in: snapshot).map(\.id), [5, 1, 2, 6, 3])
                try expectEqual(try songs.all.where { $0.id != 1 }.fetch(in: snapshot).map(\.id), [5, 2, 6, 3])
                try expectEqual(
                    try songs.all.where { $0.album.title == "Gamma" }.fetch(in: snapshot).map(\.id), [5, 6])
                try expectEqual(try songs.all.where { $0.id > 99 }.fetch(in: snapshot).map(\.id), [])
            }
        },
        ConformanceCase(
            "linking.other-side", in: .linking, "what is linked from the side without an order comes last in the order"
        ) { trial in
            let shop = try Shop(trial)
            let playlists = RelatedRecords<Song, Playlist>(of: 3, Song.relationships[0].relationship)
            func songs(_ key: Int64, in context: ReadContext) throws -> [Int64] {
                try RelatedRecords<Playlist, Song>(of: key, Playlist.relationships[0].relationship).all.fetch(
                    in: context
                )
                .map(\.id)
            }
            try shop.write { tx in
                try playlists.add(keys: [1, 2], in: tx)
                try expectEqual(try songs(1, in: tx), [1, 2, 5, 3])
                try expectEqual(try songs(2, in: tx), [3])
                try expectEqual(try playlists.all.fetch(in: tx).map(\.id), [1, 2])
                try playlists.remove(keys: [1, 3], in: tx)
                try expectEqual(try songs(1, in: tx), [1, 2, 5])
                try playlists.replace(with: [Shop.playlists[3], Shop.playlists[2]], in: tx)
                try expectEqual(try songs(4, in: tx), [6, 2, 3])
                try expectEqual(try songs(3, in: tx), [3])
                try expectEqual(try songs(2, in: tx), [])
                try expectError(.danglingReference, entity: "Playlist", attributes: ["songs"]) {
                    try playlists.add(keys: [77], in: tx)
                }
                try playlists.removeAll(in: tx)
                try expectEqual(try songs(4, in: tx), [6, 2])
            }
        },
        ConformanceCase(
            "linking.by-name", in: .linking, "an ordered many-to-many relationship is read and changed by names"
        ) { trial in
            let shop = try Shop(trial)
            func keys(_ keys: [Int64]) -> [StoredValue] { keys.map { .integer($0) } }
            try shop.write { tx in
                guard let mix = try tx.find("Playlist", 1 as Int64) else {
                    throw ConformanceFailure(message: "no playlist", file: #fileID, line: #line)
                }
                let songs = try mix.related("songs")
                let typed = RelatedRecords<Playlist, Song>(of: 1, Playlist.relationships[0].relationship)
                func expectSongs(_ wanted: [Int64], line: Int = #line) throws {
                    try expectEqual(try songs.all(in: tx.schema).fetch(in: tx).map(\.key), keys(wanted), line: line)
                    try expectEqual(try typed.all.fetch(in: tx).map(\.id), wanted, line: line)
                    try expectEqual(try songs.all(in: tx.schema).count(in: tx), wanted.count, line: line)
                    try expectEqual(try songs.all(in: tx.schema).count(in: tx) == 0, wanted.isEmpty, line: line)
                }
                try expectSongs([1, 2, 5])
                try songs.add(keys: keys([6, 2, 4]), in: tx)
                try expectSongs([1, 2, 5, 6, 4])
                try songs.move(from: 4, to: 0, in: tx)
                try expectSongs([4, 1, 2, 5, 6])
                try songs.insert(key: .integer(3), at: 2, in: tx)
                try expectSongs([4, 1, 3, 2, 5, 6])
                let narrowed = try songs.all(in: tx.schema).where(.compare("album.title", .equal, .string("Alpha")))
                    .fetch(in: tx)
                try expectEqual(narrowed.map(\.key), keys([1, 3, 2]))
                try expectEqual(try songs.contains(key: .integer(3), in: tx), true)
                try songs.remove(keys: keys([1, 3, 5]), in: tx)
                try expectEqual(try songs.contains(key: .integer(3), in: tx), false)
                try expectSongs([4, 2, 6])
                try songs.replace(withKeys: keys([6, 1, 6, 4]), in: tx)
                try expectSongs([6, 1, 4])
                try expectError(.danglingReference, entity: "Playlist", attributes: ["songs"]) {
                    try songs.add(keys: keys([3, 77]), in: tx)
                }
                try expectError(.typeMismatch) { try songs.add(keys: [.string("3")], in: tx) }
                try expectError(.required) { try songs.add(keys: [.null], in: tx) }
                try expectError(.invalidQuery) { try songs.move(from: 3, to: 0, in: tx) }
                try expectError(.unknownAttribute, entity: "Playlist") { try mix.related("song").owner }
                try expectSongs([6, 1, 4])
                try songs.removeAll(in: tx)
                try expectSongs([])
            }
        },
        ConformanceCase("linking.to-many-by-name", in: .linking, "a to-many relationship is read and changed by names")
        {
            trial in
            let shop = try Shop(trial)
            try shop.write { tx in
                guard let bo = try tx.find("Artist", 2 as Int64), let ann = try tx.find("Employee", 1 as Int64) else {
                    throw ConformanceFailure(message: "not there", file: #fileID, line: #line)
                }
                let albums = try bo.related("albums")
                try albums.add(keys: [.integer(1), .integer(3)], in: tx)
                try expectEqual(try albums.all(in: tx.schema).fetch(in: tx).map(\.key), [.integer(1), .integer(3)])
                try expectEqual(try tx.find(Album.self, 1)?.artist, Ref(2))
                let dated = try albums.all(in: tx.schema).where(.compare("year", .less, .integer(1960)))
                try expectEqual(try tx.fetch(dated).map(\.key), [.integer(3)])
                try expectEqual(try albums.contains(key: .integer(2), in: tx), false)
                try expectError(.recordNotFound, entity: "Album", attributes: ["id"]) {
                    try albums.add(keys: [.integer(77)], in: tx)
                }
                try expectError(.required, entity: "Album", attributes: ["artist"]) { try albums.removeAll(in: tx) }
                let reports = try ann.related("reports")
                try expectError(.invalidQuery) { try reports.move(from: 0, to: 1, in: tx) }
                try reports.replace(withKeys: [.integer(3), .integer(4)], in: tx)
                try expectEqual(try reports.all(in: tx.schema).fetch(in: tx).map(\.key), [.integer(3), .integer(4)])
                try expectEqual(try tx.find(Employee.self, 2)?.manager, nil)
                try reports.removeAll(in: tx)
                try expectEqual(try reports.all(in: tx.schema).count(in: tx) == 0, true)
                try reports.removeAll(in: tx)
            }
        },
    ]
}
