import ConformanceKit
import GranaryCore

var partRuleCases: [ConformanceCase] {
    [
        parted("references", "a reference to no record of the other part is refused, however it is written") {
            _, stack in
            try stack.blocking.write { tx in
                func refused(_ body: () throws -> Void) throws {
                    try expectError(.danglingReference, entity: "Article", attributes: ["writer"], body)
                }
                try refused { try tx.insert(Article(id: 9, title: "x", writer: 77)) }
                try refused { try tx.update(Article(id: 1, title: "x", writer: 77)) }
                try refused { try tx.upsert(Article(id: 1, title: "x", writer: 77)) }
                try refused { try tx.upsert(Article(id: 9, title: "x", writer: 77)) }
                try refused {
                    _ = try Article.where { $0.id == 1 }.updateAll(in: tx) { $0.set(\.writer, to: Ref(77)) }
                }
                try expectEqual(
                    try Article.where { $0.id == 99 }.updateAll(in: tx) { $0.set(\.writer, to: Ref(77)) }, 0)
                try expectError(.recordNotFound) { try tx.update(Article(id: 99, title: "x", writer: 77)) }
                try expectEqual(try tx.fetch(Article.all).map(\.writer?.key), [2, 1, nil])
            }
        },
        parted("other-errors", "another error of the same record comes first, as in one store") { _, stack in
            try stack.blocking.write { tx in
                try expectError(.uniqueness, entity: "Article") {
                    try tx.insert(Article(id: 1, title: "x", writer: 77))
                }
                try expectError(.danglingReference, entity: "Box", attributes: ["shelf"]) {
                    try tx.insert(Box(id: 9, shelf: Ref(99), owner: Ref(99)))
                }
                try expectError(.danglingReference, entity: "Box", attributes: ["owner"]) {
                    try tx.insert(Box(id: 9, shelf: Ref(1), owner: Ref(99)))
                }
            }
        },
        parted(
            "deferred", "records that refer to each other over parts are written in any order, and checked at the end"
        ) {
            _, stack in
            try stack.blocking.write { tx in
                try tx.deferringReferences {
                    try tx.insert(Article(id: 9, title: "x", writer: 9))
                    try tx.insert(Writer(id: 9, name: "Late"))
                }
                try expectError(.danglingReference, entity: "Article", attributes: ["writer"]) {
                    try tx.deferringReferences {
                        try tx.insert(Article(id: 10, title: "x", writer: 10))
                        try tx.insert(Writer(id: 11, name: "Other"))
                    }
                }
                try expectEqual(try tx.find(Article.self, 10), nil)
                try expectEqual(try tx.find(Writer.self, 11), nil)
                try expectError(.danglingReference) { try tx.insert(Article(id: 10, title: "x", writer: 10)) }
            }
            try expectEqual(
                try stack.blocking.read { try $0.fetch(Article.where { $0.writer.name == "Late" }).map(\.id) }, [9])
        },
        parted("cascades", "a deletion follows its rules through one part into the other") { _, stack in
            try stack.blocking.write { tx in _ = try tx.delete(Artist.self, 2) }
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Album.all).map(\.id), [1])
                try expectEqual(try snapshot.fetch(Song.all).map(\.id), [1, 2])
                try expectEqual(try snapshot.fetch(PlaylistSong.all).map(\.id), [1])
                try expectEqual(try snapshot.count(Playlist.all), 2)
            }
            try stack.blocking.write { tx in
                try expectEqual(try tx.delete(Writer.self, 1), true)
                try expectEqual(try tx.delete(Writer.self, 1), false)
            }
            try expectEqual(try stack.blocking.read { try $0.fetch(Article.all).map(\.id) }, [1, 3])
            try expectEqual(try stack.blocking.verify(), [])
        },
        parted("nullified", "a reference from the other part becomes nil when its record is deleted") { _, stack in
            try stack.blocking.write { tx in
                try tx.update(Box(id: 2, shelf: Ref(2), spare: Ref(2)))
                try tx.insert(Shelf(id: 3))
                try tx.update(Box(id: 1, shelf: Ref(1), spare: Ref(3)))
                _ = try tx.delete(Shelf.self, 3)
                try expectEqual(try tx.find(Box.self, 1)?.spare, nil)
                try expectEqual(try tx.find(Box.self, 2)?.spare?.key, 2)
            }
        },
        parted("denied", "a record that one of the other part needs is not deleted, and nothing else is") { _, stack in
            try stack.blocking.write { tx in
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    _ = try tx.delete(Shelf.self, 1)
                }
                try expectError(.deniedDeletion, entity: "Box", attributes: ["shelf"]) {
                    _ = try Shelf.all.deleteAll(in: tx)
                }
                try expectEqual(try tx.count(Shelf.all), 2)
                try expectEqual(try tx.find(Box.self, 2)?.spare?.key, 1)
                _ = try Box.all.deleteAll(in: tx)
                try expectEqual(try Shelf.all.deleteAll(in: tx), 2)
            }
        },
        parted("loose", "a reference with the rule noAction may lead to nothing in the other part") { _, stack in
            try stack.blocking.write { tx in
                try tx.insert(Box(id: 5, shelf: Ref(1), loose: Ref(99)))
                try tx.update(Box(id: 2, shelf: Ref(2), loose: Ref(1)))
                try tx.update(Box(id: 1, shelf: Ref(2)))
                try tx.update(Box(id: 5, shelf: Ref(2), loose: Ref(99)))
                _ = try tx.delete(Shelf.self, 1)
                try expectEqual(try tx.find(Box.self, 2)?.loose?.key, 1)
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        parted("many", "a deletion of many records of both parts, as a whole") { _, stack in
            try stack.blocking.write { tx in
                try tx.insert((100..<2600).map { Writer(id: $0, name: "w\($0)") })
                try tx.insert((100..<2600).map { Article(id: $0, title: "a", writer: $0) })
            }
            try stack.blocking.write { tx in
                try expectEqual(try Writer.where { $0.id >= 100 }.deleteAll(in: tx), 2500)
                try expectEqual(try tx.count(Article.all), 3)
            }
        },
    ]
}
