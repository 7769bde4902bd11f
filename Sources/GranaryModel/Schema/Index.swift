/// An index over one or several attributes, in this order. In a unique index no two records may have the same values.
///
/// Records with nil in one of a unique index's attributes are not constrained. With a folding, texts are indexed in the
/// form in which case, diacritics or both are ignored: for conditions and orders with the same folding, and for
/// uniqueness in that sense.
public struct Index: Sendable, Hashable, Codable {
    public var attributes: [String]
    public var isUnique: Bool
    /// The folding of the text attributes.
    public var folding: TextFolding

    public init(attributes: [String], isUnique: Bool = false, folding: TextFolding = []) {
        self.attributes = attributes
        self.isUnique = isUnique
        self.folding = folding
    }

    public static func index(_ attributes: String..., folding: TextFolding = []) -> Index {
        Index(attributes: attributes, folding: folding)
    }
    public static func unique(_ attributes: String..., folding: TextFolding = []) -> Index {
        Index(attributes: attributes, isUnique: true, folding: folding)
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        attributes = try container.decode([String].self, forKey: .attributes)
        isUnique = try container.decodeIfPresent(Bool.self, forKey: .isUnique) ?? false
        folding = try container.decodeIfPresent(TextFolding.self, forKey: .folding) ?? []
    }
}
