/// A record that was changed in a context and, since the context began from it, one level up as well.
///
/// Changes of different attributes are no conflict: they are merged.
public struct MergeConflict: Sendable {
    public enum Kind: Sendable, Hashable {
        /// Both gave ``MergeConflict/attributes`` other values, and of at least one of them different values.
        case changedTwice
        /// Both gave ``MergeConflict/attributes`` other values, of each the same: two that add 1 to 10 both write 11, which
        /// would be one addition lost. ``MergePolicy/agreeing`` and ``Attribute/agreeing()`` say where that is harmless.
        case changedAlike
        /// Changed here, deleted there.
        case deletedInStore
        /// Deleted here, changed there.
        case deletedInContext
        /// A record with this key was inserted on both sides. ``MergeConflict/attributes`` are those that differ; none where
        /// the two are alike.
        case insertedTwice
        /// Another record has the same values for a unique constraint over ``MergeConflict/attributes``.
        case uniqueness
        /// Refers, by ``MergeConflict/attributes``, to a record that was deleted there. Those that are optional become nil
        /// under every policy.
        case targetDeleted
    }

    public let kind: Kind
    /// The attributes in conflict; for a deletion, those that the other side changed.
    public let attributes: [String]
    /// As it was where the context began from; nil if it was not there.
    public let base: DynamicRecord?
    /// As it is in the context; nil if it is deleted.
    public let context: DynamicRecord?
    /// As it is one level up; nil if it is not there.
    public let store: DynamicRecord?
    /// The record with everything else merged and the context's values of ``attributes``: what a closure begins from that
    /// answers `replace`. nil if one side has deleted it.
    public let merged: DynamicRecord?
    /// For ``Kind/uniqueness``: the record that has the values. If a new record is given up for it, what refers to that one
    /// in the context is saved with a reference to this.
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

    /// The record's entity; of a link of a many-to-many relationship the entity that owns the relationship, which is then
    /// what ``attributes`` has.
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
