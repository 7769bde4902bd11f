public struct TextFolding: OptionSet, Sendable, Hashable, Codable {
    public var rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let caseInsensitive = TextFolding(rawValue: 1)
    public static let diacriticInsensitive = TextFolding(rawValue: 2)
}
public struct TextMatch: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable { case equal, contains, prefix, suffix, like, matches }
    public var kind: Kind
    public var pattern: [UInt8]
    public var folding: TextFolding
    public init(_ kind: Kind, _ pattern: [UInt8], folding: TextFolding = []) {
        self.kind = kind
        self.pattern = pattern
        self.folding = folding
    }
}
public enum ArithmeticOperator: String, Sendable, Hashable, Codable, CaseIterable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
}
public enum NumberKind: String, Sendable, Hashable, Codable { case integer, real, decimal }
public enum AggregateFunction: String, Sendable, Hashable, Codable, CaseIterable {
    case count, sum, average, minimum, maximum
}
public enum DateComponent: String, Sendable, Hashable, Codable, CaseIterable {
    case year, month, day, hour, minute, second, weekday, dayOfYear, weekOfYear, yearForWeekOfYear, quarter
}
public struct JSONPath: Sendable, Hashable, Codable, CustomStringConvertible {
    public var text: String
    public init(_ text: String) throws { self.text = text }
    public var description: String { text }
}
