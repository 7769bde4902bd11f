import GranaryCore
import Testing

@testable import GranaryKeyValue

/// Stores that are filled with the rows of others, and indexes that are made anew.
@Suite struct FillingTests {
    private let song = Entity(
        "Song", key: "id",
        attributes: [
            Attribute("id", Int64.self), Attribute("title", String.self), Attribute("plays", Int64?.self),
            Attribute("cover", .int64, isOptional: true, reference: .init(entity: "Song", onDelete: .nullify)),
        ], indexes: [.unique("title"), .index("plays")])

    private func filled(_ engine: SortedArrayEngine = SortedArrayEngine()) throws -> KeyValueStore {
        let store = try newStore(song, engine: engine)
        try store.write { writer in
            for id in 1...5 as ClosedRange<Int64> {
                try writer.insert([.integer(id), .string("song \(id)"), .integer(id % 2), id > 1 ? .integer(1) : nil])
            }
        }
        return store
    }

    @Test(arguments: [2, 3] as [UInt32])
    func `an index without entries is found, and made anew`(_ keyspace: UInt32) throws {
        let engine = SortedArrayEngine()
        let store = try filled(engine)
        let writer = engine.beginWrite()
        try writer.deleteAll(in: Keyspace(keyspace))
        try writer.commit()
        #expect(try !store.verify().isEmpty)
        try store.rebuildIndexes()
        #expect(try store.verify() == [])
        #expect(try store.read { $0.transactionNumber } == 1)
        #expect(throws: GranaryError.self) { try store.write { try $0.insert([9, "song 1", nil, nil]) } }
    }

    @Test(arguments: [1, 100, 1_000])
    func `an index that is made in several batches has the entries of all rows`(_ batchSize: Int) throws {
        let engine = SortedArrayEngine()
        let store = try newStore(song, engine: engine)
        try store.write { writer in
            for id in 1...60 as ClosedRange<Int64> {
                // The titles of later rows are before and after those of earlier ones.
                try writer.insert([.integer(id), .string("song \(id * 37 % 60)"), .integer(id % 7), nil])
            }
        }
        let writer = engine.beginWrite()
        for index in store.tables[0].indexes {
            try writer.deleteAll(in: index.keyspace)
            try IndexFilling(store.tables[0], index, writer, batchSize: batchSize).run()
        }
        try writer.commit()
        #expect(try store.verify() == [])
    }

    @Test func `entries of indexes that no row calls for are found`() throws {
        let engine = SortedArrayEngine()
        let store = try filled(engine)
        let writer = engine.beginWrite()
        try writer.deleteAll(in: Keyspace(1))
        try writer.commit()
        let faults = try store.verify()
        #expect(faults.count { $0.contains("has 5 entries for 0 rows") } == 3, "\(faults)")
    }

    @Test func `a unique index whose values cannot be compared is a fault, once`() throws {
        let engine = SortedArrayEngine()
        let store = try filled(engine)
        let title = try #require(store.tables[0].indexes.first { $0.isUnique }).keyspace
        /// The faults that are reported when the index cannot be read at one of the times: the entries are compared then.
        func faults(failingAt number: Int, _ code: GranaryError.Code) throws -> [String] {
            var count = 0
            engine.onCursor = { keyspace in
                if keyspace == title { count += 1 }
                if keyspace == title && count == number { throw GranaryError(code, "A page is damaged.") }
            }
            defer { engine.onCursor = nil }
            let faults = try store.verify()
            #expect(count == number)
            return faults
        }
        let fault = "Song: the unique index title could not be checked. A page is damaged."
        #expect(try faults(failingAt: 2, .corrupt) == [fault])
        #expect(throws: GranaryError.self) { try faults(failingAt: 2, .io) }
        // Where an entry lacks, that is said, and the entries are read once more for it.
        let writer = engine.beginWrite()
        let first = try #require(try writer.cursor(in: title).first())
        try #expect(writer.delete(first.key, in: title))
        try writer.commit()
        let lacking = try store.verify()
        #expect(lacking.count == 2, "\(lacking)")
        #expect(try faults(failingAt: 3, .corrupt) == lacking)
    }

    @Test func `a check lists the first faults, and counts the others`() throws {
        let engine = SortedArrayEngine()
        let store = try newStore(song, engine: engine)
        try store.write { writer in
            for id in 1...250 as ClosedRange<Int64> {
                try writer.insert([.integer(id), .string("song \(id)"), nil, nil])
            }
        }
        let writer = engine.beginWrite()
        try writer.deleteAll(in: Keyspace(2))
        try writer.commit()
        let faults = try store.verify()
        #expect(faults.count == 101 && faults.last == "151 more faults.", "\(faults)")
    }

    @Test func `rows that share values of a unique index are found, and no index is made of them`() throws {
        let engine = SortedArrayEngine()
        let store = try filled(engine)
        let writer = engine.beginWrite()
        try writer.deleteAll(in: Keyspace(2))
        try writer.commit()
        try store.write { try $0.insert([9, "song 1", nil, nil]) }
        let error = #expect(throws: GranaryError.self) { try store.rebuildIndexes() }
        #expect(error?.duplicates?.keys == [[1, 9]])
        #expect(try store.verify().contains { $0.contains("lacks row") })
    }

    @Test func `a transfer converts rows, drops some and keeps what was asked for`() throws {
        let source = try filled()
        let target = try newStore(song)
        let reader = try source.beginRead(CancellationFlag())
        defer { reader.end() }
        var transfer = try StoreTransfer(from: reader, into: target)
        transfer.transactionNumber = 77
        transfer.convert = { row, entity, output in
            let id = row[0].integerValue
            if id == 4 { return }
            // In another order of keys.
            try output.append([.integer(100 - id), StoredValue(row[1]), nil, nil], to: entity)
        }
        #expect(try transfer.run().counts == [4])
        #expect(try target.read { try $0.keys(request()) } == [95, 97, 98, 99])
        #expect(try target.read { $0.transactionNumber } == 77)
        #expect(try target.verify() == [])
    }

    @Test func `a transfer that is cancelled when all rows have come leaves the store as it was`() throws {
        let source = try filled()
        let target = try newStore(song)
        let reader = try source.beginRead(CancellationFlag())
        defer { reader.end() }
        // It has a flag of its own, so that its rows come all the same.
        let transfer = try StoreTransfer(from: reader, into: target)
        let flag = CancellationFlag()
        flag.set()
        let error = #expect(throws: GranaryError.self) { try LongWork(cancellation: flag).run { try transfer.run() } }
        #expect(error?.code == .cancelled)
        #expect(try target.read { try $0.keys(request()) } == [])
        #expect(try target.verify() == [])
    }

    @Test func `a transfer whose rows break a rule leaves the store as it was`() throws {
        let source = try filled()
        let target = try filled()
        let reader = try source.beginRead(CancellationFlag())
        defer { reader.end() }
        var transfer = try StoreTransfer(from: reader, into: target)
        func failure(_ title: StoredValue?, _ cover: StoredValue) -> GranaryError? {
            transfer.convert = { row, entity, output in
                try output.append([StoredValue(row[0]), title ?? StoredValue(row[1]), nil, cover], to: entity)
            }
            return #expect(throws: GranaryError.self) { try transfer.run() }
        }
        #expect(failure("same", nil)?.duplicates?.keys == [[1, 2, 3, 4, 5]])
        let dangling = failure(nil, 50)
        #expect(dangling?.code == .danglingReference && dangling?.key == 1)
        #expect(failure(.null, nil)?.code == .required)
        #expect(failure(7, nil)?.code == .typeMismatch)
        #expect(try target.read { try $0.keys(request()) } == [1, 2, 3, 4, 5])
        #expect(try target.verify() == [])
    }
}
