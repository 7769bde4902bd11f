import CSQLite
import GranaryCore
import TestSupport
import Testing

@testable import GranarySQLite

/// Foreign keys are off while a store is filled and while deep cascades are worked out. Here they cannot be switched on again:
/// nothing of the transaction is kept, and its connection is not used again.
@Suite struct ForeignKeyTests {
    private func withStore(_ body: (SQLiteStore) throws -> Void) throws {
        let folder = try TemporaryFolder()
        try folder.open().close()
        let store = try SQLiteStore.open(in: "\(folder.store)/gen-0001", music, SQLiteOptions(), .refuse)
        try store.write { writer in
            try writer.insert(.artist, 1, "A", nil, 1, nil)
            try writer.insert(.song, 1, "S", 1, nil)
            for number in 1...30 {
                try writer.insert(.tag, .string("t\(number)"), 1, number == 1 ? nil : .string("t\(number - 1)"))
            }
        }
        try body(store)
        // All is as it was, and references are checked.
        try #expect(store.read { try $0.all(.tag).count } == 30)
        let dangling = failure { try store.write { _ = try $0.insert(.song, 2, "S", 9, nil) } }
        #expect(dangling?.code == .danglingReference)
        try #expect(store.read { try $0.all(.song).count } == 1)
        try #expect(store.verify() == [])
        try store.close()
    }

    private func beginFailing(_ store: SQLiteStore) throws -> SQLiteWriter {
        let writer = try #require(store.beginWrite() as? SQLiteWriter)
        // A failure after which a transaction goes on otherwise.
        try writer.writable().connection.changeSetting = { handle, setting, isOn in
            isOn == 1 ? SQLITE_BUSY : granary_sqlite3_db_config_flag(handle, setting, isOn)
        }
        return writer
    }

    @Test func `a filling after which foreign keys stay off is not committed`() throws {
        try withStore { store in
            let writer = try beginFailing(store)
            try writer.beginFilling()
            try withRow([7, "Rock"]) { try writer.append($0, to: Table.genre.rawValue) }
            let end = FillingEnd(transactionNumber: 7, lastAssignedKeys: [], checksReferences: false)
            let error = failure { try writer.finishFilling(end) }
            #expect(error?.underlying?.code == SQLITE_BUSY)
            #expect(failure { try writer.insert(.genre, 8, "Pop") }?.message == error?.message)
            #expect(failure { _ = try writer.commit() }?.message == error?.message)
        }
    }

    @Test func `a filling that ends early leaves no connection with foreign keys off`() throws {
        try withStore { store in
            let writer = try beginFailing(store)
            try writer.beginFilling()
            writer.end()
        }
    }

    @Test func `a deletion after which foreign keys stay off is not committed`() throws {
        try withStore { store in
            let writer = try beginFailing(store)
            let error = failure { try writer.delete(.tag, "t1") }
            #expect(error?.underlying?.code == SQLITE_BUSY)
            #expect(failure { try writer.insert(.song, 2, "S", 9, nil) }?.message == error?.message)
            #expect(failure { _ = try writer.commit() }?.message == error?.message)
        }
    }
}
