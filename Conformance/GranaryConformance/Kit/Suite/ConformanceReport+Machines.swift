import Foundation

extension ConformanceReport {
    /// One outcome as one line of JSON, its keys sorted.
    ///
    /// `{"area":"records","case":"records.insert-find","mode":"fresh","result":"passed","seconds":0.01,"store":"sqlite"}`;
    /// of a failure or a skip also `message`.
    public static func jsonLine(_ outcome: ConformanceSuite.Outcome, store: String) -> String {
        let (result, message): (String, String?) =
            switch outcome.result {
            case .passed: ("passed", nil)
            case .failed(let message): ("failed", message)
            case .skipped(let reason): ("skipped", reason)
            }
        return line(
            CaseLine(
                store: store, id: outcome.id, area: outcome.area.rawValue, mode: outcome.mode.rawValue, result: result,
                seconds: rounded(outcome.seconds), message: message))
    }

    /// One line of JSON a store: `{"failed":0,"passed":120,"skipped":3,"store":"sqlite"}`.
    public func jsonSummaries() -> String {
        stores.map { store in
            let tally = tally(store: store)
            return Self.line(
                StoreLine(store: store, passed: tally.passed, failed: tally.failed, skipped: tally.skipped))
        }.joined(separator: "\n")
    }

    /// The outcomes as JUnit XML: a test suite a store, the area as class name.
    public func junit() -> String {
        var xml = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>"]
        for store in stores {
            let tally = tally(store: store)
            xml.append(
                "  <testsuite name=\"\(Self.escaped(store))\" tests=\"\(tally.passed + tally.failed + tally.skipped)\" "
                    + "failures=\"\(tally.failed)\" skipped=\"\(tally.skipped)\" time=\"\(Self.rounded(tally.seconds))\">"
            )
            for entry in entries where entry.store == store { xml.append(Self.testCase(entry)) }
            xml.append("  </testsuite>")
        }
        return (xml + ["</testsuites>", ""]).joined(separator: "\n")
    }

    private static func testCase(_ entry: Entry) -> String {
        let outcome = entry.outcome
        let start =
            "    <testcase classname=\"\(escaped(entry.store)).\(escaped(outcome.area.rawValue))\" "
            + "name=\"\(escaped(outcome.id)) [\(outcome.mode.rawValue)]\" time=\"\(rounded(outcome.seconds))\""
        return switch outcome.result {
        case .passed: start + "/>"
        case .failed(let message):
            start + "><failure message=\"\(escaped(outcome.summary))\">\(escaped(message))</failure></testcase>"
        case .skipped(let reason): start + "><skipped message=\"\(escaped(reason))\"/></testcase>"
        }
    }

    /// Text as XML 1.0 takes it: the five entities, and a question mark for characters that it forbids.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            case "\t": result += "&#9;"
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "?"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }

    private static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value), let text = String(bytes: data, encoding: .utf8) else {
            return "{}"
        }
        return text
    }

    private struct CaseLine: Encodable {
        let store, id, area, mode, result: String
        let seconds: Double
        let message: String?

        enum CodingKeys: String, CodingKey {
            case store, area, mode, result, seconds, message
            case id = "case"
        }
    }

    private struct StoreLine: Encodable {
        let store: String
        let passed, failed, skipped: Int
    }
}
