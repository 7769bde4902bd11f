import GranaryCore
import GranaryMemory
import GranaryStoreKit
import Testing

@testable import GranaryKeyValue

/// A session that serves one read after the other.
@Suite struct RenewedSessionTests {
    private func store() throws -> KeyValueStore {
        let store = try KeyValueStore(engine: MemoryEngine(), schema: Schema(entities: [artist]))
        try store.write { try $0.insert([1, "Cream", 4.5, nil]) }
        return store
    }

    private func code(_ body: () throws -> Void) -> GranaryError.Code? {
        #expect(throws: GranaryError.self) { try body() }?.code
    }

    @Test func `what is left of an ended read does not see the next one`() throws {
        let store = try store()
        let first = try store.beginRead(CancellationFlag())
        let cursor = try first.rows(request())
        #expect(try cursor.next() != nil)
        first.end()
        let second = try store.beginRead(CancellationFlag())
        defer { second.end() }
        #expect(code { _ = try cursor.next() } == .closed)
        #expect(code { _ = try first.find(1, count: 4) } == .closed)
        #expect(code { _ = try first.count(request()) } == .closed)
        // Ending again is not an end of the second one.
        first.end()
        #expect(try second.find(1, count: 4) == [1, "Cream", 4.5, nil])
    }

    @Test func `each read has its own state and its own flag`() throws {
        let store = try store()
        for number in 2...5 {
            let reader = try store.beginRead(CancellationFlag())
            #expect(try reader.count(request()) == number - 1)
            #expect(reader.transactionNumber == UInt64(number - 1))
            reader.end()
            try store.write { try $0.insert([StoredValue.integer(Int64(number)), "Can", nil, nil]) }
            #expect(reader.transactionNumber == UInt64(number - 1))
        }
        let cancelled = CancellationFlag()
        let reader = try store.beginRead(cancelled)
        cancelled.set()
        #expect(code { _ = try reader.count(request()) } == .cancelled)
        reader.end()
        let next = try store.beginRead(CancellationFlag())
        #expect(try next.count(request()) == 5)
        next.end()
    }
}
