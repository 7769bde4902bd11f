/// An enum, or a wrapper, of which stored raw values were others before: a migration that rewrites records writes the new ones.
///
/// ```swift
/// enum Mood: String, RenamedCases {
///     case calm, furious
///     static let renamedFrom = ["angry": Mood.furious]
/// }
/// ```
///
/// Opening a store that knows nothing of a renaming is a migration: ``SchemaChange/valuesRenamed(entity:attribute:from:to:)``. A store
/// keeps which renamings it has done. Leave them in the program as long as there are stores, or seeds, from before.
public protocol RenamedCases: AttributeValue, RawRepresentable where RawValue: AttributeValue & Hashable {
    /// The cases by the raw values that they had before, and that none has now. A raw value of an enum that is still a case is
    /// `invalidSchema` when a store is opened: its stored values are as they should be.
    static var renamedFrom: [RawValue: Self] { get }
}

extension RenamedCases {
    public static var renamedValues: [ValueRenaming] {
        renamedFrom.compactMap { old, new in
            guard let earlier = try? StoredValue(encoding: old), let now = try? StoredValue(encoding: new.rawValue)
            else { return nil }
            // A schema refuses a value that is renamed to itself.
            return ValueRenaming(earlier, to: new.isCase(old) ? earlier : now)
        }
    }

    /// Whether a raw value is still that of a case of this enum. A wrapper has every value, which says nothing.
    private func isCase(_ value: RawValue) -> Bool {
        Mirror(reflecting: self).displayStyle == .enum && Self(rawValue: value)?.rawValue == value
    }
}

/// A stored value of an attribute that is another one now.
public struct ValueRenaming: Sendable, Hashable, Codable {
    public let old: StoredValue
    public let new: StoredValue

    public init(_ old: StoredValue, to new: StoredValue) { (self.old, self.new) = (old, new) }
}

extension ValueRenaming: CustomStringConvertible {
    public var description: String { "\(old) to \(new)" }
}
