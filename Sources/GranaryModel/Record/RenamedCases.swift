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
    /// The cases by the raw values that they had before, and that none has now.
    static var renamedFrom: [RawValue: Self] { get }
}

extension RenamedCases {
    public static var renamedValues: [ValueRenaming] {
        renamedFrom.compactMap { old, new in
            guard let old = try? StoredValue(encoding: old), let new = try? StoredValue(encoding: new.rawValue) else {
                return nil
            }
            return ValueRenaming(old, to: new)
        }
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
