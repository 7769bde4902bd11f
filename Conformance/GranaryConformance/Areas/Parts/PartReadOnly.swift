import ConformanceKit
import GranaryCore

var partReadOnlyCases: [ConformanceCase] {
    [
        catalogue("read-only", "a catalogue that is only read stays as it is, beside records that are written") {
            shop in
            try await shop.run(.readOnly) { stack in
                try stack.blocking.write { tx in
                    try tx.insert(Playlist(id: 1, label: "own"))
                    try tx.insert(PlaylistSong(id: 1, source: Ref(1), target: Ref(1), position: 0))
                    try expectError(.danglingReference) {
                        try tx.insert(PlaylistSong(id: 2, source: Ref(1), target: Ref(99), position: 1))
                    }
                    func refused(_ body: () throws -> Void) throws {
                        let error = try expectError(.readOnly, body)
                        try expect(error.message.contains("music"), error.message)
                    }
                    try refused { try tx.insert(Genre(id: 9, label: "x")) }
                    try refused { try tx.update(Genre(id: 1, label: "x")) }
                    try refused { _ = try tx.delete(Genre.self, 1) }
                    try refused { _ = try Genre.all.deleteAll(in: tx) }
                    try refused { _ = try Song.all.updateAll(in: tx) { $0.set(\.seconds, to: 1) } }
                }
                try stack.blocking.read { snapshot in
                    try expectEqual(
                        try snapshot.fetch(Playlist.where { $0.songs.contains { $0.title == "Fire" } }).map(\.id), [1])
                }
                try expectEqual(try stack.blocking.verify(), [])
            }
            let alone = try shop.openCatalogue()
            try expectEqual(try alone.blocking.read { try $0.fetch(Genre.all).map(\.label) }, ["Rock"])
        },
        catalogue("replaced", "a newer catalogue takes the place of the old one, and what refers to it finds it") {
            shop in
            try await shop.run(.readOnly) { stack in
                try stack.blocking.write { tx in
                    try tx.insert(Playlist(id: 1, label: "own"))
                    try tx.insert(PlaylistSong(id: 1, source: Ref(1), target: Ref(1), position: 0))
                }
            }
            let alone = try shop.openCatalogue()
            try alone.blocking.write { tx in
                try tx.update(Song(id: 1, title: "Fire, remastered", album: Ref(1)))
                try tx.insert(Song(id: 2, title: "Sky", album: Ref(1)))
            }
            try alone.blocking.close()
            try await shop.run(.readOnly) { stack in
                try expectEqual(
                    try stack.blocking.read { snapshot in
                        try snapshot.fetch(PlaylistSong.where { $0.target.title == "Fire, remastered" }).map(\.id)
                    }, [1])
            }
        },
        ConformanceCase(
            "parts.rules-into-read-only", in: .parts,
            "a rule that would have to change a part that is only read is refused at the opening",
            requires: [.persistence, .readOnlyOpening, .changeRecording], modes: [.fresh]
        ) { trial in
            _ = try PartedShop(trial)
            let first = trial.subject.provider(trial.storePath, .readWrite)
            let place = trial.folder + "/Boxes.granary"
            let schema = Schema(Shelf.self, Person.self, Box.self)
            let whole = try opened(
                schema, store: .parts(first, Part("boxes", Box.self, in: trial.subject.provider(place, .readWrite))))
            try whole.blocking.close()
            let error = try expectError(.invalidSchema, entity: "Box", attributes: ["spare"]) {
                try opened(
                    schema, store: .parts(first, Part("boxes", Box.self, in: trial.subject.provider(place, .readOnly))))
            }
            try expect(error.message.contains("boxes"), error.message)
        },
        catalogue("older", "a catalogue of other record types is refused, and no part is changed") { shop in
            try await shop.run(.readOnly) { stack in
                _ = try stack.blocking.write { try $0.insert(Playlist(id: 1, label: "own")) }
            }
            var entities = PartedShop.schema.entities
            for position in entities.indices where ["Genre", "Playlist"].contains(entities[position].name) {
                entities[position].attributes.append(Attribute("note", String?.self))
            }
            try expectError(.schemaMismatch) {
                try opened(Schema(entities: entities), store: shop.provider(.readOnly))
            }
            try await shop.run(.readOnly) { stack in
                try expectEqual(try stack.blocking.read { try $0.count(Playlist.all) }, 1)
            }
        },
        catalogue("catalogue-missing", "a catalogue that is not there is said to be missing, and nothing is made") {
            shop in
            try await shop.run(.readOnly) { _ in }
            try removeFile(shop.catalogue)
            try expectError(.notAStore) { try shop.open(.readOnly) }
            try shop.trial.expectNoStore(at: shop.catalogue)
        },
    ]
}

/// A case with a catalogue that was made by a stack of its own.
private func catalogue(
    _ id: String, _ summary: String, _ body: @escaping @Sendable (PartedShop) async throws -> Void
) -> ConformanceCase {
    ConformanceCase(
        "parts.\(id)", in: .parts, summary, requires: [.persistence, .readOnlyOpening, .changeRecording],
        modes: [.fresh]
    ) { trial in
        let shop = try PartedShop(trial)
        let alone = try shop.openCatalogue()
        try alone.blocking.write { tx in
            try tx.insert(Genre(id: 1, label: "Rock"))
            try tx.insert(Artist(id: 1, label: "Jimi", genre: Ref(1)))
            try tx.insert(Album(id: 1, title: "Electric", artist: Ref(1)))
            try tx.insert(Song(id: 1, title: "Fire", album: Ref(1), seconds: 200))
        }
        try alone.blocking.close()
        try await body(shop)
    }
}
