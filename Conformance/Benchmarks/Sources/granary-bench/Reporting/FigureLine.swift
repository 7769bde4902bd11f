import Foundation

/// A figure, as `--json` prints it: a line each, and the same fields whatever was measured.
struct FigureLine: Codable, Equatable {
    /// What was timed, such as `find`.
    var what: String
    /// What did it, such as `granary-sqlite`.
    var subject: String
    /// What the value is, such as `median` or `finds a second`.
    var measure: String
    var value: Double
    /// `ms`, `us`, `1/s`, `MB/s`, `MB`, `bytes` or `times`.
    var unit: String
    /// The place of the value on an axis of numbers, such as 4, and what is counted there, such as `threads`.
    var x: Double?
    var xName: String?
    /// The value against another one of the same run, and what that is.
    var ratio: Double?
    var ratioTo: String?
    /// What the ratio should be, or the value if there is no ratio: `at most 1.5`. Nil if nothing is asked for.
    var target: String?
    var isMet: Bool?

    private enum CodingKeys: String, CodingKey {
        case what, subject, measure, value, unit, x, ratio, target
        case xName = "x_name"
        case ratioTo = "ratio_to"
        case isMet = "met"
    }

    init(_ what: String, _ subject: String, measure: String, value: Double, unit: String) {
        (self.what, self.subject, self.measure) = (what, subject, measure)
        (self.value, self.unit) = (value, unit)
    }

    /// The median of a time, in milliseconds.
    init(_ what: String, _ subject: String, median: Duration) {
        self.init(what, subject, measure: "median", value: median / .milliseconds(1), unit: "ms")
    }

    func at(_ x: Double, _ name: String) -> FigureLine {
        var line = self
        (line.x, line.xName) = (x, name)
        return line
    }

    /// With a ratio; without one if there is nothing to compare with, or its time was 0.
    func compared(_ ratio: Double?, to name: String) -> FigureLine {
        var line = self
        let ratio = ratio.flatMap { $0.isFinite ? $0 : nil }
        line.ratio = ratio
        line.ratioTo = ratio == nil ? nil : name
        return line
    }

    func expected(atMost limit: Double) -> FigureLine {
        var line = self
        line.target = "at most \(limit.inWords)"
        line.isMet = (ratio ?? value) <= limit
        return line
    }

    func expected(atLeast limit: Double) -> FigureLine {
        var line = self
        line.target = "at least \(limit.inWords)"
        line.isMet = (ratio ?? value) >= limit
        return line
    }

    /// The line of JSON. Six digits of each number are kept: no measurement has more.
    func encoded() throws -> String {
        var line = self
        line.value = value.rounded(digits: 6)
        line.ratio = ratio?.rounded(digits: 6)
        return try LineCoding.encode(line)
    }
}

/// How lines of JSON are written: always in the same order, so that two files can be compared.
enum LineCoding {
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension Double {
    /// `1.5`, `200`: as many digits as are needed, at most six.
    var inWords: String { String(format: "%g", self) }

    fileprivate func rounded(digits: Int) -> Double { Double(String(format: "%.\(digits)g", self)) ?? self }
}
