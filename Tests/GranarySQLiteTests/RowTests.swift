import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct RowTests {
    @Test func `what is inserted is found, fetched and counted`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "Rock")
            try writer.insert(.artist, 100, "Jimi Hendrix", 4.7, 1, 1)
            try writer.insert(.artist, 99, "Prince", nil, 0, nil)
            #expect(try writer.insert(.song, 0, "Fire", 100, .bytes([0, 1])) == 1)
            #expect(try writer.insert(.song, 0, "", 100, .bytes([])) == 2)
            #expect(try writer.insert(.song, 7, "a\0b", 99, nil) == nil)
            #expect(try writer.insert(.song, 0, "Next", 99, nil) == 8)
        }
        try store.read { (reader) throws in
            #expect(reader.transactionNumber == 1)
            #expect(try reader.find(.artist, 100) == [100, "Jimi Hendrix", 4.7, 1, 1])
            #expect(try reader.find(.artist, 5) == nil)
            #expect(try reader.all(.artist) == [[99, "Prince", nil, 0, nil], [100, "Jimi Hendrix", 4.7, 1, 1]])
            #expect(
                try reader.all(.song) == [
                    [1, "Fire", 100, .bytes([0, 1])], [2, "", 100, .bytes([])], [7, "a\0b", 99, nil],
                    [8, "Next", 99, nil],
                ])
            #expect(try reader.count(FetchRequest(entity: 2)) == 4)
            #expect(try reader.count(FetchRequest(entity: 2, limit: 2, offset: 3)) == 1)
        }
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `update and upsert replace, delete follows the rules`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "Rock")
            try writer.insert(.artist, 1, "A", nil, 1, 1)
            try writer.insert(.song, 1, "S", 1, nil)
            #expect(try writer.update(.artist, 1, "B", 2.0, 0, 1))
            #expect(try !writer.update(.artist, 2, "B", 2.0, 0, 1))
            try writer.upsert(.artist, 1, "C", 3.0, 1, 1)
            try writer.upsert(.artist, 2, "D", nil, 1, nil)
            #expect(try writer.all(.artist) == [[1, "C", 3.0, 1, 1], [2, "D", nil, 1, nil]])
            #expect(try writer.all(.song).count == 1)
            #expect(try writer.delete(.genre, 1))
            #expect(try !writer.delete(.genre, 1))
            #expect(try writer.find(.artist, 1) == [1, "C", 3.0, 1, nil])
            try writer.delete(.artist, 1)
            #expect(try writer.all(.song).isEmpty)
        }
        try store.close()
    }

    @Test func `a store keeps its rows when it is closed`() throws {
        let folder = try TemporaryFolder()
        var store = try folder.open()
        try store.write { try _ = $0.insert(.genre, 1, "Rock") }
        try store.close()
        store = try folder.open()
        #expect(try store.read { try $0.all(.genre) } == [[1, "Rock"]])
        #expect(try store.read { $0.transactionNumber } == 1)
        try store.close()
    }
}
