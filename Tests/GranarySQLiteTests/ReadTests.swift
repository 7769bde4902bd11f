import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct ReadTests {
    /// More keys than a statement is given as parameters.
    private static let list = ResolvedCondition.among(position: 0, (1...1001).map { .integer($0) })

    @Test(arguments: [false, true])
    func `a read is of one state from its beginning, and holds nothing after its end`(hasList: Bool) throws {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write { _ = try $0.insert(.genre, 1, "Rock") }
        let reader = try store.beginRead(CancellationFlag())
        try store.write { _ = try $0.insert(.genre, 2, "Jazz") }
        #expect(try reader.all(.genre, hasList ? ReadTests.list : nil) == [[1, "Rock"]])
        try store.write { _ = try $0.update(.genre, 1, "Blues") }
        #expect(try reader.find(.genre, 1) == [1, "Rock"])
        #expect(try reader.all(.genre, hasList ? ReadTests.list : nil) == [[1, "Rock"]])

        let other = try Connection(path: folder.database, purpose: .writing, options: SQLiteOptions())
        #expect(throws: GranaryError.self) { try other.emptyLog(.truncate, waiting: 0) }
        reader.end()
        try other.emptyLog(.truncate, waiting: 0)
        other.close()
        #expect(try store.read { try $0.all(.genre) } == [[1, "Blues"], [2, "Jazz"]])
        try store.close()
    }
}
