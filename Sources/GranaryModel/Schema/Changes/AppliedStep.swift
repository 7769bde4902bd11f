import GranaryPlatform

/// A step of a migration plan that a store has applied, kept in the store with its schema.
public struct AppliedStep: Sendable, Hashable, Codable {
    public let name: String
    /// The text of the step when the store applied it: its kind, what it allowed, its SQL.
    public let text: String
    /// 16 hexadecimal digits over ``text``.
    public let checksum: String

    package init(name: String, text: String) {
        self.name = name
        self.text = text
        let digits = String(Array(text.utf8).withUnsafeBytes { hash64($0, seed: 0) }, radix: 16)
        checksum = String(repeating: "0", count: 16 - digits.count) + digits
    }
}
