import ConformanceKit
import GranaryCore
import GranaryImport

// References that wait in a store whose schema changes, or which is copied, before what they name comes.

/// What keeps the pending references of an entity, as `PendingReference` declares it.
private func pending(of owner: String) -> Entity {
    Entity(
        "\(owner)_pending", key: "id", keyGeneration: .assigned,
        attributes: [
            Attribute("id", Int64.self),
            Attribute("owner", .int64, reference: .init(entity: owner, onDelete: .cascade)),
            Attribute("relationship", String.self), Attribute("target", String.self),
            Attribute("names", JSON<[String: StoredValue]>.self), Attribute("previous", JSON<StoredValue>?.self),
            Attribute("place", Int?.self),
        ])
}

private func reference(_ name: String, to entity: String) -> Attribute {
    Attribute(name, .int64, isOptional: true, reference: .init(entity: entity, onDelete: .nullify))
}

private let before = Schema(entities: [
    Entity(
        "Genre", key: "id", attributes: [Attribute("id", Int64.self), Attribute("label", String.self)],
        indexes: [.unique("label")]),
    Entity(
        "Singer", key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("name", String.self), reference("genre", to: "Genre")],
        relationships: [Relationship("songs", entity: "Song", attribute: "singer")]),
    pending(of: "Singer"),
    Entity(
        "Song", key: "id",
        attributes: [Attribute("id", Int64.self), Attribute("title", String.self), reference("singer", to: "Singer")]),
])

/// The same, of which everything has another name.
private let after = Schema(entities: [
    Entity(
        "Style", key: "number",
        attributes: [
            Attribute("number", Int64.self).renamed(from: "id"), Attribute("title", String.self).renamed(from: "label"),
        ], indexes: [.unique("title")]
    ).renamed(from: "Genre"),
    Entity(
        "Artist", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("name", String.self),
            reference("style", to: "Style").renamed(from: "genre"),
        ], relationships: [Relationship("tracks", entity: "Track", attribute: "artist").renamed(from: "songs")]
    ).renamed(from: "Singer"),
    pending(of: "Artist").renamed(from: "Singer_pending"),
    Entity(
        "Track", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self),
            reference("artist", to: "Artist").renamed(from: "singer"),
        ]
    ).renamed(from: "Song"),
])

/// An artist whose genre and of whose songs one have not come.
private func fill(_ tx: Transaction) throws {
    var importer = Importer()
    importer.mapping = ImportMapping().relate("genre", by: "label", missing: .keep).relate("songs", missing: .keep)
    try tx.import([["id": 1, "title": "one"]] as ImportValue, as: "Song")
    let source: ImportValue = [["id": 7, "name": "Sade", "genre": "Soul", "songs": [1, 2]]]
    try expectEqual(try tx.import(source, as: "Singer", with: importer).report.pendingReferences, 2)
}

var importPendingMovedCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.pending-renamed", in: .importing,
            "what waits is connected where entities, attributes and relationships have other names by then",
            requires: [.migration, .persistence], modes: [.fresh]
        ) { trial in
            try trial.open(before)
            try trial.write(fill)
            let stack = try trial.open(after)
            try expectEqual(try trial.read { try $0.count(Request("Artist_pending")) }, 2)
            let styles = try await stack.import([["number": 3, "title": "Soul"]] as ImportValue, as: "Style")
            try expectEqual(styles.connectedReferences, 1)
            let tracks = try await stack.import([["id": 2, "title": "two"]] as ImportValue, as: "Track")
            try expectEqual(tracks.connectedReferences, 1)
            try trial.read { snapshot in
                try expectEqual(try snapshot.find("Artist", 7)?["style"], .integer(3))
                let artists = try snapshot.fetch(Request("Track")).map { $0["artist"] }
                try expectEqual(artists, [.integer(7), .integer(7)])
                try expectEqual(try snapshot.count(Request("Artist_pending")), 0)
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        ConformanceCase(
            "import.pending-said-renamed", in: .importing,
            "what waits is forgotten under its new name when the source says something else",
            requires: [.migration, .persistence], modes: [.fresh]
        ) { trial in
            try trial.open(before)
            try trial.write(fill)
            try trial.open(after)
            try trial.write { tx in
                try tx.import([["id": 7, "style": nil, "tracks": []]] as ImportValue, as: "Artist")
                try expectEqual(try tx.count(Request("Artist_pending")), 0)
                let report = try tx.import([["number": 3, "title": "Soul"]] as ImportValue, as: "Style").report
                try expectEqual(report.connectedReferences, 0)
                try expectEqual(try tx.find("Artist", 7)?["style"], .null)
            }
        },
        ConformanceCase(
            "import.pending-copied", in: .importing, "what waits is in a copy, of any kind, and is connected there",
            requires: [.filling], modes: [.fresh]
        ) { trial in
            let stack = try trial.another(before, at: trial.folder + "/Source.granary")
            try stack.blocking.write { try fill($0) }
            func tryCopy(to peer: ConformanceSubject) async throws {
                let copy = try await stack.copy(to: peer.storeProvider(at: trial.folder + "/\(peer.name).copy"))
                let genres = try await copy.import([["id": 3, "label": "Soul"]] as ImportValue, as: "Genre")
                try expectEqual(genres.connectedReferences, 1, peer.name)
                let songs = try await copy.import([["id": 2, "title": "two"]] as ImportValue, as: "Song")
                try expectEqual(songs.connectedReferences, 1, peer.name)
                let singer = try copy.blocking.read { try $0.find("Singer", 7) }
                try expectEqual(singer?["genre"], .integer(3), peer.name)
                try await copy.close()
            }
            try await tryCopy(to: trial.subject)
            try expectEqual(try stack.blocking.read { try $0.count(Request("Singer_pending")) }, 2)
            for peer in try trial.otherKinds() { try await tryCopy(to: peer) }
            try expectEqual(try stack.blocking.read { try $0.count(Request("Singer_pending")) }, 2)
        },
    ]
}
