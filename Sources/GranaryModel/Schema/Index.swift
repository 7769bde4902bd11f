/// An index over one or several attributes, in this order; unique if no two records may agree in all of them.
///
/// Records with nil in any of a unique index's attributes are not constrained. With a folding, texts are indexed as they
/// are compared without regard to case, diacritics or both: for conditions and orders that do the same, and for
/// uniqueness in that sense.
public struct Index: Sendable, Hashable, Codable {
    public var attributes: [String]
    public var isUnique: Bool
    /// Of the attributes that are text.
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
