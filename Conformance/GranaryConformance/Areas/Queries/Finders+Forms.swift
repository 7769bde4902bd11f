import ConformanceKit
import ConformanceModels
import GranaryCore

// The same question in the order of reading, with the context at its end.

var findersFormsCases: [ConformanceCase] {
    [
        ConformanceCase("finders.where", in: .finders, "finders on the type take a condition") { trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                try expectEqual(try Song.all.last(in: snapshot)?.id, 6)
                try expectEqual(try Song.sorted(by: "-seconds,title").last(in: snapshot)?.id, 6)
                try expectEqual(try Song.all.exists(in: snapshot), true)
                try expectEqual(try Tag.all.exists(in: snapshot), false)
                try expectEqual(try Song.where { $0.seconds == 100 }.fetch(in: snapshot).map(\.id), [1, 4])
                try expectEqual(try Song.where { $0.seconds == 100 }.first(in: snapshot)?.id, 1)
                try expectEqual(try Song.where { $0.seconds == 100 }.last(in: snapshot)?.id, 4)
                try expectEqual(try Song.where { $0.id > 99 }.first(in: snapshot)?.id, nil)
                try expectEqual(try Song.where { $0.seconds > 100 }.count(in: snapshot), 2)
                try expectEqual(try Song.where { $0.seconds > 300 }.exists(in: snapshot), false)
                let isLong: Condition<Song> = Song.fields.seconds > 100
                try expectEqual(try Song.where(isLong).fetch(in: snapshot).map(\.id), [2, 5])
            }
            try shop.write { tx in
                try expectEqual(try PlaylistSong.where { $0.source == Ref(1) }.deleteAll(in: tx), 3)
                try expectEqual(try PlaylistSong.count(in: tx), 3)
            }
        },
        ConformanceCase(
            "finders.reading-order", in: .finders, "queries of every kind are asked of a context at their end"
        ) {
            trial in
            let shop = try Shop(trial)
            try shop.read { snapshot in
                let titles = Song.where { $0.seconds == 100 }.select { $0.title }
                try expectEqual(try titles.fetch(in: snapshot), ["Able", "Dawn"])
                try expectEqual(try titles.first(in: snapshot), "Able")
                try expectEqual(try titles.count(in: snapshot), 2)
                try expectEqual(try Song.all.select(\.seconds).distinct().count(in: snapshot), 4)
                let grouped = Song.all.grouped(by: { $0.album.title }).select { ($0.album.title, $0.id.count) }
                try expectEqual(
                    try grouped.fetch(in: snapshot).map { "\($0.0): \($0.1)" }, ["Alpha: 3", "Beta: 1", "Gamma: 2"])
                let pairs = try Song.where { $0.id > 4 }.with({ $0.album }, { $0.genre }).fetch(in: snapshot)
                try expectEqual(pairs.map { $0.1.title }, ["Gamma", "Gamma"])
                try expectEqual(pairs.map { $0.2?.label }, ["Jazz", nil])
                try expectEqual(try Song.all.sum(\.seconds, in: snapshot), 700)
                try expectEqual(try Song.all.average(\.seconds, in: snapshot), 175)
                try expectEqual(try Song.all.minimum(\.title, in: snapshot), "Able")
                try expectEqual(try Song.where { $0.id > 99 }.maximum(\.title, in: snapshot), nil)
                try expectEqual(try Shop.songs[0].album.fetch(in: snapshot)?.title, "Alpha")
                try expectEqual(try Shop.songs[3].genre?.fetch(in: snapshot)?.label, nil)
                try expectEqual(try Ref<Artist>(99).fetch(in: snapshot), nil)
            }
            try shop.write { tx in
                try expectEqual(try Song.where { $0.seconds == nil }.updateAll(in: tx) { $0.set(\.seconds, to: 7) }, 2)
                try expectEqual(try Song.where { $0.seconds == 7 }.count(in: tx), 2)
            }
        },
        ConformanceCase("finders.text-lists", in: .finders, "arrays and sets are arguments of a text as values are") {
            trial in
            let shop = try Shop(trial)
            let ids: [Int64] = [5, 2, 99]
            let titles: Set<String> = ["Fog", "Able"]
            try shop.read { snapshot in
                func keys(_ query: Query<Song>) throws -> [Int64] { try query.fetch(in: snapshot).map(\.id) }
                try expectEqual(try keys(Song.where("id IN %@", ids)), [2, 5])
                try expectEqual(try keys(Song.where("id IN %@", [1, 2, 3])), [1, 2, 3])
                try expectEqual(try keys(Song.where("title IN %@ AND id < %@", titles, 3)), [1])
                try expectEqual(
                    try keys(Song.where("seconds BETWEEN %@", [100, 200]).where("id IN $ids", named: ["ids": ids])), [2]
                )
                try expectEqual(try keys(Song.where("seconds IN %@", [100, nil] as [Int64?])), [1, 3, 4, 6])
                try expectEqual(
                    try keys(Song.where("%K IN %@", QueryArgument.attribute("title"), ["Echo"])), [5])
                let dynamic = Request("Song")
                try expectEqual(
                    try snapshot.fetch(dynamic.where("id IN %@ OR title == %@", ids, "Fog")).map(\.key),
                    [.integer(2), .integer(5), .integer(6)])
                try expectEqual(try snapshot.count(dynamic.where("id IN $ids", named: ["ids": ids])), 2)
                try expectEqual(
                    try snapshot.count(dynamic.where("%K > 1", arguments: [.attribute("id")]).where("id < 4")), 2)
                try expectError(.invalidQuery) { try Song.where("id == %@", ids).limit }
            }
        },
        ConformanceCase(
            "finders.names-at-once", in: .finders, "records without types are found, counted and cut by names"
        ) {
            trial in
            let shop = try Shop(trial)
            let songs = Request("Song")
            try shop.read { snapshot in
                let wanted: [StoredValue] = [.integer(5), .integer(99), .integer(2)]
                try expectEqual(try snapshot.find("Song", wanted).map(\.key), [.integer(5), .integer(2)])
                try expectEqual(
                    try snapshot.find("Song", [5, 99, 2] as [Int64]).map(\.key), [.integer(5), .integer(2)])
                try expectEqual(try snapshot.exists("Song", 5), true)
                try expectEqual(try snapshot.exists("Song", 99 as Int64), false)
                try expectError(.unknownEntity, entity: "Nothing") { try snapshot.exists("Nothing", 5) }
                try expectEqual(try songs.sum(of: "seconds", in: snapshot), .integer(700))
                try expectEqual(try songs.average(of: "seconds", in: snapshot), .real(175))
                try expectEqual(try songs.minimum(of: "seconds * 2", in: snapshot), .integer(200))
                try expectEqual(
                    try songs.where("id < 5").maximum(of: "album.artist.label", in: snapshot), .string("Ada"))
                try expectEqual(try songs.where("id > 99").maximum(of: .attribute("title"), in: snapshot), .null)
                try expectError(.typeMismatch) { try songs.sum(of: "title", in: snapshot) }
                func keys(_ query: Query<DynamicRecord>) throws -> [Int64] {
                    try snapshot.fetch(query).map { try $0.value("id") }
                }
                let reversed = songs.reversed()
                try expectEqual(try keys(reversed), [6, 5, 4, 3, 2, 1])
                try expectEqual(try keys(reversed.reversed()), [1, 2, 3, 4, 5, 6])
                try expectEqual(try keys(reversed.limit(2).offset(1)), [5, 4])
                try expectEqual(try keys(songs.sorted(by: "seconds").reversed()), [5, 2, 4, 1, 6, 3])
                try expectEqual(try reversed.last(in: snapshot)?.key, .integer(1))
                try expectEqual(try keys(Request(recordsOf: Song.all.reversed().untyped)), try keys(reversed))
                var found: [Int64] = []
                var position: PagePosition?
                repeat {
                    let page = try reversed.page(in: snapshot, after: position, size: 4)
                    found += try page.records.map { try $0.value("id") }
                    position = page.hasMore ? page.end : nil
                } while position != nil
                try expectEqual(found, [6, 5, 4, 3, 2, 1])
            }
        },
        ConformanceCase(
            "finders.many-by-name", in: .finders,
            "many records without types are written in one call, in any order, all or none"
        ) { trial in
            try Shop(trial).write { tx in
                func employee(_ id: Int64, manager: Int64?) throws -> DynamicRecord {
                    var record = try DynamicRecord("Employee", in: tx.schema)
                    try record.set("id", to: id)
                    try record.set("label", to: "\(id)")
                    try record.set("manager", to: manager)
                    return record
                }
                let pair = [try employee(11, manager: 12), try employee(12, manager: 11)]
                try expectEqual(try tx.insert(pair).map(\.key), [.integer(11), .integer(12)])
                try expectEqual(try tx.find(Employee.self, 11)?.manager, Ref(12))
                try expectError(.danglingReference, entity: "Employee") {
                    try tx.insert([
                        try employee(13, manager: 14), try employee(15, manager: 77), try employee(14, manager: 13),
                    ])
                }
                try expectEqual(try tx.exists("Employee", 13), false)
                var link = try DynamicRecord("Playlist_songs", in: tx.schema)
                try link.set("source", to: 3 as Int64)
                try link.set("target", to: 4 as Int64)
                try link.set("position", to: 0)
                let keys = try tx.insert([link]).map(\.key)
                try expect(keys != [.integer(0)], "no key was assigned")
                try tx.update([try employee(11, manager: nil), try employee(12, manager: nil)])
                try expectError(.recordNotFound, entity: "Employee", attributes: ["id"]) {
                    try tx.update([try employee(11, manager: 12), try employee(16, manager: nil)])
                }
                try expectEqual(try tx.find(Employee.self, 11)?.manager, nil)
                try tx.upsert([try employee(16, manager: 11), try employee(11, manager: 16)])
                try expectEqual(try tx.find(Employee.self, 11)?.manager, Ref(16))
                try tx.update([try employee(11, manager: nil), try employee(16, manager: nil)])
                try expectEqual(try tx.delete("Employee", 12), true)
                try expectEqual(try tx.delete("Employee", 12 as Int64), false)
                try expectEqual(try tx.delete("Employee", [11, 12]), 1)
                try expectEqual(try tx.delete([try employee(16, manager: nil)]), 1)
                try expectError(.typeMismatch, entity: "Employee", attributes: ["id"]) {
                    try tx.delete("Employee", "1")
                }
                try expectEqual(try tx.deleteAll("Playlist", except: [2, 77]), 3)
                try expectEqual(try tx.fetch(Playlist.all).map(\.id), [2])
            }
        },
        ConformanceCase("pages.from-nil", in: .pages, "pages begin after nil, and end before nil") { trial in
            let shop = try Shop(trial)
            let query = Song.sorted(by: \.seconds, .descending)
            try shop.read { snapshot in
                for size in 1...7 {
                    var found: [Int64] = []
                    var position: PagePosition?
                    repeat {
                        let page = try query.page(in: snapshot, after: position, size: size)
                        try expectEqual(
                            try Request(recordsOf: query.untyped).page(in: snapshot, after: position, size: size)
                                .records.map(\.key),
                            page.records.map { .integer($0.id) })
                        found += page.records.map(\.id)
                        position = page.hasMore ? page.end : nil
                    } while position != nil
                    let all = try snapshot.fetch(query).map(\.id)
                    try expectEqual(found, all)
                    let last = try query.page(in: snapshot, before: nil, size: size)
                    try expectEqual(last.records.map(\.id), Array(all.suffix(size)))
                    try expectEqual(last.hasMore, size < 6)
                    try expectEqual(
                        try Request(recordsOf: query.untyped).page(in: snapshot, before: nil, size: size).records.map(
                            \.key),
                        last.records.map { .integer($0.id) })
                }
            }
        },
    ]
}
