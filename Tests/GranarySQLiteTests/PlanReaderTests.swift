import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct PlanReaderTests {
    @Test func `an index that SQLite makes for one statement is a scan`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.open(library)
        try store.read { reader in
            let session = try #require(reader as? SQLiteReader).live()
            let layout = Catalog(library, hasChecksums: false).layouts[1]
            var sql = SQLText(layout, SQLText.Bounds())
            let artist = sql.alias(1)
            let song = sql.alias(2)
            sql.text = """
                SELECT \(artist)."id" FROM "Artist" AS \(artist) CROSS JOIN "Song" AS \(song)
                WHERE \(song)."year" = \(artist)."plays"
                """
            var planReader = PlanReader(FetchRequest(entity: 1), layout)
            let plan = try planReader.plan(of: sql, session)
            #expect(plan.fullScans == ["Artist", "Song"], "\(plan)")
        }
        try store.close()
    }
}
