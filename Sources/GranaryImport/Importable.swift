public import GranaryCore

/// A record type that defines what the keys of a source mean for it. Types whose attributes have the same names in the
/// source need no mapping, and can be imported without this protocol.
///
/// ```swift
/// extension Artist: ImportMapped {
///     static let importMapping = ImportMapping().map("name", from: "artist_name")
/// }
/// ```
///
/// The mapping is used wherever its records are imported or exported: by themselves, nested in other objects, by name.
/// Values are decoded as quickly as those of a type without a mapping. ``Importable`` adds hooks; for them each object
/// becomes a value, and each record is made.
public protocol ImportMapped: Record {
    /// The meanings of keys that the names of attributes do not show.
    static var importMapping: ImportMapping { get }
}

/// A record type that takes part in the import of its records. Every requirement has a default. For a mapping alone,
/// ``ImportMapped`` is enough, and faster.
///
/// ```swift
/// extension Artist: Importable {
///     static let importMapping = ImportMapping().map("name", from: "artist_name").dates(.millisecondsSince1970)
///
///     mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws {
///         initial = String(name.prefix(1))
///     }
/// }
/// ```
///
/// Its mapping and its hooks are used wherever its records are imported: by themselves, nested in other objects, by
/// name.
public protocol Importable: ImportMapped {
    /// Called with each object before its values are read. It may be called again with the same object: when the object
    /// waits for another one, or when its batch cannot be written as a whole. So it should have no side effects.
    ///
    /// - Returns: The object to import, unchanged or changed; nil to skip it. Return nil with a statement of its own:
    ///   in `condition ? nil : value` the `nil` is ``ImportValue/null``, which is no object.
    /// - Throws: Any error refuses the object: it is reported as failed.
    static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue?

    /// Called with each record before it is validated and written. Changes that it makes are written. References to
    /// records that are imported with it are already set; its to-many relationships are not. It may be called again if
    /// the batch could not be written.
    ///
    /// - Throws: Any error refuses the record: it is reported as failed.
    mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws
}

extension Importable {
    public static var importMapping: ImportMapping { ImportMapping() }
    public static func willImport(_ value: ImportValue, _ place: ImportPlace) throws -> ImportValue? { value }
    public mutating func didImport(_ value: ImportValue, _ place: ImportPlace) throws {}
}
