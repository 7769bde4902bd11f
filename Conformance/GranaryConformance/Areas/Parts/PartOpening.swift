import ConformanceKit
import Foundation
import GranaryCore

var partOpeningCases: [ConformanceCase] {
    [
        ConformanceCase(
            "parts.same-place", in: .parts, "two parts in one place are refused, and what is there stays",
            requires: [.persistence, .changeRecording], modes: [.fresh]
        ) { trial in
            _ = try PartedShop(trial)
            try trial.insert([Shelf(id: 1, name: "kept")])
            try trial.close()
            for path in [trial.storePath, trial.storePath + "/"] {
                let part = Part("second", Shelf.self, in: trial.subject.provider(path, .readWrite))
                try expectError(.invalidPath) {
                    try opened(
                        SuiteSchema.standard, store: .parts(trial.subject.provider(trial.storePath, .readWrite), part),
                        migration: .refuse)
                }
            }
            try expectEqual(try trial.fetch(Shelf.all).map(\.name), ["kept"])
        },
        ConformanceCase(
            "parts.wrong", in: .parts, "parts that make no sense are refused, with what to do, before anything is made",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            _ = try PartedShop(trial)
            let other = trial.subject.provider(trial.storePath + ".second", .readWrite)
            let more = trial.subject.provider(trial.storePath + ".third", .readWrite)
            let wrong: [([Part], String)] = [
                ([Part("a", Genre.self, in: other)], "Genre"),
                ([Part("a", Shelf.self, in: other), Part("b", Shelf.self, in: more)], "Shelf"),
                ([Part("a", Shelf.self, in: other), Part("a", Note.self, in: more)], "\"a\""),
                ([Part("first", Shelf.self, in: other)], "\"first\""),
                ([Part("a b", Shelf.self, in: other)], "\"a b\""),
                ([Part("", Shelf.self, in: other)], "\"\""),
                ([Part("a", [String](), in: other)], "\"a\""),
            ]
            for (parts, named) in wrong {
                let error = try expectError(.invalidSchema) {
                    try opened(
                        SuiteSchema.standard,
                        store: PartsProvider(trial.subject.provider(trial.storePath, .readWrite), parts))
                }
                try expect(error.message.contains(named), error.message)
                try trial.expectNoStore()
            }
        },
        ConformanceCase(
            "parts.first-missing", in: .parts,
            "if the first part is gone, the others are not opened with an empty one",
            requires: [.persistence, .changeRecording], modes: [.fresh]
        ) { trial in
            let shop = try PartedShop(trial)
            try await shop.run { try $0.blocking.write(PartedShop.fill) }
            try FileManager.default.moveItem(atPath: trial.storePath, toPath: trial.storePath + ".away")
            let error = try expectError(.notAStore) { try shop.open() }
            try expect(error.message.contains("music"), error.message)
            try trial.expectNoStore()
            try FileManager.default.moveItem(atPath: trial.storePath + ".away", toPath: trial.storePath)
            try await shop.run { stack in try expectEqual(try stack.blocking.read { try $0.count(Song.all) }, 3) }
        },
        parted(
            "migrated", "all parts are migrated by one opening, and a plan says what it would do",
            requires: [.migration, .reopening]
        ) {
            shop, stack in
            try stack.blocking.close()
            var entities = PartedShop.schema.entities
            for position in entities.indices where ["Genre", "Playlist"].contains(entities[position].name) {
                entities[position].attributes.append(Attribute("note", String?.self))
            }
            let schema = Schema(entities: entities)
            let planned = try Blocking<Stack>.plan(schema, store: shop.provider())
            try expectEqual(
                planned.difference.changes.map(\.entity).sorted { "\($0)" < "\($1)" }, ["Genre", "Playlist"])
            try expectEqual(planned.records.first { $0.entity == "Song" }?.count, 3)
            try expectError(.schemaMismatch) { try opened(schema, store: shop.provider(), migration: .refuse) }
            let migrated = try opened(schema, store: shop.provider())
            defer { try? migrated.blocking.close() }
            try expectEqual(migrated.migration.changes.count, 2)
            try migrated.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Request("Genre").where("note == nil")).count, 2)
                try expectEqual(try snapshot.fetch(Request("Playlist").where("ANY songs.title == \"Fire\"")).count, 1)
            }
        },
        parted(
            "stored", "parts are opened without record types, with what leads from one to the other",
            requires: [.reopening, .storedSchema]
        ) {
            shop, stack in
            try stack.blocking.close()
            let stored = try openedStored(shop.provider())
            defer { try? stored.blocking.close() }
            try expectEqual(stored.schema.fingerprint, PartedShop.schema.fingerprint)
            try stored.blocking.read { snapshot in
                try expectEqual(
                    try snapshot.fetch(Request("Article").where("writer.name == \"Bo\"")).map { $0["id"] },
                    [.integer(1)])
                try expectEqual(
                    try snapshot.fetch(Request("Writer").where("ANY articles.reads == 5")).map { $0["id"] },
                    [.integer(1)])
            }
        },
        ConformanceCase(
            "parts.made-alone", in: .parts,
            "stores that were made alone are opened together without record types, and each is written to by itself",
            requires: [.reopening, .storedSchema, .changeRecording], modes: [.fresh]
        ) { trial in
            _ = try PartedShop(trial)
            let places = [trial.storePath, trial.storePath + ".second"]
            let providers = places.map { trial.subject.provider($0, .readWrite) }
            let schemas = [Schema(Shelf.self), Schema(Note.self)]
            for (schema, provider) in zip(schemas, providers) { try opened(schema, store: provider).blocking.close() }
            let stack = try openedStored(
                PartsProvider(providers[0], [Part("second", ["Note"], in: providers[1])]))
            defer { try? stack.blocking.close() }
            try stack.blocking.write { try $0.insert(Shelf(id: 1, name: "one")) }
            try stack.blocking.write { try $0.insert(Note(slug: "one")) }
            try expectError(.unsupported) {
                try stack.blocking.write { tx in
                    try tx.insert(Shelf(id: 2, name: "two"))
                    try tx.insert(Note(slug: "two"))
                }
            }
            try stack.blocking.read { snapshot in
                try expectEqual(try snapshot.fetch(Shelf.all).map(\.id), [1])
                try expectEqual(try snapshot.fetch(Note.all).map(\.id), ["one"])
            }
        },
        parted(
            "verified", "a reference to a record that another program has removed is found by a check",
            requires: [.reopening, .storedSchema]
        ) {
            shop, stack in
            try stack.blocking.close()
            let alone = try openedStored(shop.trial.subject.provider(shop.catalogue, .readWrite))
            try alone.blocking.write { tx in _ = try Request("Writer").where("id == 2").deleteAll(in: tx) }
            try alone.blocking.close()
            try await shop.run { stack in
                let faults = try stack.blocking.verify()
                try expectEqual(faults.count, 1)
                try expect(faults.first?.contains("Article") ?? false, "\(faults)")
            }
        },
        parted("copied", "the records of all parts are copied into one store, and counted", requires: [.filling]) {
            shop, stack in
            let copy = try await stack.copy(
                to: shop.trial.subject.provider(shop.trial.folder + "/Copy.granary", .readWrite))
            try copy.blocking.read { snapshot in
                try expectEqual(
                    try snapshot.fetch(PlaylistSong.where { $0.target.title == "Sinnerman" }).map(\.id), [2, 3])
            }
            try expectEqual(try copy.blocking.verify(), [])
            try copy.blocking.close()
        },
        parted("backed-up", "a backup has all parts beside each other, with the same commits", requires: [.persistence])
        {
            shop, stack in
            let place = URL(filePath: shop.trial.folder + "/Backup.granary")
            try await stack.backUp(to: place)
            try stack.blocking.write { _ = try Song.all.deleteAll(in: $0) }
            try await expectAsyncError(.invalidPath) { try await stack.backUp(to: place) }
            let parts = PartsProvider(
                shop.trial.subject.provider(place.path, .readWrite),
                [
                    Part(
                        "music", PartedShop.catalogueTypes.map { $0.entityName },
                        in: shop.trial.subject.provider(place.path + ".music", .readWrite))
                ])
            let backup = try opened(PartedShop.schema, store: parts, migration: .refuse)
            defer { try? backup.blocking.close() }
            try expectEqual(try backup.blocking.read { try $0.count(Song.all) }, 3)
            try expectEqual(try backup.blocking.verify(), [])
        },
        parted("destroyed", "all parts are destroyed together", requires: [.persistence]) { shop, stack in
            try stack.blocking.close()
            try await Stack.destroy(shop.provider())
            try shop.trial.expectNoStore()
            try shop.trial.expectNoStore(at: shop.catalogue)
            try await shop.run { stack in try expectEqual(try stack.blocking.read { try $0.count(Song.all) }, 0) }
        },
        ConformanceCase(
            "parts.three", in: .parts, "a stack of three parts, one of them in memory",
            requires: [.changeRecording], modes: [.fresh]
        ) { trial in
            _ = try PartedShop(trial)
            let memory = ConformanceSubject.inMemory.provider(trial.storePath + ".memory", .readWrite)
            let stack = try opened(
                SuiteSchema.standard,
                store: .parts(
                    trial.subject.provider(trial.storePath, .readWrite),
                    Part("second", Shelf.self, in: trial.subject.provider(trial.storePath + ".second", .readWrite)),
                    Part("memory", Note.self, Person.self, in: memory)))
            defer { try? stack.blocking.close() }
            try stack.blocking.write { tx in
                try tx.insert(Shelf(id: 1, name: "s"))
                try tx.insert(Note(slug: "n"))
                try tx.insert(Box(id: 1, shelf: Ref(1)))
            }
            try stack.blocking.read { snapshot in
                try expectEqual(snapshot.transactionNumber, 1)
                try expectEqual(try snapshot.fetch(Box.where { $0.shelf.name == "s" }).map(\.id), [1])
                try expectEqual(try snapshot.count(Note.all), 1)
            }
            try expectEqual(try stack.blocking.verify(), [])
        },
        parted("full-names", "names of the notes of parts are kept from record types") { shop, _ in
            let entity = Entity("GranaryPartNote", key: "id", attributes: [Attribute("id", Int64.self)])
            try expectError(.invalidSchema, entity: "GranaryPartNote") {
                try opened(
                    PartedShop.schema.union(Schema(entities: [entity])), store: shop.provider(), migration: .refuse)
            }
        },
    ]
}
