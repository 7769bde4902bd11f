/// What was expected and was not so: thrown by the helpers of this module. A test that lets it through fails with its
/// text, in any test framework.
public struct ExpectationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Each difference in a sentence.
    public let differences: [String]

    public init(_ differences: [String]) { self.differences = differences }

    public var description: String { differences.joined(separator: "\n") }
}
