import GranaryCore
import GranarySQLite
import TestSupport
import Testing

/// What another program does to the index of words in a file.
@Suite struct WordIndexFileTests {
    private static let schema = Schema(entities: [
        Entity(
            "Page", key: "id",
            attributes: [Attribute("id", Int64.self), Attribute("text", String.self).searchable()])
    ])

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let stack = try open()
        try stack.blocking.write { tx in
            for id in 1...500 as ClosedRange<Int64> {
                try tx.insert(WordIndexFileTests.page(id, "common \(id % 10 == 0 ? "fire" : "smoke")"))
            }
        }
        try stack.blocking.close()
    }

    private static func page(_ id: Int64, _ text: String) throws -> DynamicRecord {
        var page = try DynamicRecord("Page", in: schema)
        try page.set("id", toStored: .integer(id))
        try page.set("text", toStored: .string(text))
        return page
    }

    private func open() throws -> Stack {
        try Stack(WordIndexFileTests.schema, store: .sqlite(atPath: folder.path + "/Store.granary"))
    }

    private var file: String { folder.path + "/Store.granary/gen-0001/db.sqlite" }

    private func count(_ text: String, in stack: Stack) throws -> Int {
        try stack.blocking.read { try $0.count(Request("Page").where("search(%@)", text)) }
    }

    private func usesIndex(_ stack: Stack) throws -> Bool {
        try stack.blocking.read { snapshot in
            try Request("Page").where("search('fire')").explain(in: snapshot).steps.contains { $0.index == "words" }
        }
    }

    @Test func `verify notices that another program has changed a row, and rebuilding mends it`() async throws {
        _ = try shell(file, "UPDATE \"Page\" SET \"text\" = 'rain' WHERE \"id\" = 10")
        let stack = try open()
        let faults = try stack.blocking.verify()
        #expect(!faults.isEmpty && faults.allSatisfy { $0.contains("Page: the index of words") })
        try await stack.rebuildIndexes()
        #expect(try stack.blocking.verify() == [])
        #expect(try count("rain", in: stack) == 1)
        #expect(try count("fire", in: stack) == 49)
        #expect(try usesIndex(stack))
        try stack.blocking.close()
    }

    @Test func `damaged blocks change no answer and lose no write`() throws {
        _ = try shell(file, "UPDATE \"granary:words\" SET \"block\" = x'ff00' WHERE length(\"key\") > 5")
        let stack = try open()
        #expect(try count("fire", in: stack) == 50)
        #expect(try count("common NOT fire", in: stack) == 450)
        #expect(try !stack.blocking.verify().isEmpty)
        try stack.blocking.write { try $0.update(WordIndexFileTests.page(10, "rain")) }
        #expect(try count("fire", in: stack) == 49)
        #expect(try count("rain", in: stack) == 1)
        try stack.blocking.close()
        let again = try open()
        #expect(try usesIndex(again))
        #expect(try again.blocking.verify() == [])
        #expect(try count("fire", in: again) == 49)
        try again.blocking.close()
    }

    @Test(arguments: ["DELETE FROM \"granary:words\"", "DROP TABLE \"granary:words\""])
    func `an index that is gone is made anew when the store is opened for writing`(_ sql: String) throws {
        _ = try shell(file, sql)
        let reading = try Stack(
            WordIndexFileTests.schema,
            store: .sqlite(atPath: folder.path + "/Store.granary", options: SQLiteOptions(access: .readOnly)))
        #expect(try count("fire", in: reading) == 50)
        #expect(try !usesIndex(reading))
        try reading.blocking.close()
        let stack = try open()
        #expect(try usesIndex(stack))
        #expect(try count("fire", in: stack) == 50)
        #expect(try stack.blocking.verify() == [])
        try stack.blocking.close()
    }
}
