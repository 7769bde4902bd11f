import Foundation
import Granary
import GranarySQLite
import TestSupport
import Testing

@testable import GranaryTool

/// Values that the record types of an app do not have.
struct RecordTypeCheckTests {
    enum Mood: String, AttributeValue { case calm, wild }

    @Record struct Tune {
        @Key var id: Int64
        var mood: Mood

        func validate() throws {
            if id == 13 { throw GranaryError(.invalidRecord, "13 is no number for a tune.", entity: Tune.entityName) }
        }
    }

    private func tune(_ id: Int64, _ mood: String) throws -> DynamicRecord {
        var record = DynamicRecord(Tune.entity)
        try record.set("id", toStored: .integer(id))
        try record.set("mood", toStored: .string(mood))
        return record
    }

    @Test func `a value that an enum does not have is refused, and so is a record by the type's rules`() throws {
        let check = try #require(RecordTypeCheck(Schema(Tune.self)))
        try check.require(try tune(1, "calm"))
        let unknown = #expect(throws: GranaryError.self) { try check.require(try tune(1, "loud")) }
        #expect(unknown?.code == .typeMismatch && unknown?.attributes == ["mood"])
        #expect(unknown?.value == "loud" && unknown?.key == .integer(1))
        let ruled = #expect(throws: GranaryError.self) { try check.require(try tune(13, "calm")) }
        #expect(ruled?.code == .invalidRecord && ruled?.key == .integer(13))
        #expect(RecordTypeCheck(Schema(entities: [Tune.entity])) == nil)
    }

    @Test func `the records of a store that their types refuse are listed`() throws {
        let folder = try TemporaryFolder()
        let stack = try Stack(Schema(Tune.self), store: .sqlite(atPath: "\(folder.path)/Tunes.granary"))
        let check = try #require(RecordTypeCheck(stack.schema))
        try stack.blocking.write { tx in
            for id in 1...120 { try tx.insert(try tune(Int64(id + 100), "loud")) }
            try tx.insert(try tune(1, "calm"))
        }
        let faults = try stack.blocking.read { try check.faults(in: $0) }
        #expect(faults.count == 101)
        #expect(faults.first?.contains("[Tune.mood, key 101, value \"loud\"]") == true, "\(faults.first ?? "")")
        #expect(faults.last == "and 20 more of Tune")
        try withExtendedLifetime(folder) { try stack.blocking.close() }
    }
}
