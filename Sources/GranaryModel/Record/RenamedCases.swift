/// An enum, or a wrapper, with renamed raw values: a migration that rewrites records replaces the old raw values by the
/// new ones.
///
/// ```swift
/// enum Mood: String, RenamedCases {
///     case calm, furious
///     static let renamedFrom = ["angry": Mood.furious]
/// }
/// ```
///
/// If a store does not know a renaming, opening it is a migration:
/// ``SchemaChange/valuesRenamed(entity:attribute:from:to:)``. A store remembers the renamings that it has done. Keep
/// them in the program as long as there are older stores or seeds.
public protocol RenamedCases: AttributeValue, RawRepresentable where RawValue: AttributeValue & Hashable {
    /// The cases by earlier raw values that no case has now. If an earlier raw value is still the raw value of a case
    /// of an enum, opening a store throws `invalidSchema`, because such stored values are correct as they are.
    static var renamedFrom: [RawValue: Self] { get }
}

extension RenamedCases {
    public static var renamedValues: [ValueRenaming] {
        renamedFrom.compactMap { old, new in
            guard let earlier = try? StoredValue(encoding: old), let now = try? StoredValue(encoding: new.rawValue)
            else { return nil }
            // The schema refuses a value that is renamed to itself.
            return ValueRenaming(earlier, to: new.isCase(old) ? earlier : now)
        }
    }

    /// Whether a raw value belongs to a case of this enum. False for a wrapper: it accepts every value, which proves
    /// nothing.
    private func isCase(_ value: RawValue) -> Bool {
        Mirror(reflecting: self).displayStyle == .enum && Self(rawValue: value)?.rawValue == value
    }
}

/// A renamed stored value of an attribute.
public struct ValueRenaming: Sendable, Hashable, Codable {
    public let old: StoredValue
    public let new: StoredValue

    public init(_ old: StoredValue, to new: StoredValue) { (self.old, self.new) = (old, new) }
}

extension ValueRenaming: CustomStringConvertible {
    public var description: String { "\(old) to \(new)" }
}
