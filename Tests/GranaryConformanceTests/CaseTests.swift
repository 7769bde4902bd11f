import ConformanceKit
import Foundation
import GranaryConformance
import Testing

@Suite struct CaseTests {
    @Test func `no two cases have one id`() {
        let twice = Dictionary(grouping: ConformanceSuite.cases, by: \.id).filter { $0.value.count > 1 }
        #expect(twice.keys.sorted() == [])
    }

    @Test func `no list of cases is forgotten`() throws {
        let suite = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Conformance/GranaryConformance")
        let files = try #require(FileManager.default.enumerator(at: suite, includingPropertiesForKeys: nil))
        var text = ""
        for case let file as URL in files where file.pathExtension == "swift" {
            text += try String(contentsOf: file, encoding: .utf8)
        }
        let declared = text.matches(of: /var (\w+Cases): \[ConformanceCase\]/).map { String($0.1) }
        let uses = Dictionary(text.matches(of: /\b\w+Cases\b/).map { (String($0.0), 1) }, uniquingKeysWith: +)
        #expect(declared.count > 100)
        #expect(declared.filter { uses[$0] == 1 } == [])
    }
}
