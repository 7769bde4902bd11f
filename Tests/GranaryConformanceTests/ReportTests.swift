import Foundation
import Testing

@testable import ConformanceKit

@Suite struct ReportTests {
    private func outcome(
        _ id: String, _ result: ConformanceSuite.Outcome.Result, area: ConformanceCase.Area = .records
    ) -> ConformanceSuite.Outcome {
        ConformanceSuite.Outcome(
            id: id, area: area, summary: "a & b", mode: .fresh, result: result, seconds: 0.25)
    }

    private var report: ConformanceReport {
        var report = ConformanceReport()
        report.add(outcome("records.a", .passed), store: "one")
        report.add(outcome("records.b", .failed("got <1>\u{1}, expected \"2\"")), store: "one")
        report.add(outcome("nulls.c", .skipped("needs persistence"), area: .nulls), store: "one")
        report.add(outcome("records.a", .passed), store: "two")
        return report
    }

    @Test func `outcomes are counted by store and by area`() {
        let tally = report.tally(store: "one")
        #expect((tally.passed, tally.failed, tally.skipped) == (1, 1, 1))
        #expect(report.tally(store: "one", area: .nulls).skipped == 1)
        #expect(report.tally(store: "two").passed == 1)
        #expect(report.hasFailures)
        #expect(!ConformanceReport().hasFailures)
    }

    @Test func `a JSON line has the keys that programs read, and a message where there is one`() throws {
        #expect(
            ConformanceReport.jsonLine(outcome("records.a", .passed), store: "one")
                == #"{"area":"records","case":"records.a","mode":"fresh","result":"passed","seconds":0.25,"store":"one"}"#
        )
        let failed = ConformanceReport.jsonLine(outcome("records.b", .failed("line 1\nline 2")), store: "one")
        #expect(!failed.contains("\n"))
        let read = try JSONSerialization.jsonObject(with: Data(failed.utf8)) as? [String: Any]
        #expect(read?["message"] as? String == "line 1\nline 2")
        #expect(read?["result"] as? String == "failed")
    }

    @Test func `each store has a JSON line with its counts`() {
        #expect(
            report.jsonSummaries() == """
                {"failed":1,"passed":1,"skipped":1,"store":"one"}
                {"failed":0,"passed":1,"skipped":0,"store":"two"}
                """)
    }

    @Test func `the summary names failures and skips`() {
        let summary = report.summary()
        #expect(summary.contains("one: records.b [fresh] a & b\n    got <1>"))
        #expect(summary.contains("one: 1, needs persistence"))
        #expect(summary.hasSuffix("two: 1 passed, 0 failed, 0 skipped in 0.25 s"))
    }

    @Test func `the matrix has a row an area and a column a store`() {
        #expect(
            report.matrix() == """
                area     one   two
                records  no    yes
                nulls    -     -
                """)
    }

    @Test func `JUnit text is well-formed XML whatever a message holds`() throws {
        let xml = report.junit()
        #expect(xml.contains("<testsuite name=\"one\" tests=\"3\" failures=\"1\" skipped=\"1\" time=\"0.75\">"))
        #expect(xml.contains("got &lt;1&gt;?, expected &quot;2&quot;"))
        #expect(!xml.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }
}
