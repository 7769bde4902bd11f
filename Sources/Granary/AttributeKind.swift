/// How `@Attribute` stores a property if the type does not decide it, and how contexts merge it.
///
/// ```swift
/// @Attribute(.json) var settings: Settings
/// @Attribute(.scaled(2)) var price: Decimal
/// @Attribute(.agreeing) var title: String
/// @Attribute(.external) var photo: Data?
/// @Attribute(.external(from: 4096)) var preview: Data?
/// ```
///
/// Read by the macro from the source; it has no meaning at run time.
public struct AttributeKind: Sendable {
    private init() {}

    /// As JSON with sorted keys: ``JSON``. For any type that is `Codable` and `Sendable`.
    public static let json = AttributeKind()

    /// As an integer: the value times ten to the power of `places`, as ``ScaledDecimal`` has it. For `Decimal`.
    /// `places` is a literal from 0 to 18.
    public static func scaled(_ places: Int) -> AttributeKind { AttributeKind() }

    /// Two sides that change the property to the same value agree; they are not in conflict. For facts that several
    /// writers may find out, such as a title that two imports read from one file; not for counters. It can be combined
    /// with another kind: `@Attribute(.scaled(2), .agreeing)`.
    public static let agreeing = AttributeKind()

    /// Values of 16 KiB or more are kept in files of the store's folder, named by their content: for large `Data`, such
    /// as images, that queries do not use. The attribute cannot be indexed or unique, and a condition can only compare
    /// it with nil. A store in memory keeps the values in memory.
    public static let external = AttributeKind()

    /// Like ``external``, with the least size in bytes of a value that is kept in a file.
    public static func external(from size: Int) -> AttributeKind { AttributeKind() }
}
