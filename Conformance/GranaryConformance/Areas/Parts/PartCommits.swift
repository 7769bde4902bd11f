import ConformanceKit
import Foundation
import GranaryCore
import GranaryPlatform

var partCommitCases: [ConformanceCase] {
    [
        half("completed", "a commit that a process has made in one part alone is completed by the next opening"),
        half("exchanged", "a completed commit may exchange unique values, and delete what others referred to"),
        ConformanceCase(
            "parts.behind", in: .parts, "a part that lacks more than one commit is noticed, and nothing is written",
            requires: [.persistence, .changeRecording], modes: [.fresh]
        ) { trial in
            let shop = try PartedShop(trial)
            try await shop.run { try $0.blocking.write(PartedShop.fill) }
            try copyFolder(shop.catalogue, to: shop.catalogue + ".old")
            try await shop.run { stack in
                for number in 1...2 {
                    try stack.blocking.write { tx in
                        try tx.update(Playlist(id: 1, label: "\(number)"))
                        try tx.update(Genre(id: 1, label: "\(number)"))
                    }
                }
            }
            try removeFile(shop.catalogue)
            try copyFolder(shop.catalogue + ".old", to: shop.catalogue)
            let error = try expectError(.corrupt) { try shop.open() }
            try expect(error.message.contains("music"), error.message)
        },
        ConformanceCase(
            "parts.failed", in: .parts,
            "a part that cannot make its commit gets it with the next transaction, and no read sees one without the other",
            requires: [.persistence, .changeRecording], modes: [.fresh]
        ) { trial in
            let shop = try PartedShop(trial)
            let flag = CommitFlag(holds: false, code: .full)
            let stack = try opened(
                PartedShop.schema, store: shop.provider(.readWrite) { flag.failing($0) })
            defer { try? stack.blocking.close() }
            try stack.blocking.write(PartedShop.fill)
            let before = try stack.blocking.read { $0.transactionNumber }
            flag.set()
            let error = try expectError(.commitOutcomeUnknown) {
                try stack.blocking.write { tx in
                    try tx.insert(Playlist(id: 9, label: "both"))
                    try tx.insert(Genre(id: 9, label: "both"))
                }
            }
            try expect(error.message.contains("music"), error.message)
            try stack.blocking.write { try $0.insert(Playlist(id: 10, label: "next")) }
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.find(Playlist.self, 9)?.label, "both")
                try expectEqual(try snapshot.find(Genre.self, 9)?.label, "both")
                try expectEqual(snapshot.transactionNumber, before + 2)
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        parted("first-fails", "if the first part cannot commit, no part has anything") { shop, _ in
            // The wrapped part is the second; a commit of it alone fails as that of one store.
            let flag = CommitFlag(holds: false, code: .full)
            let stack = try opened(PartedShop.schema, store: shop.provider(.readWrite) { flag.failing($0) })
            defer { try? stack.blocking.close() }
            flag.set()
            try expectError(.full) { try stack.blocking.write { try $0.insert(Genre(id: 9, label: "x")) } }
            try expectEqual(try stack.blocking.read { try $0.find(Genre.self, 9) }, nil)
            try stack.blocking.write { try $0.insert(Genre(id: 9, label: "x")) }
            try expectEqual(try stack.blocking.read { try $0.find(Genre.self, 9)?.label }, "x")
        },
        parted("two-stacks", "two stacks over the same parts take turns, and see each other's commits") { shop, stack in
            let other = try shop.open()
            defer { try? other.blocking.close() }
            let writers = [stack, other].enumerated().map { number, stack in
                Worker("writer \(number)") {
                    for round in 0..<50 {
                        try stack.blocking.write { tx in
                            let id = Int64(1000 + number * 100 + round)
                            try tx.insert(Writer(id: id, name: "\(id)"))
                            try tx.insert(Article(id: id, title: "\(id)", writer: id))
                        }
                    }
                }
            }
            for writer in writers { try writer.value() }
            for stack in [stack, other] {
                try expectEqual(
                    try stack.blocking.read { try $0.count(Article.where { $0.writer.id >= 1000 }) }, 100)
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        parted("changes", "observers get one set of changes for a commit of both parts") { shop, stack in
            let following = Following(stack.changes, on: shop.trial)
            // Nothing is missed that is committed after the first value was asked for.
            try stack.blocking.write { try $0.insert(Playlist(id: 50, label: "begin")) }
            try following.wait("the beginning") { !$0.isEmpty }
            try stack.blocking.write(as: "both") { tx in
                try tx.insert(Genre(id: 50, label: "x"))
                try tx.update(Playlist(id: 50, label: "x"))
            }
            let all = try following.wait("both") { $0.last?.origin.name == "both" }
            let names = (all.last?.changes ?? []).map { stack.schema.entities[$0.entity].name }
            try expectEqual(Set(names), ["Genre", "Playlist"])
            following.cancel()
        },
    ]
}

/// A case in which one part has a commit that the other lacks: as if the process had ended between the two.
private func half(_ id: String, _ summary: String) -> ConformanceCase {
    ConformanceCase(
        "parts.\(id)", in: .parts, summary, requires: [.persistence, .changeRecording], modes: [.fresh]
    ) { trial in
        let shop = try PartedShop(trial)
        try await shop.run { stack in
            try stack.blocking.write { tx in
                try PartedShop.fill(tx)
                try tx.insert(Counter(id: 5, label: "five"))
                try tx.insert(Counter(id: 6, label: "six"))
            }
        }
        try copyFolder(shop.catalogue, to: shop.catalogue + ".old")
        var number: UInt64 = 0
        try await shop.run { stack in
            try stack.blocking.write { tx in
                try tx.update(Playlist(id: 1, label: "changed"))
                try tx.update(Genre(id: 1, label: "changed"))
                try tx.insert(Genre(id: 3, label: "new"))
                try tx.update(Artist(id: 1, label: "Jimi", genre: Ref(3)))
                _ = try tx.delete(Artist.self, 2)
                if id == "exchanged" {
                    try tx.update([Counter(id: 5, label: "six"), Counter(id: 6, label: "five")])
                    _ = try tx.delete(Genre.self, 1)
                }
            }
            number = try stack.blocking.read { $0.transactionNumber }
        }
        try removeFile(shop.catalogue)
        try copyFolder(shop.catalogue + ".old", to: shop.catalogue)
        try await shop.run { stack in
            try stack.blocking.read { snapshot in
                try expectEqual(snapshot.transactionNumber, number)
                try expectEqual(try snapshot.find(Playlist.self, 1)?.label, "changed")
                try expectEqual(try snapshot.find(Genre.self, 1)?.label, id == "exchanged" ? nil : "changed")
                try expectEqual(try snapshot.find(Artist.self, 1)?.genre?.key, 3)
                try expectEqual(try snapshot.find(Artist.self, 2), nil)
                try expectEqual(try snapshot.fetch(Song.all).map(\.id), [1, 2])
                try expectEqual(try snapshot.fetch(PlaylistSong.all).map(\.id), [1])
                let labels = id == "exchanged" ? ["six", "five"] : ["five", "six"]
                try expectEqual(try snapshot.fetch(Counter.sorted(by: \.id)).map(\.label), labels)
            }
            try expectEqual(try stack.blocking.verify(), [])
            try expectEqual(try stack.blocking.write { try $0.insert(Counter(label: "next")).id }, 7)
        }
    }
}

/// Copies a folder with all that is in it, as a backup does.
func copyFolder(_ from: String, to: String) throws {
    try FileManager.default.copyItem(atPath: from, toPath: to)
}
