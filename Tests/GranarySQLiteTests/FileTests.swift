import GranaryPlatform
import Foundation
import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct FileTests {
    @Test func `the file has tables, columns and indexes as a person would write them`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let rows = try shell(
            folder.database, "SELECT sql FROM sqlite_schema WHERE tbl_name IN ('Song', 'Tag', 'Event')")
        #expect(
            rows.map { $0[0] } == [
                """
                CREATE TABLE "Song" (
                    "id" INTEGER PRIMARY KEY AUTOINCREMENT,
                    "title" TEXT NOT NULL,
                    "artist" INTEGER NOT NULL REFERENCES "Artist" ("id") ON DELETE CASCADE,
                    "data" BLOB
                ) STRICT
                """,
                """
                CREATE TABLE "Tag" (
                    "name" TEXT PRIMARY KEY NOT NULL,
                    "song" INTEGER NOT NULL REFERENCES "Song" ("id") ON DELETE NO ACTION,
                    "parent" TEXT REFERENCES "Tag" ("name") ON DELETE CASCADE
                ) STRICT, WITHOUT ROWID
                """,
                """
                CREATE TABLE "Event" (
                    "id" BLOB PRIMARY KEY NOT NULL,
                    "at" REAL NOT NULL
                ) STRICT, WITHOUT ROWID
                """,
                #"CREATE INDEX "Song.artist" ON "Song" ("artist")"#, #"CREATE INDEX "Tag.song" ON "Tag" ("song")"#,
                #"CREATE INDEX "Tag.parent" ON "Tag" ("parent")"#,
            ])
        #expect(try shell(folder.database, "PRAGMA journal_mode") == [["wal"]])
        #expect(try FileSystem.status(folder.database)?.permissions == 0o600)
    }

    @Test func `nothing is beside the database once the store is closed`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder.store)/gen-0001")
        #expect(names == ["db.sqlite"])
    }

    @Test func `what others put into the file is refused`() throws {
        for sql in [
            "CREATE TRIGGER t AFTER INSERT ON Genre BEGIN DELETE FROM Artist; END",
            "CREATE UNIQUE INDEX i ON artist (rating)", "CREATE VIRTUAL TABLE f USING fts5(x)",
            "CREATE TABLE more (genre REFERENCES genre (id))", "CREATE TABLE \"granary:more\" (x)",
            "DROP TABLE Event", "DROP TABLE Event; CREATE TABLE event (id, at)",
            "UPDATE \"granary:meta\" SET value = 'x' WHERE name = 'schema'", "DELETE FROM \"granary:meta\"",
            "UPDATE \"granary:meta\" SET value = 'x' WHERE name = 'fingerprint'",
        ] {
            let folder = try TemporaryFolder()
            try folder.open().close()
            _ = try shell(folder.database, sql)
            #expect(failure { _ = try folder.open() }?.code == .corrupt, "\(sql)")
        }
    }

    @Test func `a trigger or an index on the store's tables is named, with the statement that removes it`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        _ = try shell(folder.database, "CREATE TRIGGER t AFTER INSERT ON Genre BEGIN DELETE FROM Artist; END")
        var message = failure { _ = try folder.open(access: .readOnly) }?.message ?? ""
        #expect(message.contains("the trigger t on the table Genre"))
        _ = try shell(folder.database, "DROP TRIGGER \"t\"; CREATE INDEX i ON Artist (rating)")
        message = failure { _ = try folder.open() }?.message ?? ""
        #expect(message.contains("the index i on the table Artist") && message.hasSuffix("DROP INDEX \"i\";"))
        _ = try shell(folder.database, "DROP INDEX \"i\"")
        try folder.open().close()
    }

    @Test func `tables and views of another program are left alone`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let others = [
            "CREATE TABLE more (x PRIMARY KEY, y REFERENCES more (x))", "CREATE VIEW v AS SELECT name FROM Artist",
            "CREATE INDEX i ON more (x)", "CREATE TRIGGER t AFTER INSERT ON more BEGIN DELETE FROM Artist; END",
            "INSERT INTO more VALUES (7, 8)",
        ]
        for sql in others { _ = try shell(folder.database, sql) }
        let store = try folder.open()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        #expect(try store.verify() == [])
        try store.rebuildIndexes()
        try store.compact()
        #expect(try store.read { try $0.all(.genre) } == [[1, "Rock"]])
        try store.close()
        let reader = try folder.open(access: .readOnly)
        #expect(try reader.verify() == [])
        let database = try #require(reader.location)
        try reader.close()
        #expect(try shell(database, "SELECT x FROM more") == [["7"]])
    }

    @Test func `an entity that would have the name of another program's table is refused, and nothing changes`() throws
    {
        let folder = try TemporaryFolder()
        try folder.open().close()
        _ = try shell(folder.database, "CREATE TABLE more (x); INSERT INTO more VALUES (7)")
        var entities = music.entities
        entities.append(Entity("More", key: "id", attributes: [Attribute("id", .int64)]))
        let added = failure { _ = try folder.open(Schema(entities: entities)) }
        #expect(added?.code == .migrationFailed && added?.entity == "More", "\(String(describing: added))")
        entities.removeLast()
        entities[4].name = "More"
        entities[4] = entities[4].renamed(from: "Event")
        #expect(failure { _ = try folder.open(Schema(entities: entities)) }?.code == .migrationFailed)
        let store = try folder.open()
        #expect(try store.verify() == [])
        try store.close()
        #expect(try shell(folder.database, "SELECT x FROM more") == [["7"]])
    }

    @Test func `a missing index is made on opening for writing, and done without on opening for reading`() throws {
        let folder = try TemporaryFolder()
        var store = try folder.open()
        try store.write { (writer) throws in
            for key in 1...9 {
                try writer.insert(.artist, .integer(Int64(key)), .string("artist \(key % 3)"), 1.0, 1, nil)
            }
        }
        try store.close()
        let list = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL ORDER BY name"
        let all = try shell(folder.database, list)
        _ = try shell(folder.database, "DROP INDEX \"Artist.name\"; DROP INDEX \"Genre.name unique\"")
        store = try folder.open(access: .readOnly)
        let wanted = ResolvedCondition.compare(position: 1, .equal, "artist 2")
        #expect(try store.read { try $0.all(.artist, wanted) }.count == 3)
        let faults = ["Artist.name", "Genre.name unique"].map {
            "The index \($0) of the stored schema is missing. Open the store for writing, which makes it."
        }
        #expect(try store.verify() == faults)
        try store.close()
        #expect(try shell(folder.database, list).count == all.count - 2)
        let stack = try Stack(music, store: .sqlite(atPath: folder.store, options: .init(durability: .off)))
        #expect(stack.migration.madeIndexes == ["Genre.name unique", "Artist.name"])
        #expect(stack.migration.changes.isEmpty)
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
        #expect(try shell(folder.database, list) == all)
        let again = try Stack(music, store: .sqlite(atPath: folder.store, options: .init(durability: .off)))
        #expect(again.migration == MigrationResult())
        try again.blocking.close()
    }

    @Test func `an index that is missing and cannot be made is named with the records in its way`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        _ = try shell(
            folder.database,
            "DROP INDEX \"Genre.name unique\"; INSERT INTO Genre VALUES (1, 'Rock'), (2, 'Rock'), (3, 'Jazz')")
        let error = failure { _ = try folder.open() }
        #expect(error?.code == .uniqueness)
        #expect(error?.duplicates?.keys == [[1, 2]])
        #expect(try shell(folder.database, "SELECT count(*) FROM Genre") == [["3"]])
        _ = try shell(folder.database, "UPDATE Genre SET name = 'Soul' WHERE id = 2")
        try folder.open().close()
    }

    @Test func `an index that is dropped under an open store is made by rebuilding`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        _ = try shell(folder.database, "DROP INDEX \"Genre.name unique\"")
        #expect(try store.verify().count == 1)
        try store.rebuildIndexes()
        #expect(try store.verify() == [])
        #expect(failure { try store.write { _ = try $0.insert(.genre, 2, "Rock") } }?.code == .uniqueness)
        try store.close()
    }

    @Test func `another program's database, a newer format and another schema are told apart`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let other = Schema(entities: [Entity("Genre", key: "id", attributes: [Attribute("id", .int64)])])
        let error = failure { _ = try folder.open(other) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("Genre.name: string is removed") == true)
        _ = try shell(folder.database, "PRAGMA user_version = 2")
        #expect(failure { _ = try folder.open() }?.code == .newerFormat)
        _ = try shell(folder.database, "PRAGMA application_id = 5")
        #expect(failure { _ = try folder.open() }?.code == .notAStore)
        try FileManager.default.removeItem(atPath: folder.database)
        #expect(failure { _ = try folder.open() }?.code == .corrupt)
    }

    @Test func `ANALYZE is allowed`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
        _ = try shell(folder.database, "ANALYZE")
        try folder.open().close()
    }

    @Test func `stacks of one process share the store, and must agree`() throws {
        let folder = try TemporaryFolder()
        let first = try folder.open()
        let second = try folder.open()
        try first.write { _ = try $0.insert(.genre, 1, "Rock") }
        #expect(failure { _ = try folder.open(busyTimeout: 3) }?.code == .alreadyOpen)
        let other = Schema(entities: [Entity("Genre", key: "id", attributes: [Attribute("id", .int64)])])
        #expect(failure { _ = try folder.open(other) }?.code == .schemaMismatch)
        try first.close()
        #expect(try second.read { try $0.all(.genre) } == [[1, "Rock"]])
        try second.close()
        try folder.open(busyTimeout: 3).close()
    }

    @Test func `a store for reading is read and not written`() throws {
        let folder = try TemporaryFolder()
        #expect(failure { _ = try folder.open(access: .readOnly) }?.code == .notAStore)
        var store = try folder.open()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
        store = try folder.open(access: .readOnly)
        #expect(try store.read { try $0.all(.genre) } == [[1, "Rock"]])
        #expect(failure { _ = try store.beginWrite() }?.code == .readOnly)
        try store.close()
    }

    @Test func `with row checksums an edited row is found out, a nullified one is not`() throws {
        let folder = try TemporaryFolder()
        var store = try folder.open(rowChecksums: true)
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "Rock")
            try writer.insert(.genre, 2, "Jazz")
            try writer.insert(.artist, 1, "A", 1.0, 1, 1)
            try writer.insert(.artist, 2, "B", 1.0, 1, 2)
            try writer.insert(.song, 0, "S", 1, nil)
            try writer.delete(.genre, 1)
            _ = try writer.updateAll(FetchRequest(entity: 1), setting: [Assignment(position: 2, value: 5.0)])
        }
        #expect(try store.verify() == [])
        #expect(try store.read { try $0.all(.artist) } == [[1, "A", 5.0, 1, nil], [2, "B", 5.0, 1, 2]])
        try store.close()
        _ = try shell(folder.database, "UPDATE Artist SET name = 'C' WHERE id = 2")
        store = try folder.open()
        #expect(try store.read { try $0.find(.artist, 1) } == [1, "A", 5.0, 1, nil])
        let error = failure { _ = try store.read { try $0.all(.artist) } }
        #expect(error?.code == .corrupt && error?.entity == "Artist")
        #expect(try store.verify().count == 1)
        #expect(
            failure {
                try store.write {
                    _ = try $0.updateAll(FetchRequest(entity: 1), setting: [Assignment(position: 2, value: 6.0)])
                }
            }?.code == .corrupt)
        try store.close()
    }

    @Test func `a check names the attribute and the key of a reference that leads to no record`() throws {
        let folder = try TemporaryFolder()
        let schema = Schema(entities: [
            Entity("Photo", key: "id", attributes: [Attribute("id", .int64)]),
            Entity(
                "Sound", key: "id",
                attributes: [
                    Attribute("id", .int64),
                    Attribute(
                        "photo", .int64, isOptional: true, reference: .init(entity: "Photo", onDelete: .nullify)),
                ]),
        ])
        try folder.open(schema).close()
        _ = try shell(folder.database, "INSERT INTO Sound (id, photo) VALUES (5, 77)")
        let store = try folder.open(schema)
        #expect(
            try store.verify() == [
                "Sound.photo of the record with key 5 refers to a record of Photo that does not exist"
            ])
        try store.close()
    }

    @Test func `a database that was cut off to nothing is damaged, and not one of another program`() throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        try Data().write(to: URL(filePath: folder.database))
        let error = failure { _ = try folder.open() }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "The file \(folder.database) is missing or damaged. Restore the store from a backup.")
    }

    @Test func `a check whose pages are damaged says each fault once`() throws {
        let folder = try TemporaryFolder()
        var store = try folder.open()
        try store.write { (writer) throws in
            for number in 1...2_000 { try writer.insert(.genre, .integer(Int64(number)), .string("genre \(number)")) }
        }
        try store.close()
        let file = try FileHandle(forWritingTo: URL(filePath: folder.database))
        let pages = try file.seekToEnd() / 4096
        try file.seek(toOffset: (pages - 6) * 4096)
        try file.write(contentsOf: Data(count: 4 * 4096))
        try file.close()
        store = try folder.open()
        let faults = try store.verify()
        #expect(!faults.isEmpty && Set(faults).count == faults.count, "\(faults)")
        try store.close()
    }

    /// SQLite 3.40 says of each of the labels that its text is NULL, as their key is the last attribute. The check lists 100 faults.
    @Test func `a check reports what is damaged before and after rows about which SQLite is wrong`() throws {
        let folder = try TemporaryFolder()
        func named(_ name: String) -> Entity {
            Entity(
                name, key: "id", attributes: [Attribute("id", .int64), Attribute("name", .string)],
                indexes: [.index("name")])
        }
        let label = Entity("Label", key: "code", attributes: [Attribute("text", .string), Attribute("code", .string)])
        let schema = Schema(entities: [named("Photo"), label, named("Sound")])
        var store = try folder.open(schema)
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "a")
            for number in 1...200 { try writer.insert(.artist, "text", .string("code \(number)")) }
            try writer.insert(.song, 1, "a")
        }
        #expect(try store.verify() == [])
        try store.close()
        for entity in ["Photo", "Sound"] {
            // The index has the text of a whole one, and no entries.
            let place = "WHERE name = '\(entity).name'"
            let text = try #require(
                shell(folder.database, "SELECT sql FROM sqlite_schema \(place)").first?.first)
            _ = try shell(
                folder.database,
                """
                DROP INDEX "\(entity).name";
                CREATE INDEX "\(entity).name" ON \(entity) (name) WHERE id < 0;
                PRAGMA writable_schema = ON;
                UPDATE sqlite_schema SET sql = '\(text)' \(place);
                """)
        }
        store = try folder.open(schema)
        let faults = try store.verify()
        for entity in ["Photo", "Sound"] { #expect(faults.contains { $0.contains("\(entity).name") }, "\(faults)") }
        #expect(faults.count == 4)
        try store.close()
    }

    @Test func `a check reports rows that are damaged, and goes on to the files of others`() throws {
        let folder = try TemporaryFolder()
        let schema = Schema(
            entities: ["Photo", "Sound"].map { name in
                Entity(
                    name, key: "id",
                    attributes: [
                        Attribute("id", .int64), Attribute("name", .string), Attribute("data", .data).external(),
                    ])
            })
        var store = try folder.open(schema, rowChecksums: true)
        try store.write { (writer) throws in
            for table in [Table.genre, .artist] {
                for key in 1...3 {
                    let data = [UInt8](repeating: UInt8(key + 3 * table.rawValue), count: Attribute.externalSize)
                    try writer.insert(table, .integer(Int64(key)), "a", .bytes(data))
                }
            }
        }
        #expect(try store.verify() == [])
        try store.close()
        _ = try shell(folder.database, "UPDATE Photo SET name = 'b' WHERE id = 2")
        let external = folder.store + "/external"
        let files = try FileManager.default.contentsOfDirectory(atPath: external).filter { $0.utf8.count == 64 }
        #expect(files.count == 6)
        for file in files { try FileManager.default.removeItem(atPath: "\(external)/\(file)") }
        store = try folder.open(schema)
        let faults = try store.verify()
        #expect(faults.contains { $0.hasPrefix("Photo: row 2: ") })
        #expect(faults.count { $0.contains("The file of Sound.data") && $0.contains("is missing") } == 3)
        try store.close()
    }
}
