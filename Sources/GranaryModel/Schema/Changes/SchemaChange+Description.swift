extension SchemaChange: CustomStringConvertible {
    /// The change in words: `Artist.rating: double? is added`.
    public var description: String {
        switch self {
        case .entityAdded(let name): "\(name) is added"
        case .entityRemoved(let name): "\(name) is removed"
        case .entityRenamed(let name, let old): "\(name) is the new name of \(old)"
        case .keyChanged(let entity, let old, let new): "\(entity): the key changes from \(old) to \(new)"
        case .keyGenerationChanged(let entity, let old, let new):
            "\(entity): the key changes from \(old) to \(new)"
        case .versionChanged(let entity, let old, let new):
            "\(entity): the version attribute changes from \(old ?? "none") to \(new ?? "none")"
        case .attributeAdded(let entity, let attribute): "\(entity).\(attribute) is added"
        case .attributeRemoved(let entity, let attribute): "\(entity).\(attribute) is removed"
        case .attributeRenamed(let entity, let name, let old): "\(entity).\(name) is the new name of \(old)"
        case .typeChanged(let entity, let attribute, let old, let new):
            "\(entity).\(attribute) changes from \(old) to \(new)"
        case .optionalityChanged(let entity, let attribute, let isOptional):
            "\(entity).\(attribute) becomes \(isOptional ? "optional" : "required")"
        case .defaultChanged(let entity, let attribute, let old, let new):
            "the default of \(entity).\(attribute) changes from \(old.text) to \(new.text)"
        case .externalChanged(let entity, let attribute, let isExternal):
            "\(entity).\(attribute) \(isExternal ? "becomes" : "is no longer") external"
        case .searchChanged(let entity, let attribute, nil): "\(entity).\(attribute) is no longer searchable"
        case .searchChanged(let entity, let attribute, let weight?):
            "\(entity).\(attribute) is searchable with weight \(weight)"
        case .searchGroupChanged(let entity, let attribute, let group):
            "\(entity).\(attribute) is searched in \(group.map { "the group \($0)" } ?? "no group")"
        case .wordRulesChanged(let entity, let old, let new):
            "the words of \(entity) are found by \(new) instead of \(old); its index of words is made anew"
        case .valuesRenamed(let entity, let attribute, let old, let new):
            new.filter { !old.contains($0) }.isEmpty
                ? "\(entity).\(attribute) has fewer renamed values"
                : "\(entity).\(attribute) has renamed values: \(new.filter { !old.contains($0) }.map(\.description).joined(separator: ", "))"
        case .referenceAdded(let entity, let attribute, let target):
            "\(entity).\(attribute) becomes a reference to \(target)"
        case .referenceRemoved(let entity, let attribute, let target):
            "\(entity).\(attribute) is no longer a reference to \(target)"
        case .targetChanged(let entity, let attribute, let old, let new):
            "\(entity).\(attribute) refers to \(new) instead of \(old)"
        case .deleteRuleChanged(let entity, let attribute, let old, let new):
            "the delete rule of \(entity).\(attribute) changes from \(old) to \(new)"
        case .indexAdded(let entity, let index): "\(entity): the \(index) is added"
        case .indexRemoved(let entity, let index): "\(entity): the \(index) is removed"
        case .uniquenessChanged(let entity, let index):
            "\(entity): the index\(index.folding) (\(index.names)) \(index.isUnique ? "becomes" : "is no longer") unique"
        case .foldingChanged(let entity, let old, let new): "\(entity): the \(old) becomes the \(new)"
        case .relationshipAdded(let entity, let name): "the links of \(entity).\(name) are added"
        case .relationshipRemoved(let entity, let name): "the links of \(entity).\(name) are removed"
        case .relationshipRenamed(let entity, let name, let old):
            "\(entity).\(name) is the new name of the links \(old)"
        case .relationshipTargetChanged(let entity, let name, let old, let new):
            "\(entity).\(name) links \(new) instead of \(old)"
        case .relationshipOrderChanged(let entity, let name, let isOrdered):
            "the links of \(entity).\(name) \(isOrdered ? "become" : "are no longer") ordered"
        case .relationshipRuleChanged(let entity, let name, let old, let new):
            "the delete rule of \(entity).\(name) changes from \(old) to \(new)"
        case .referenceBecameLinks(let entity, let name, let old):
            "the reference \(entity).\(old) becomes the links \(entity).\(name)"
        case .linksBecameReference(let entity, let name, let old):
            "the links \(entity).\(old) become the reference \(entity).\(name)"
        case .relationshipDeclarationChanged(let entity, let old, let new):
            SchemaChange.text(ofRelationshipIn: entity, from: old, to: new)
        }
    }
}

extension StoredValue? {
    fileprivate var text: String {
        switch self {
        case nil, .null: "none"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .text(let utf8): "\"\(String(decoding: utf8, as: UTF8.self))\""
        case .bytes(let bytes): "\(bytes.count) bytes"
        }
    }
}

extension Index: CustomStringConvertible {
    /// `index (name)`, `unique index[c] (name, year)`.
    public var description: String { "\(isUnique ? "unique " : "")index\(folding) (\(names))" }

    fileprivate var names: String { attributes.joined(separator: ", ") }
}
