import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct DeletionTests {
    private func plan(_ table: Table) -> DeletionPlan {
        let layouts = Catalog(music, hasChecksums: false).layouts
        return DeletionPlan(table.rawValue, layouts)
    }

    @Test func `a plan says what goes, what becomes nil, what denies, and whether cascades may go round`() {
        #expect(plan(.genre).reached == [0])
        #expect(plan(.genre).nullified.map(\.position) == [4])
        #expect(plan(.artist).reached == [1, 2])
        #expect(plan(.artist).denying.map(\.entity) == [Table.tag.rawValue])
        #expect(!plan(.artist).isUnbounded)
        #expect(plan(.tag).reached == [3])
        #expect(plan(.tag).isUnbounded)
        #expect(plan(.event).referrerQuery == nil)
    }

    @Test(arguments: [false, true])
    func `a chain deeper than SQLite follows goes whole`(rowChecksums: Bool) throws {
        let folder = try TemporaryFolder()
        let store = try folder.open(rowChecksums: rowChecksums)
        try store.write { (writer) throws in
            try writer.insert(.artist, 1, "A", nil, 1, nil)
            try writer.insert(.song, 1, "S", 1, nil)
            try writer.insert(.tag, "t1", 1, nil)
            for number in 2...3000 {
                try writer.insert(.tag, .string("t\(number)"), 1, .string("t\(number - 1)"))
            }
            let before = try writer.all(.tag).count
            #expect(before == 3000)
            let denied = failure { try writer.delete(.artist, 1) }
            #expect(denied?.code == .deniedDeletion)
            #expect(denied?.entity == "Tag")
            #expect(denied?.attributes == ["song"])
            #expect(try writer.delete(.tag, "t2"))
            #expect(try writer.all(.tag) == [["t1", 1, nil]])
            #expect(try !writer.delete(.tag, "t2"))
        }
        #expect(try store.read { $0.transactionNumber } == 1)
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `what loses a reference has a right checksum`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open(rowChecksums: true)
        try store.write { (writer) throws in
            try writer.insert(.genre, 1, "Rock")
            try writer.insert(.genre, 2, "Pop")
            for number in Int64(1)...50 {
                try writer.insert(.artist, .integer(number), "A", nil, 1, .integer(number % 2 + 1))
            }
            #expect(try writer.deleteAll(FetchRequest(entity: Table.genre.rawValue)) == 2)
            #expect(try writer.all(.artist, .compare(position: 4, .equal, nil)).count == 50)
        }
        #expect(try store.verify() == [])
        try store.close()
    }

    @Test func `a chain is deleted while another reference dangles, as far as SQLite follows it`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { (writer) throws in
            try writer.insert(.artist, 1, "A", nil, 1, nil)
            try writer.insert(.song, 1, "S", 1, nil)
            try writer.insert(.tag, "t1", 1, nil)
            for number in 2...2000 {
                try writer.insert(.tag, .string("t\(number)"), 1, .string("t\(number - 1)"))
            }
            try writer.beginSavepoint()
            try writer.deferReferences()
            try writer.insert(.tag, "early", 2, nil)
            #expect(failure { try writer.delete(.tag, "t1") }?.code == .limit)
            #expect(try writer.all(.tag).count == 2001)
            #expect(try writer.delete(.tag, "t1500"))
            try writer.insert(.song, 2, "Late", 1, nil)
            try writer.checkReferences()
            try writer.releaseSavepoint()
            #expect(try writer.all(.tag).count == 1500)
            #expect(try writer.delete(.tag, "t1"))
            #expect(try writer.all(.tag) == [["early", 2, nil]])
        }
        #expect(try store.verify() == [])
        try store.close()
    }
}
