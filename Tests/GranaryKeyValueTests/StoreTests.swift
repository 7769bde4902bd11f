import GranaryCore
import Testing

@testable import GranaryKeyValue

@Suite struct StoreTests {
    @Test func `what was inserted is found, and rows come in key order`() throws {
        let store = try newStore(artist)
        try store.write { writer in
            try writer.insert([3, "Cream", 4.5, nil])
            try writer.insert([-1, "Can", nil, 7])
            try writer.insert([2, "Blur", 4.5, 0])
        }
        try store.read { reader in
            try #expect(reader.find(2, count: 4) == [2, "Blur", 4.5, 0])
            try #expect(reader.find(5, count: 4) == nil)
            try #expect(reader.keys(request()) == [-1, 2, 3])
            try #expect(reader.keys(request(order: [(0, true)])) == [3, 2, -1])
            try #expect(reader.count(request()) == 3)
            #expect(reader.transactionNumber == 1)
        }
        try #expect(store.verify() == [])
    }
}
