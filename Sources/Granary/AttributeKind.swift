/// How `@Attribute` stores a property whose type does not say it, and how contexts merge it.
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

    /// As an integer, times ten to the places: ``ScaledDecimal``. For `Decimal`. From 0 to 18 places, a literal.
    public static func scaled(_ places: Int) -> AttributeKind { AttributeKind() }

    /// Two sides that change the property to the same value agree; they are not in conflict. For facts that several
    /// writers may find out, such as a title that two imports read from one file; not for what is counted. Beside another
    /// kind: `@Attribute(.scaled(2), .agreeing)`.
    public static let agreeing = AttributeKind()

    /// Values of 16 KiB or more are kept in files of the store's folder, named by their content: for `Data` that is large,
    /// as of images, and that queries do not ask of. It cannot be indexed or unique, and a condition can only compare it
    /// with nil. A store in memory keeps it in memory.
    public static let external = AttributeKind()

    /// As ``external``, with the size in bytes from which on a value is kept in a file.
    public static func external(from size: Int) -> AttributeKind { AttributeKind() }
}
