import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct ErrorTests {
    @Test func `broken constraints name entity and attributes and leave the transaction going`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "Rock")
            try writer.insert(.artist, 1, "A", nil, 1, 1)
            try writer.insert(.song, 1, "S", 1, nil)
            try writer.insert(.tag, "live", 1, nil)
            var error = failure { try writer.insert(.genre, 1, "Pop") }
            #expect(error?.code == .uniqueness && error?.entity == "Genre" && error?.attributes == ["id"])
            error = failure { try writer.insert(.genre, 2, "Rock") }
            #expect(error?.code == .uniqueness && error?.attributes == ["name"])
            error = failure { try writer.insert(.tag, "live", 1, nil) }
            #expect(error?.code == .uniqueness && error?.attributes == ["name"])
            error = failure { try writer.insert(.song, 0, "T", 9, nil) }
            #expect(error?.code == .danglingReference && error?.entity == "Song" && error?.attributes == ["artist"])
            error = failure { _ = try writer.update(.artist, 1, "A", nil, 1, 5) }
            #expect(error?.code == .danglingReference && error?.attributes == ["genre"])
            error = failure { try writer.delete(.song, 1) }
            #expect(error?.code == .deniedDeletion && error?.entity == "Tag" && error?.attributes == ["song"])
            error = failure { try writer.delete(.artist, 1) }
            #expect(error?.code == .deniedDeletion && error?.entity == "Tag" && error?.attributes == ["song"])
            error = failure { _ = try writer.deleteAll(FetchRequest(entity: Table.artist.rawValue)) }
            #expect(error?.code == .deniedDeletion && error?.entity == "Tag")
            error = failure { try writer.insert(.artist, 2, nil, nil, 1, nil) }
            #expect(error?.code == .required && error?.attributes == ["name"])
            error = failure { try writer.insert(.artist, 2, 3, nil, 1, nil) }
            #expect(error?.code == .typeMismatch && error?.attributes == ["name"])
            error = failure { try writer.insert(.artist, 2, "B", nil, 2, nil) }
            #expect(error?.code == .range && error?.attributes == ["active"])
            error = failure { try writer.insert(.artist, 2, "B", .real(.nan), 1, nil) }
            #expect(error?.code == .range && error?.attributes == ["rating"])
            #expect(failure { _ = try writer.find(.artist, "1") }?.code == .typeMismatch)
            try writer.insert(.genre, 2, "Jazz")
            #expect(try writer.all(.artist).count == 1)
        }
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `the greatest key there is ends assigned keys and nothing else`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            try writer.insert(.artist, 1, "A", nil, 1, nil)
            try writer.insert(.song, .integer(.max), "last", 1, nil)
            #expect(failure { try writer.insert(.song, 0, "more", 1, nil) }?.code == .limit)
            try writer.insert(.song, 5, "given", 1, nil)
        }
        try store.write { (writer) throws in
            #expect(failure { try writer.upsert(.song, 0, "more", 1, nil) }?.code == .limit)
            #expect(try writer.all(.song).count == 2)
        }
        try store.close()
    }

    @Test func `a cursor ends with a write and with its transaction, and is safe afterwards`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        let writer = try store.beginWrite()
        for key in 1...10 { try writer.insert(.genre, .integer(Int64(key)), .string("\(key)")) }
        let first = try writer.rows(FetchRequest(entity: 0))
        #expect(try first.next() != nil)
        try writer.insert(.genre, 11, "11")
        #expect(failure { _ = try first.next() }?.code == .cursorInvalidated)
        let second = try writer.rows(FetchRequest(entity: 0))
        #expect(try second.next() != nil)
        let third = try writer.rows(FetchRequest(entity: 0))
        while try third.next() != nil {}
        #expect(try third.next() == nil)
        try writer.commit()
        for cursor in [first, second, third] { #expect(failure { _ = try cursor.next() }?.code == .closed) }
        #expect(failure { _ = try writer.find(.genre, 1) }?.code == .closed)
        #expect(failure { try writer.commit() }?.code == .closed)
        writer.end()
        try store.close()
        #expect(failure { _ = try store.beginWrite() }?.code == .closed)
        #expect(failure { _ = try store.beginRead(CancellationFlag()) }?.code == .closed)
    }

    @Test func `a second write waits its turn, or is told that it is its own`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open(busyTimeout: 0.05)
        let writer = try store.beginWrite()
        #expect(failure { _ = try store.beginWrite() }?.code == .reentrantWrite)
        writer.end()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        #expect(try store.read { $0.transactionNumber } == 1)
        try store.write { _ = $0 }
        #expect(try store.read { $0.transactionNumber } == 1)
        try store.close()
    }

    @Test func `another program that writes makes a write busy`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open(busyTimeout: 0.05)
        // What runs the SQL of a migration has the database alone.
        var options = SQLiteOptions()
        options.busyTimeout = .milliseconds(50)
        options.durability = .off
        let migrated = try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, options, .refuse)
        let other = try Connection(path: folder.database, purpose: .writing, options: SQLiteOptions())
        try other.execute("BEGIN IMMEDIATE")
        let refused = [
            failure { _ = try store.beginWrite() }, failure { try store.rebuildIndexes() },
            failure { try migrated.execute(sql: "DELETE FROM \"Genre\"") },
        ]
        for error in refused {
            #expect(error?.code == .busy)
            #expect(error?.message.hasPrefix("Another transaction has been writing for") == true)
        }
        #expect(try store.read { try $0.all(.genre) } == [])
        try other.execute("ROLLBACK")
        other.close()
        try migrated.close()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        try store.close()
    }

    @Test func `a set flag stops a read that is running`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            for key in 1...2000 { try writer.insert(.genre, .integer(Int64(key)), .string("\(key)")) }
        }
        let flag = CancellationFlag()
        let reader = try store.beginRead(flag)
        let cursor = try reader.rows(FetchRequest(entity: 0))
        #expect(try cursor.next() != nil)
        flag.set()
        #expect(failure { _ = try cursor.next() }?.code == .cancelled)
        #expect(failure { _ = try reader.count(FetchRequest(entity: 0)) }?.code == .cancelled)
        reader.end()
        #expect(try store.read { try $0.count(FetchRequest(entity: 0)) } == 2000)
        try store.close()
    }
}
