import GranaryConformance
import Testing

@Suite struct CaseTests {
    @Test func `no two cases have one id`() {
        let twice = Dictionary(grouping: ConformanceSuite.cases, by: \.id).filter { $0.value.count > 1 }
        #expect(twice.keys.sorted() == [])
    }
}
