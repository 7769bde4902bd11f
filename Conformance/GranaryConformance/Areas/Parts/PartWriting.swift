import ConformanceKit
import GranaryCore
import GranaryImport

var partWritingCases: [ConformanceCase] {
    [
        parted(
            "written", "a transaction writes to both parts, and a stack that is opened later has it all",
            requires: [.reopening]
        ) {
            shop, stack in
            let before = try stack.blocking.read { $0.transactionNumber }
            try stack.blocking.close()
            try await shop.run { again in
                try again.blocking.read { snapshot in
                    try expectEqual(snapshot.transactionNumber, before)
                    try expectEqual(try snapshot.fetch(Genre.all).map(\.label), ["Rock", "Soul"])
                    try expectEqual(try snapshot.find(Playlist.self, 2)?.label, "Sunday")
                    try expectEqual(try snapshot.count(PlaylistSong.all), 3)
                }
                try expectEqual(try again.blocking.verify(), [])
            }
        },
        parted("numbers", "a commit counts once, whether it is of one part, of the other, of both, or of none") {
            _, stack in
            var number = try stack.blocking.read { $0.transactionNumber }
            func expectNext(_ step: UInt64, _ body: (Transaction) throws -> Void) throws {
                try stack.blocking.write(body)
                number += step
                try expectEqual(try stack.blocking.read { $0.transactionNumber }, number)
            }
            try expectNext(1) { try $0.insert(Playlist(id: 5, label: "a")) }
            try expectNext(1) { try $0.insert(Genre(id: 5, label: "a")) }
            try expectNext(1) { tx in
                try tx.insert(Playlist(id: 6, label: "b"))
                try tx.insert(Genre(id: 6, label: "b"))
            }
            try expectNext(0) { _ in }
            try expectNext(0) { tx in
                try tx.update(Playlist(id: 6, label: "b"))
                try tx.update(Genre(id: 6, label: "b"))
            }
            try expectNext(1) { tx in
                _ = try Playlist.where { $0.id > 4 }.deleteAll(in: tx)
                _ = try Genre.where { $0.id > 4 }.deleteAll(in: tx)
            }
        },
        parted("rolled-back", "what a transaction that throws has written is in no part") { _, stack in
            struct Stop: Error {}
            do {
                try stack.blocking.write { tx in
                    try tx.insert(Playlist(id: 9, label: "x"))
                    try tx.insert(Genre(id: 9, label: "x"))
                    throw Stop()
                }
            } catch is Stop {}
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.find(Playlist.self, 9), nil)
                try expectEqual(try snapshot.find(Genre.self, 9), nil)
            }
        },
        parted("savepoints", "a savepoint that is undone is undone in both parts, and one that is kept is kept in both")
        {
            _, stack in
            struct Stop: Error {}
            try stack.blocking.write { tx in
                try tx.savepoint {
                    try tx.insert(Playlist(id: 8, label: "kept"))
                    try tx.insert(Genre(id: 8, label: "kept"))
                }
                do {
                    try tx.savepoint {
                        try tx.insert(Playlist(id: 9, label: "x"))
                        try tx.insert(Genre(id: 9, label: "x"))
                        throw Stop()
                    }
                } catch is Stop {}
                try expectEqual(try tx.find(Playlist.self, 9), nil)
                try expectEqual(try tx.find(Genre.self, 9), nil)
            }
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Playlist.where { $0.id > 2 }).map(\.id), [8])
                try expectEqual(try snapshot.fetch(Genre.where { $0.id > 2 }).map(\.id), [8])
            }
        },
        parted("cursors", "a write to one part ends the cursors of the other") { _, stack in
            try stack.blocking.write { tx in
                _ = try expectError(.cursorInvalidated) {
                    try Genre.all.forEach(in: tx) { _ in _ = try tx.insert(Playlist(id: 20, label: "new")) }
                }
            }
        },
        parted("keys", "keys that a context reserves in a part are not given to a transaction") { shop, stack in
            let context = try stack.makeContext()
            let first = try context.insert(Counter(label: "context"))
            let second = try stack.blocking.write { try $0.insert(Counter(label: "transaction")) }
            try expect(first.id != second.id, "both have the key \(first.id)")
            try context.blocking.save()
            try expectEqual(try stack.blocking.read { try $0.fetch(Counter.all).map(\.id) }.count, 2)
        },
        parted("contexts", "a context has changes of both parts, shows them together, and saves them in one commit") {
            _, stack in
            let context = try stack.makeContext()
            try context.insert(Genre(id: 7, label: "Jazz"))
            try context.insert(Artist(id: 7, label: "Miles", genre: Ref(7)))
            try context.insert(Album(id: 7, title: "Blue", artist: Ref(7)))
            try context.insert(Song(id: 7, title: "So what", album: Ref(7)))
            try context.insert(PlaylistSong(id: 7, source: Ref(2), target: Ref(7), position: 1))
            let found = try context.fetch(PlaylistSong.where { $0.target.album.artist.genre.label == "Jazz" })
            try expectEqual(found.map(\.id), [7])
            let before = try stack.blocking.read { $0.transactionNumber }
            try context.blocking.save()
            try stack.blocking.read { snapshot in
                try expectEqual(snapshot.transactionNumber, before + 1)
                try expectEqual(
                    try snapshot.fetch(PlaylistSong.where { $0.target.album.artist.genre.label == "Jazz" }).map(\.id),
                    [7])
            }
        },
        parted("imported", "one document has records of both parts, which find each other", modes: [.fresh]) {
            _, stack in
            let document =
                #"[{"id": 30, "title": "On cloud", "reads": 1, "tags": [], "writer": {"id": 9, "name": "Cleo"}}]"#
            _ = try stack.blocking.import(.json(.text(document)), as: Article.self)
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Article.where { $0.writer.name == "Cleo" }).map(\.id), [30])
            }
        },
        parted("observed", "what is observed in one part follows a path into the other") { shop, stack in
            let following = Following(
                stack.observe(Article.where { $0.writer.name == "Cleo" }).map { $0.map(\.id) }, on: shop.trial)
            try following.wait("the first") { $0.last == [] }
            try stack.blocking.write { try $0.update(Writer(id: 1, name: "Cleo")) }
            try following.wait("the renaming in the other part") { $0.last == [2] }
            try stack.blocking.write { tx in
                try tx.update(Article(id: 3, title: "No one", writer: 1, reads: 9))
                try tx.update(Writer(id: 2, name: "Dan"))
            }
            try following.wait("a commit of both parts") { $0.last == [2, 3] }
            following.cancel()
        },
        ConformanceCase(
            "parts.history", in: .parts, "the history has what a commit has changed in all parts, as one entry",
            requires: [.history, .changeRecording, .reopening], modes: [.fresh]
        ) { trial in
            let shop = try PartedShop(trial)
            var start: HistoryToken?
            try await shop.run(history: .everything) { stack in
                start = try stack.blocking.read { $0.historyToken }
                try stack.blocking.write(as: "fill", PartedShop.fill)
                try stack.blocking.write(as: "one") { try $0.insert(Genre(id: 9, label: "x")) }
            }
            try await shop.run(history: .everything) { stack in
                guard let start else { throw NotTested(reason: "no token") }
                let entries = try await stack.changes(since: start)
                try expectEqual(entries.map(\.origin.name), ["fill", "one"])
                let names = entries.map { set in
                    Set((set.changes ?? []).map { stack.schema.entities[$0.entity].name })
                }
                try expectEqual(names.last, ["Genre"])
                try expect(names[0].isSuperset(of: ["Genre", "Playlist", "Article", "Writer"]), "\(names[0])")
                try expectEqual(Set(entries.map(\.transactionNumber)).count, 2)
            }
        },
    ]
}
