/// A record that was changed in a context and, after the context began, also one level up.
///
/// Changes of different attributes are no conflict: they are merged.
public struct MergeConflict: Sendable {
    public enum Kind: Sendable, Hashable {
        /// Both sides changed ``MergeConflict/attributes``, and at least one of these to different values.
        case changedTwice
        /// Both sides changed ``MergeConflict/attributes``, each to the same value. If both add 1 to 10, both write 11,
        /// and one addition would be lost. ``MergePolicy/agreeing`` and ``Attribute/agreeing()`` say where that is
        /// harmless.
        case changedAlike
        /// Changed in the context, deleted one level up.
        case deletedInStore
        /// Deleted in the context, changed one level up.
        case deletedInContext
        /// A record with this key was inserted on both sides. ``MergeConflict/attributes`` are those that differ; empty
        /// if the two records are equal.
        case insertedTwice
        /// Another record has the same values for a unique constraint over ``MergeConflict/attributes``.
        case uniqueness
        /// ``MergeConflict/attributes`` refer to a record that was deleted one level up. Optional references become nil
        /// under every policy.
        case targetDeleted
    }

    public let kind: Kind
    /// The attributes in conflict; for a deletion, the attributes that the other side changed.
    public let attributes: [String]
    /// The record in the state that the context began from; nil if it did not exist.
    public let base: DynamicRecord?
    /// The record in the context; nil if the context deleted it.
    public let context: DynamicRecord?
    /// The record one level up; nil if it does not exist there.
    public let store: DynamicRecord?
    /// The record with all other changes merged and the context's values of ``attributes``: a starting point for a
    /// closure that answers `replace`. Nil if one side has deleted the record.
    public let merged: DynamicRecord?
    /// For ``Kind/uniqueness``: the record that has the values. If a new record is given up for it, references to the
    /// new record in the context are saved as references to this one.
    public internal(set) var holder: DynamicRecord?

    let place: RecordChange.Place
    let entityDescription: Entity

    init(
        _ kind: Kind, _ attributes: AttributeSet, _ place: RecordChange.Place, _ entity: Entity, base: StoredRow?,
        context: StoredRow?, store: StoredRow?, merged: StoredRow?
    ) {
        self.kind = kind
        self.attributes =
            entity.named(
                attributes.positions.filter(entity.attributes.indices.contains).map { entity.attributes[$0].name }
            ).attributes
        self.place = place
        entityDescription = entity
        self.base = base.map { DynamicRecord(entity, $0.values) }
        self.context = context.map { DynamicRecord(entity, $0.values) }
        self.store = store.map { DynamicRecord(entity, $0.values) }
        self.merged = merged.map { DynamicRecord(entity, $0.values) }
    }

    /// Whether both sides did the same.
    var isAlike: Bool { kind == .changedAlike || kind == .insertedTwice && attributes.isEmpty }

    /// The record's entity. For a link of a many-to-many relationship, the entity that owns the relationship, and
    /// ``attributes`` then names the relationship.
    public var entity: String { entityDescription.named([]).entity }
    /// The key in its stored form.
    public var key: StoredValue { place.key }
}

extension MergeConflict: CustomStringConvertible {
    public var description: String {
        let names = attributes.joined(separator: ", ")
        return switch kind {
        case .changedTwice: "\(entity): \(names) changed on both sides"
        case .changedAlike: "\(entity): \(names) changed on both sides to the same value"
        case .deletedInStore: "\(entity): changed here (\(names)), deleted in the store"
        case .deletedInContext: "\(entity): deleted here, changed in the store (\(names))"
        case .insertedTwice:
            "\(entity): inserted on both sides with one key, \(names.isEmpty ? "with the same values" : "\(names) differ")"
        case .uniqueness: "\(entity): another record has the same \(names)"
        case .targetDeleted: "\(entity): \(names) refers here to a record that was deleted in the store"
        }
    }
}

extension GranaryError {
    /// The conflicts of a save that threw `mergeConflict` or `uniqueness`.
    public var conflicts: [MergeConflict] { details as? [MergeConflict] ?? [] }

    static func unmerged(_ conflicts: [MergeConflict]) -> GranaryError {
        let first = conflicts.first.map(\.description) ?? ""
        let more = conflicts.count > 1 ? " and \(conflicts.count - 1) more" : ""
        var error = GranaryError(
            .mergeConflict,
            "Records were changed in the context and in the store: \(first)\(more). Refresh them and change them again, or save with another merge policy. Nothing was saved.",
            entity: conflicts.first?.entity, attributes: conflicts.first?.attributes ?? [])
        error.details = conflicts
        return error
    }
}
