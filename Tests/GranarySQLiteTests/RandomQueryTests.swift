import Testing
import GranaryCore
@testable import GranarySQLite
import TestSupport

@Suite struct RandomQueryTests {
    @Test(arguments: (1...4).map(TestSeed.of))
    func `every request is answered as its definition says`(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let rows = libraryRows(&random)
        let folder = try TemporaryFolder()
        let store = try folder.library(rows)
        let naive = NaiveQuery(schema: library, rows: rows)
        var requests = RandomRequests(random: random)
        var answered = 0
        try store.read { reader in
            for number in 0..<300 {
                let request = requests.request(number % 3, 1 + number % 3)
                let comment = Comment("seed \(seed), request \(number): \(request)")
                // A sum that does not fit is an error, at which a store need not arrive.
                guard let expected = try? naive.answer(request) else { continue }
                #expect(try reader.all(request) == expected, comment)
                answered += 1
                #expect(try reader.count(request) == expected.count, comment)
                let aggregate = requests.aggregate(number % 3, 1 + number % 3)
                guard let groups = try? naive.answer(aggregate) else { continue }
                let found = try reader.all(aggregate).sorted { $0.lexicographicallyPrecedes($1) }
                #expect(found == groups, "seed \(seed), aggregate \(number): \(aggregate)")
            }
        }
        #expect(answered > 250)
        try store.close()
    }
}
