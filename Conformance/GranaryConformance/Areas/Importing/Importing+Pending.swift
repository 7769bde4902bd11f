import ConformanceKit
import GranaryCore
import GranaryImport

// References to what no import has brought yet, kept in the store until one does.

private let schema = Schema(
    Genre.self, Artist.self, Album.self, Song.self, Playlist.self, PlaylistSong.self, Employee.self, Tag.self,
    PendingReference<Artist>.self, PendingReference<Song>.self)
private let boards = Schema(Board.self, Card.self, Step.self, PendingReference<Board>.self, PendingReference<Card>.self)
private let mixes = Schema(Mix.self, Track.self, PendingReference<Mix>.self)

private func keeping(_ mapping: ImportMapping) -> Importer {
    var importer = Importer()
    importer.mapping = mapping
    return importer
}

private let genres = keeping(ImportMapping().relate("genre", by: "label", missing: .keep))
private let tracks = keeping(ImportMapping().relate("tracks", missing: .keep))

extension ReadContext {
    fileprivate func waiting<R: Record>(_ type: R.Type) throws -> Int { try count(PendingReference<R>.all) }
    fileprivate func genre(of artist: Int64) throws -> Int64? { try find(Artist.self, artist)?.genre?.key }
}

extension Trial {
    /// Imports in a write of its own, in a stack that was opened again if the mode says so.
    @discardableResult
    fileprivate func `import`<R: Record>(
        _ source: ImportValue, as type: R.Type, with importer: Importer = Importer()
    ) throws -> ImportReport {
        if mode == .reopened { try reopen() }
        return try write { try $0.import(source, as: type, with: importer).report }
    }
}

var importPendingCases: [ConformanceCase] {
    [
        ConformanceCase(
            "import.pending", in: .importing,
            "a reference to what has not come waits in the store and is connected when it does"
        ) { trial in
            try trial.open(schema)
            let first = try trial.import([["id": 1, "label": "Sade", "genre": "Soul"]], as: Artist.self, with: genres)
            try expectEqual(first.counts, [1, 0, 0, 0, 0])
            try expectEqual([first.pendingReferences, first.issueCount], [1, 0])
            try trial.read { snapshot in
                try expectEqual(try snapshot.genre(of: 1), nil)
                let pending = try snapshot.fetch(PendingReference<Artist>.all)
                try expectEqual(pending.map(\.owner), [Ref(1)])
                try expectEqual(pending.map(\.relationship), ["genre"])
                try expectEqual(pending.map(\.names), [["label": .string("Soul")]])
            }
            // What comes is another one, and what is no genre.
            try expectEqual(
                try trial.import([["id": 4, "label": "Funk"]], as: Genre.self).connectedReferences, 0)
            try trial.import([["id": 5, "label": "Soul"]], as: Artist.self)
            try expectEqual(
                try trial.import([["id": 7, "label": "Soul"]], as: Genre.self).connectedReferences, 1)
            try trial.read { snapshot in
                try expectEqual(try snapshot.genre(of: 1), 7)
                try expectEqual(try snapshot.waiting(Artist.self), 0)
            }
        },
        ConformanceCase(
            "import.pending-nested", in: .importing, "what is nested in another object, or updated, comes as well"
        ) {
            trial in
            try trial.open(schema)
            try trial.import(
                [["id": 1, "label": "a", "genre": "Soul"], ["id": 2, "label": "b", "genre": "Funk"]], as: Artist.self,
                with: genres)
            try trial.import([["id": 3, "label": "c", "genre": ["id": 7, "label": "Soul"]]], as: Artist.self)
            try trial.import([["id": 7, "label": "Funk"]], as: Genre.self)
            try trial.read { snapshot in
                try expectEqual(try [1, 2, 3].map { try snapshot.genre(of: $0) }, [7, 7, 7])
                try expectEqual(try snapshot.waiting(Artist.self), 0)
            }
        },
        ConformanceCase("import.pending-two", in: .importing, "several records may wait for one, and one for several") {
            trial in
            try trial.open(schema)
            try trial.write { tx in
                try tx.insert(Artist(id: 3, label: "c"))
                try tx.insert(Album(id: 1, title: "x", artist: Ref(3)))
            }
            try trial.import([["id": 1, "label": "a", "genre": "Soul"]], as: Artist.self, with: genres)
            try trial.import([["id": 2, "label": "b", "genre": "Soul"]], as: Artist.self, with: genres)
            try trial.import([["id": 1, "title": "s", "album": 1, "genre": "Soul"]], as: Song.self, with: genres)
            try expectEqual(try trial.import([["id": 7, "label": "Soul"]], as: Genre.self).connectedReferences, 3)
            try trial.read { snapshot in
                try expectEqual(try [1, 2, 3].map { try snapshot.genre(of: $0) }, [7, 7, nil])
                try expectEqual(try snapshot.find(Song.self, 1)?.genre, Ref(7))
                try expectEqual(try snapshot.waiting(Artist.self) + snapshot.waiting(Song.self), 0)
            }
        },
        ConformanceCase(
            "import.pending-several", in: .importing, "one record may wait for several, each connected when it comes"
        ) {
            trial in
            try trial.open(boards)
            let all = keeping(ImportMapping().relate("board", missing: .keep).relate("pin", missing: .keep))
            let source: ImportValue = [["id": 1, "label": "a", "weight": 0, "board": 5, "pin": 6]]
            try expectEqual(try trial.import(source, as: Card.self, with: all).pendingReferences, 2)
            try trial.import([["id": 6]], as: Board.self)
            try trial.read { snapshot in
                let card = try snapshot.find(Card.self, 1)
                try expectEqual([card?.board, card?.pin], [nil, Ref(6)])
            }
            // What waits is said again.
            try expectEqual(try trial.import(source, as: Card.self, with: all).pendingReferences, 1)
            try trial.read { try expectEqual(try $0.waiting(Card.self), 1) }
            try trial.import([["id": 5]], as: Board.self)
            try trial.read { try expectEqual(try $0.find(Card.self, 1)?.board, Ref(5)) }
        },
        ConformanceCase(
            "import.pending-overwritten", in: .importing,
            "what is said later takes its place: another record, null, one that waits"
        ) { trial in
            try trial.open(schema)
            try trial.import([["id": 3, "label": "Jazz"]], as: Genre.self)
            let source: ImportValue = [
                ["id": 1, "label": "a", "genre": "Soul"], ["id": 2, "label": "b", "genre": "Soul"],
                ["id": 3, "label": "c", "genre": "Soul"], ["id": 4, "label": "d", "genre": "Soul"],
                ["id": 5, "label": "e", "genre": "Soul"],
            ]
            try trial.import(source, as: Artist.self, with: genres)
            let later = try trial.import(
                [["id": 1, "genre": 3], ["id": 2, "genre": nil], ["id": 4, "label": "D"]], as: Artist.self)
            try expectEqual(later.pendingReferences, 0)
            try trial.import([["id": 3, "genre": "Funk"]], as: Artist.self, with: genres)
            // This one does not wait beyond its import, and is reported.
            let waits = keeping(ImportMapping().relate("genre", by: "label"))
            try expectEqual(try trial.import([["id": 5, "genre": "Dub"]], as: Artist.self, with: waits).issueCount, 1)
            try trial.read { try expectEqual(try $0.waiting(Artist.self), 2) }
            try trial.import([["id": 7, "label": "Soul"], ["id": 8, "label": "Dub"]], as: Genre.self)
            try trial.read { snapshot in
                try expectEqual(try (1...5).map { try snapshot.genre(of: $0) }, [3, nil, nil, 7, nil])
            }
            try trial.import([["id": 9, "label": "Funk"]], as: Genre.self)
            try trial.read { try expectEqual(try $0.genre(of: 3), 9) }
        },
        ConformanceCase(
            "import.pending-replaced", in: .importing,
            "what an import says of a reference takes the place of what waits, also if both records come with it"
        ) { trial in
            try trial.open(schema)
            try trial.import([["id": 1, "label": "a", "genre": "Soul"]], as: Artist.self, with: genres)
            // Soul comes, and is not what the artist has any more.
            let source: ImportValue = [
                ["id": 2, "label": "b", "genre": ["id": 7, "label": "Soul"]], ["id": 1, "genre": "Funk"],
            ]
            let report = try trial.import(source, as: Artist.self, with: genres)
            try expectEqual([report.connectedReferences, report.pendingReferences, report.issueCount], [0, 1, 0])
            try trial.read { snapshot in
                try expectEqual(try [1, 2].map { try snapshot.genre(of: $0) }, [nil, 7])
                try expectEqual(
                    try snapshot.fetch(PendingReference<Artist>.all).map(\.names), [["label": .string("Funk")]])
            }
            try trial.import([["id": 8, "label": "Funk"]], as: Genre.self)
            try trial.read { try expectEqual(try $0.genre(of: 1), 8) }
        },
        ConformanceCase(
            "import.pending-listed", in: .importing,
            "a record that a list names does not wait for another owner any more"
        ) { trial in
            try trial.open(boards)
            try trial.import([["id": 2]], as: Board.self)
            try trial.import([["id": 1, "label": "a", "weight": 0, "board": 2]], as: Card.self)
            let board = keeping(ImportMapping().relate("board", missing: .keep))
            try expectEqual(
                try trial.import([["id": 1, "board": 5]], as: Card.self, with: board).pendingReferences, 1)
            try trial.import([["id": 2, "cards": [1]]], as: Board.self)
            try trial.read { try expectEqual(try $0.waiting(Card.self), 0) }
            try expectEqual(try trial.import([["id": 5]], as: Board.self).connectedReferences, 0)
            try trial.read { try expectEqual(try $0.find(Card.self, 1)?.board, Ref(2)) }
        },
        ConformanceCase(
            "import.pending-skipped", in: .importing, "an object that is skipped says nothing of what waits"
        ) { trial in
            try trial.open(mixes)
            try trial.import([["id": 1, "title": "1"]], as: Track.self)
            try trial.import([["id": 1, "name": "m", "tracks": [1, 5]]], as: Mix.self, with: tracks)
            var inserting = Importer(.insertOnly)
            inserting.mapping = tracks.mapping
            let report = try trial.import([["id": 1, "name": "n", "tracks": []]], as: Mix.self, with: inserting)
            try expectEqual(report.counts, [0, 0, 0, 1, 0])
            try trial.import([["id": 5, "title": "5"]], as: Track.self)
            try trial.read { try expectEqual(try Mix(id: 1).tracks.all.fetch(in: $0).map(\.id), [1, 5]) }
        },
        ConformanceCase(
            "import.pending-by-hand", in: .importing,
            "a reference that was given another value without an import keeps it"
        ) { trial in
            try trial.open(schema)
            try trial.write { try $0.insert([Genre(id: 1, label: "Rock"), Genre(id: 2, label: "Jazz")]) }
            try trial.write { _ = try $0.insert(Artist(id: 2, label: "b", genre: Ref(1))) }
            let source: ImportValue = [["id": 1, "label": "a", "genre": "Soul"], ["id": 2, "genre": "Soul"]]
            try trial.import(source, as: Artist.self, with: genres)
            try trial.write { try $0.update(Artist.self, 1) { $0.genre = Ref(2) } }
            try trial.import([["id": 7, "label": "Soul"]], as: Genre.self)
            try trial.read { snapshot in
                // What it was before the import is no other value.
                try expectEqual(try [1, 2].map { try snapshot.genre(of: $0) }, [2, 7])
                try expectEqual(try snapshot.waiting(Artist.self), 0)
            }
        },
        ConformanceCase(
            "import.pending-deleted", in: .importing, "what waits goes with its record, in whatever way that goes"
        ) {
            trial in
            try trial.open(schema)
            let source: ImportValue = [
                ["id": 1, "label": "a", "genre": "Soul"], ["id": 2, "label": "b", "genre": "Soul"],
            ]
            try trial.import(source, as: Artist.self, with: genres)
            try trial.write { tx in
                try expect(try tx.delete(Artist.self, 1), "it was there")
                try expectEqual(try tx.waiting(Artist.self), 1)
                try Artist.all.deleteAll(in: tx)
                try expectEqual(try tx.waiting(Artist.self), 0)
                try tx.insert([Artist(id: 1, label: "other"), Artist(id: 2, label: "other")])
            }
            try expectEqual(try trial.import([["id": 7, "label": "Soul"]], as: Genre.self).connectedReferences, 0)
            try trial.read { try expectEqual(try $0.genre(of: 1), nil) }
        },
        ConformanceCase("import.pending-list", in: .importing, "members of a list take their places when they come") {
            trial in
            try trial.open(mixes)
            try trial.import(
                [["id": 1, "title": "1"], ["id": 2, "title": "2"], ["id": 3, "title": "3"]], as: Track.self)
            let report = try trial.import(
                [["id": 1, "name": "m", "tracks": [1, 5, 2, 6, 3]]], as: Mix.self, with: tracks)
            try expectEqual([report.pendingReferences, report.issueCount], [2, 0])
            func listed() throws -> [Int64] {
                try trial.read { snapshot in
                    try Mix(id: 1).tracks.all.fetch(in: snapshot).map(\.id)
                }
            }
            try expectEqual(try listed(), [1, 2, 3])
            try trial.import([["id": 6, "title": "6"]], as: Track.self)
            try expectEqual(try listed(), [1, 2, 6, 3])
            try trial.import([["id": 5, "title": "5"]], as: Track.self)
            try expectEqual(try listed(), [1, 5, 2, 6, 3])
            try trial.read { try expectEqual(try $0.waiting(Mix.self), 0) }
            // All that a list has may be missing.
            try trial.import([["id": 2, "name": "n", "tracks": [8, 7, 9]]], as: Mix.self, with: tracks)
            try trial.import(
                [["id": 9, "title": "9"], ["id": 8, "title": "8"], ["id": 7, "title": "7"]], as: Track.self)
            try trial.read { try expectEqual(try Mix(id: 2).tracks.all.fetch(in: $0).map(\.id), [8, 7, 9]) }
        },
        ConformanceCase(
            "import.pending-list-said", in: .importing,
            "a list that is said again is what it is then; one that is added to waits for more"
        ) { trial in
            try trial.open(mixes)
            try trial.import([["id": 1, "title": "1"], ["id": 2, "title": "2"]], as: Track.self)
            try trial.import([["id": 1, "name": "m", "tracks": [1, 5, 6]]], as: Mix.self, with: tracks)
            try trial.import([["id": 1, "tracks": [6, 2, 1]]], as: Mix.self, with: tracks)
            let adding = keeping(ImportMapping().relate("tracks", .add, missing: .keep))
            try trial.import([["id": 1, "tracks": [7]]], as: Mix.self, with: adding)
            try trial.read { try expectEqual(try $0.waiting(Mix.self), 2) }
            try trial.import(
                [["id": 5, "title": "x"], ["id": 6, "title": "x"], ["id": 7, "title": "x"]], as: Track.self)
            try trial.read { try expectEqual(try Mix(id: 1).tracks.all.fetch(in: $0).map(\.id), [6, 2, 1, 7]) }
            try trial.import([["id": 1, "tracks": [1, 8]]], as: Mix.self, with: tracks)
            try trial.import([["id": 1, "tracks": []]], as: Mix.self)
            try trial.import([["id": 8, "title": "8"]], as: Track.self)
            try trial.read { snapshot in
                try expectEqual(try Mix(id: 1).tracks.all.fetch(in: snapshot).map(\.id), [])
                try expectEqual(try snapshot.waiting(Mix.self), 0)
            }
        },
        ConformanceCase(
            "import.pending-owned", in: .importing,
            "a record that says itself whose it is stays there; others get their places"
        ) { trial in
            try trial.open(boards)
            let cards = keeping(ImportMapping().relate("cards", missing: .keep))
            try trial.import([["id": 1, "label": "a", "weight": 0]], as: Card.self)
            try trial.import([["id": 1, "cards": [8, 1, 9]], ["id": 2]], as: Board.self, with: cards)
            try trial.import(
                [["id": 8, "label": "x", "weight": 0], ["id": 9, "label": "y", "weight": 0, "board": 2]], as: Card.self)
            try trial.read { snapshot in
                try expectEqual(try Board(id: 1).cards.all.fetch(in: snapshot).map(\.id), [8, 1])
                try expectEqual(try Board(id: 2).cards.all.fetch(in: snapshot).map(\.id), [9])
                try expectEqual(try snapshot.waiting(Board.self), 0)
            }
        },
        ConformanceCase(
            "import.pending-wrong", in: .importing,
            "what names no record is reported and not kept, what must be there fails, and a schema without room says what is missing"
        ) { trial in
            try trial.open(schema)
            let byKey = keeping(ImportMapping().relate("genre", missing: .keep))
            let report = try trial.import(
                [["id": 1, "label": "a", "genre": "no number"]], as: Artist.self, with: byKey)
            try expectEqual([report.pendingReferences, report.issueCount], [0, 1])
            try expectError(.invalidQuery, entity: "Album", attributes: ["artist"]) {
                try trial.import(
                    [["id": 1, "title": "x", "artist": 99]], as: Album.self,
                    with: keeping(ImportMapping().relate("artist", missing: .keep))
                ).inserted
            }
            try trial.read { try expectEqual(try $0.waiting(Artist.self), 0) }
        },
        ConformanceCase(
            "import.pending-undone", in: .importing, "what is undone or not saved has kept nothing", modes: [.fresh]
        ) {
            trial in
            try trial.open(schema)
            let source: ImportValue = [["id": 1, "label": "a", "genre": "Soul"]]
            var trying = genres
            trying.isDryRun = true
            try expectEqual(try trial.import(source, as: Artist.self, with: trying).pendingReferences, 1)
            try expectError(.typeMismatch) {
                try trial.import(["x"], as: Artist.self, with: genres).inserted
            }
            let edit = try trial.stack.makeContext()
            let child = try edit.makeChild()
            try child.import(source, as: Artist.self, with: genres)
            try expectEqual(try child.waiting(Artist.self), 1)
            try trial.read { try expectEqual(try $0.waiting(Artist.self), 0) }
            try child.saveToParent()
            try edit.blocking.save()
            try expectEqual(
                try edit.import([["id": 7, "label": "Soul"]] as ImportValue, as: Genre.self).report.connectedReferences,
                1)
            try edit.blocking.save()
            try trial.read { snapshot in
                try expectEqual(try snapshot.genre(of: 1), 7)
                try expectEqual(try snapshot.waiting(Artist.self), 0)
            }
        },
    ]
}
