import Foundation
import Testing
import GranaryCore
import GranaryMemory
@testable import GranarySQLite
import TestSupport

/// A store as one plain file, as other programs read it. Every kind of store is tried with the tool.
@Suite struct SQLiteFileTests {
    private static let schema = Schema(entities: [
        Entity(
            "Sale", key: "id", keyGeneration: .assigned,
            attributes: [
                Attribute("id", .int64), Attribute("shop", .uuid, reference: .init(entity: "Shop", onDelete: .cascade)),
                Attribute("at", .date), Attribute("price", .decimal), Attribute("tip", .scaledDecimal(places: 2)),
                Attribute("paid", .bool), Attribute("weight", .double, isOptional: true),
                Attribute("photo", .data, isOptional: true), Attribute("note", .string, isOptional: true),
                Attribute("extra", .json, isOptional: true),
                Attribute("loose", .int64, isOptional: true, reference: .init(entity: "Sale", onDelete: .noAction)),
            ], indexes: [.index("note", folding: .caseInsensitive), .index("at", "price")]),
        Entity(
            "Shop", key: "id", attributes: [Attribute("id", .uuid), Attribute("name", .string)],
            indexes: [.unique("name", folding: .caseInsensitive)]),
    ])

    private static let shop = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()

    private func fill(_ stack: Stack, sales: Int = 1) throws {
        try stack.blocking.write { tx in
            var shop = try DynamicRecord("Shop", in: tx.schema)
            try shop.set("id", to: SQLiteFileTests.shop)
            try shop.set("name", to: "O'Hare \"é\"")
            try tx.insert(shop)
            for number in 1...sales {
                var sale = try DynamicRecord("Sale", in: tx.schema)
                try sale.set("shop", to: SQLiteFileTests.shop)
                try sale.set("at", to: Date(timeIntervalSinceReferenceDate: number == 2 ? 1e12 : 0.25))
                try sale.set("price", to: Decimal(string: "-12345678901234567890.125") ?? 0)
                try sale.set("tip", toStored: .integer(1250))
                try sale.set("paid", to: true)
                try sale.set("weight", to: number == 1 ? 0.1 : nil)
                try sale.set("photo", to: number == 1 ? Data([0, 255]) : nil)
                try sale.set("note", to: number == 1 ? "Note" : nil)
                try sale.set("extra", toStored: .text(Array(#"{"a":1}"#.utf8)))
                try sale.set("loose", to: Int64(77))
                try tx.insert(sale)
            }
        }
    }

    @Test func `the file has tables, columns, keys and indexes by the names of the schema`() async throws {
        let folder = try TemporaryFolder()
        let stack = try await Stack(SQLiteFileTests.schema, store: .inMemory)
        try fill(stack, sales: 2)
        let file = URL(filePath: folder("Shop.sqlite"))
        try await stack.export(to: .sqliteFile(at: file))
        try await stack.close()
        #expect(names(folder.path) == ["Shop.sqlite"])
        #expect(
            try shell(file.path, "SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY rowid").map { $0[0] } == [
                """
                CREATE TABLE "Sale" (
                    "id" INTEGER PRIMARY KEY NOT NULL,
                    "shop" TEXT NOT NULL REFERENCES "Shop" ("id") ON DELETE CASCADE,
                    "at" TEXT NOT NULL,
                    "price" TEXT NOT NULL,
                    "tip" TEXT NOT NULL,
                    "paid" INTEGER NOT NULL,
                    "weight" REAL,
                    "photo" BLOB,
                    "note" TEXT,
                    "extra" TEXT,
                    "loose" INTEGER
                )
                """,
                """
                CREATE TABLE "Shop" (
                    "id" TEXT PRIMARY KEY NOT NULL,
                    "name" TEXT NOT NULL
                )
                """,
                #"CREATE INDEX "Sale.note[c]" ON "Sale" ("note" COLLATE NOCASE)"#,
                #"CREATE INDEX "Sale.at.price" ON "Sale" ("at", "price")"#,
                #"CREATE INDEX "Sale.shop" ON "Sale" ("shop")"#, #"CREATE INDEX "Sale.loose" ON "Sale" ("loose")"#,
                #"CREATE UNIQUE INDEX "Shop.name[c] unique" ON "Shop" ("name")"#,
            ])
        let id = SQLiteFileTests.shop.uuidString
        #expect(
            try shell(file.path, "SELECT *, hex(photo) FROM Sale ORDER BY id").map { $0.filter { $0 != "\u{0}" } } == [
                [
                    "1", id, "2001-01-01T00:00:00.25Z", "-12345678901234567890.125", "12.5", "1", "0.1", "", "Note",
                    #"{"a":1}"#, "77", "00FF",
                ],
                [
                    "2", id, "1000978307200.0", "-12345678901234567890.125", "12.5", "1", "NULL", "NULL", "NULL",
                    #"{"a":1}"#, "77", "",
                ],
            ])
        #expect(try shell(file.path, "SELECT id, name FROM Shop") == [[id, "O'Hare \"é\""]])
        #expect(try shell(file.path, "PRAGMA journal_mode; PRAGMA integrity_check") == [["delete"], ["ok"]])
        #expect(try shell(file.path, "PRAGMA foreign_key_check") == [])
        #expect(try permissions(file.path) == 0o600)
    }

    @Test func `what is there is never replaced, and nothing is left of an export that fails`() async throws {
        let folder = try TemporaryFolder()
        let stack = try await Stack(SQLiteFileTests.schema, store: .sqlite(at: URL(filePath: folder("Store.granary"))))
        try fill(stack)
        try write("mine", to: folder("Taken.sqlite"))
        for name in [
            "Taken.sqlite", "Store.granary", "Missing/File.sqlite", "Store.granary/File.sqlite",
            "Store.granary/gen-0001/File.sqlite",
        ] {
            let error = await #expect(throws: GranaryError.self) {
                try await stack.export(to: .sqliteFile(at: URL(filePath: folder(name))))
            }
            #expect(error?.code == .invalidPath, "\(name)")
        }
        #expect(text(folder("Taken.sqlite")) == "mine")
        #expect(names(folder.path) == ["Store.granary", "Taken.sqlite"])
        try await stack.close()
    }

    @Test func `an export tells how far it has come, and ends when its task is cancelled`() async throws {
        let folder = try TemporaryFolder()
        let stack = try await Stack(SQLiteFileTests.schema, store: .inMemory)
        try fill(stack, sales: 5000)
        let file = URL(filePath: folder("Shop.sqlite"))
        let (hasBegun, isCancelled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let task = Task {
            try await stack.export(to: .sqliteFile(at: file)) { progress in
                guard progress.records == 1024 else { return }
                hasBegun.signal()
                isCancelled.wait()
            }
        }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                hasBegun.wait()
                continuation.resume()
            }
        }
        task.cancel()
        isCancelled.signal()
        let error = await #expect(throws: GranaryError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(names(folder.path) == [])
        let seen = Seen()
        try await stack.export(to: .sqliteFile(at: file)) { seen.add($0) }
        #expect(seen.progress.first?.records == 0 && seen.progress.last?.fraction == 1)
        #expect(seen.progress.count > 4 && Set(seen.progress.map(\.total)) == [5001])
        #expect(try shell(file.path, "SELECT count(*) FROM Sale") == [["5000"]])
        try await stack.close()
    }
}

private final class Seen: @unchecked Sendable {
    private let lock = NSLock()
    private var all: [StoreProgress] = []
    var progress: [StoreProgress] { lock.withLock { all } }
    func add(_ one: StoreProgress) { lock.withLock { all.append(one) } }
}
