/// How `@Attribute` stores a property whose type does not say it.
///
/// ```swift
/// @Attribute(.json) var settings: Settings
/// @Attribute(.scaled(2)) var price: Decimal
/// ```
///
/// Read by the macro from the source; it has no meaning at run time.
public struct AttributeKind: Sendable {
    private init() {}

    /// As JSON with sorted keys: ``JSON``. For any type that is `Codable` and `Sendable`.
    public static let json = AttributeKind()

    /// As an integer, times ten to the places: ``ScaledDecimal``. For `Decimal`. From 0 to 18 places, a literal.
    public static func scaled(_ places: Int) -> AttributeKind { AttributeKind() }
}
