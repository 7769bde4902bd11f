import ConformanceKit
import ConformanceModels
import GranaryCore
import GranaryImport

// Relationships as keys, as lists of keys, and as objects within objects.

private func nested(_ depth: Int) -> Exporter { Exporter(.nested(depth: depth)) }

var exportRelationshipsCases: [ConformanceCase] {
    [
        ConformanceCase("export.references", in: .exporting, "a reference is the key of the record that it names") {
            trial in
            try Shop(trial).read { snapshot in
                try expectEqual(
                    try snapshot.exported(Artist.where { $0.id <= 2 }, .lines),
                    """
                    {"id":1,"label":"Ada","genre":1,"rating":4.5,"mentor":2}
                    {"id":2,"label":"Bo","genre":2,"rating":null,"mentor":99}

                    """)
            }
        },
        ConformanceCase(
            "export.lists", in: .exporting, "to-many relationships are lists of keys where that is asked for"
        ) {
            trial in
            try Shop(trial).read { snapshot in
                try expectEqual(
                    try snapshot.exported(Genre.all, .lines, Exporter(.lists)),
                    """
                    {"id":1,"label":"Rock","artists":[1],"songs":[1,2]}
                    {"id":2,"label":"Jazz","artists":[2],"songs":[3,5]}
                    {"id":3,"label":"Folk","artists":[4],"songs":[]}

                    """)
            }
        },
        ConformanceCase("export.ordered", in: .exporting, "a list is exported in the order of its relationship") {
            trial in
            try Shop(trial).read { snapshot in
                try expectEqual(
                    try snapshot.exported(Playlist.all, .lines, Exporter(.lists)),
                    """
                    {"id":1,"label":"Mix","songs":[1,2,5]}
                    {"id":2,"label":"Solo","songs":[3]}
                    {"id":3,"label":"Empty","songs":[]}
                    {"id":4,"label":"Pair","songs":[6,2]}

                    """)
            }
        },
        ConformanceCase(
            "export.nested-deep", in: .exporting,
            "records are nested as deep as an import reads them, and no deeper than the stack of the thread holds",
            modes: [.fresh]
        ) { trial in
            _ = try Shop(trial, filled: false)
            let stack = try trial.stack
            let levels = 500
            try await stack.write { tx in
                for id in (1...Int64(levels)).reversed() {
                    try tx.insert(Artist(id: id, label: "a", mentor: id == levels ? nil : Ref(id + 1)))
                }
            }
            let query = Artist.where { $0.id == 1 }
            let text = try await stack.read { try $0.exported(query, .lines, nested(.max)) }
            try expectEqual(text.split(separator: "{").count, levels)
            try expectOnSmallStack({ try stack.blocking.read { try $0.exported(query, .lines, nested(.max)) } }, text)
            let report = try await stack.import(.json(.text(text)), as: Artist.self)
            try expectEqual(report.counts, [0, 0, levels, 0, 0])
            try await stack.write { tx in
                try tx.update(Artist(id: Int64(levels), label: "a", mentor: Ref(1000)))
                for id in Int64(1000)...1100 {
                    try tx.insert(Artist(id: id, label: "a", mentor: id == 1100 ? nil : Ref(id + 1)))
                }
            }
            let exported = Result { try stack.blocking.read { try $0.exported(query, .lines, nested(.max)) } }
            try expectError(.limit, entity: "Artist") { try exported.get() }
        },
        ConformanceCase(
            "export.nested-to-one", in: .exporting, "a reference is an object, to the depth that is asked for"
        ) {
            trial in
            try Shop(trial).read { snapshot in
                var exporter = nested(1)
                exporter.mapping = ImportMapping().ignore("songs", "year", "price")
                let query = Album.where { $0.id == 1 }
                try expectEqual(
                    try snapshot.exported(query, .lines, exporter),
                    #"{"id":1,"title":"Alpha","artist":{"id":1,"label":"Ada","genre":1,"rating":4.5,"mentor":2}}"#
                        + "\n")
                exporter.relationships = .nested(depth: 2)
                exporter.mappings["Artist"] = ImportMapping().ignore("albums", "pupils", "mentor", "rating")
                exporter.mappings["Genre"] = ImportMapping().ignore("artists", "songs")
                try expectEqual(
                    try snapshot.exported(query, .lines, exporter),
                    #"{"id":1,"title":"Alpha","artist":{"id":1,"label":"Ada","genre":{"id":1,"label":"Rock"}}}"# + "\n")
                exporter.relationships = .nested(depth: -1)
                try expectEqual(
                    try snapshot.exported(query, .lines, exporter), #"{"id":1,"title":"Alpha","artist":1}"# + "\n")
            }
        },
        ConformanceCase(
            "export.nested-to-many", in: .exporting,
            "related records are objects, without the reference that leads back"
        ) { trial in
            try Shop(trial).read { snapshot in
                var exporter = nested(1)
                exporter.mapping = ImportMapping().ignore("pupils", "mentor", "genre", "rating")
                let report = try snapshot.export(Artist.where { $0.id <= 2 }, to: .lines, with: exporter)
                try expectEqual(
                    String(decoding: report.bytes, as: UTF8.self),
                    """
                    {"id":1,"label":"Ada","albums":[{"id":1,"title":"Alpha","year":1967,"price":9.99},\
                    {"id":2,"title":"Beta","year":null,"price":12.5}]}
                    {"id":2,"label":"Bo","albums":[{"id":3,"title":"Gamma","year":1959,"price":null}]}

                    """)
                try expectEqual([report.exported, report.nested], [2, 3])
            }
        },
        ConformanceCase(
            "export.nested-many-to-many", in: .exporting,
            "records on the other side of links are objects, in their order"
        ) { trial in
            try Shop(trial).read { snapshot in
                var exporter = nested(3)
                exporter.mappings["Song"] = ImportMapping()
                    .ignore("album", "genre", "seconds", "score", "isLive", "released", "price", "cents", "info")
                try expectEqual(
                    try snapshot.exported(Playlist.where { $0.id == 4 }, .lines, exporter),
                    """
                    {"id":4,"label":"Pair","songs":[{"id":6,"title":"Fog"},{"id":2,"title":"Bell"}]}

                    """)
            }
        },
        ConformanceCase("export.cycle", in: .exporting, "a record within itself is its key") { trial in
            try Shop(trial).read { snapshot in
                var exporter = nested(100)
                exporter.mappings["Employee"] = ImportMapping().ignore("label", "salary", "reports")
                try expectEqual(
                    try snapshot.exported(Employee.where { $0.id >= 5 }, .lines, exporter),
                    """
                    {"id":5,"manager":{"id":4,"manager":{"id":2,"manager":{"id":1,"manager":null}}}}
                    {"id":6,"manager":6}

                    """)
                exporter.mappings["Employee"] = ImportMapping().ignore("label", "salary")
                try expectEqual(
                    try snapshot.exported(Employee.where { $0.id == 6 }, .lines, exporter),
                    "{\"id\":6,\"manager\":6,\"reports\":[6]}\n")
            }
        },
        ConformanceCase("export.dangling", in: .exporting, "a reference to a record that does not exist stays a key") {
            trial in
            try Shop(trial).read { snapshot in
                var exporter = nested(2)
                exporter.mapping = ImportMapping().ignore("label", "rating", "genre", "albums", "pupils")
                try expectEqual(
                    try snapshot.exported(Artist.where { $0.id == 2 }, .lines, exporter), "{\"id\":2,\"mentor\":99}\n")
            }
        },
        ConformanceCase("export.csv-nested", in: .exporting, "CSV has no form for lists and objects") { trial in
            try Shop(trial).read { snapshot in
                for exporter in [Exporter(.lists), nested(1)] {
                    try expectError(.unsupported) {
                        try snapshot.export(Genre.all, to: .table, with: exporter).exported
                    }
                }
                var exporter = Exporter()
                exporter.root = "data"
                try expectError(.unsupported) { try snapshot.export(Genre.all, to: .table, with: exporter).exported }
            }
        },
        ConformanceCase(
            "export.nested-again", in: .exporting, "an import of nested records makes the records that were there"
        ) { trial in
            try Shop(trial).write { try $0.update(Artist(id: 2, label: "Bo", genre: Ref(2), mentor: nil)) }
            let copy = try trial.another(SuiteSchema.shop, at: trial.folder + "/Copy.granary")
            var exporter = nested(4)
            // The mentors are other artists, and the songs of a genre are those of its artists and others'.
            exporter.mappings["Genre"] = ImportMapping().ignore("artists", "songs")
            exporter.mappings["Artist"] = ImportMapping().ignore("pupils")
            let (artists, playlists) = try trial.read { snapshot in
                (
                    try snapshot.export(Artist.all, to: .json(.bytes), with: exporter).bytes,
                    try snapshot.export(Playlist.all, to: .lines, with: Exporter(.lists)).bytes
                )
            }
            try copy.blocking.write { tx in
                _ = try tx.import(.json(.bytes(artists)), as: Artist.self)
                _ = try tx.import(.json(.bytes(playlists), JSONOptions(layout: .lines)), as: Playlist.self)
            }
            try copy.blocking.read { copied in
                let original = try trial.stack
                try expectEqual(try copied.fetch(Genre.all), try original.blocking.read { try $0.fetch(Genre.all) })
                try expectEqual(try copied.fetch(Artist.all), try original.blocking.read { try $0.fetch(Artist.all) })
                try expectEqual(try copied.fetch(Album.all), try original.blocking.read { try $0.fetch(Album.all) })
                try expectEqual(
                    try copied.fetch(Request("Song")),
                    try original.blocking.read {
                        try $0.fetch(Request("Song"))
                    })
                for playlist in Shop.playlists {
                    let songs = RelatedRecords<Playlist, Song>(of: playlist.id, Playlist.relationships[0].relationship)
                    try expectEqual(
                        try songs.all.fetch(in: copied).map(\.id),
                        try original.blocking.read { try songs.all.fetch(in: $0).map(\.id) })
                }
            }
        },
    ]
}
