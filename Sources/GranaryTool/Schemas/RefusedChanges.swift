import GranaryCore

extension PlannedMigration {
    /// The options of `migrate` that allow the refused changes which may lose values. An option may also allow records
    /// to be rewritten. Nil if no refused change may lose values, or if one of these changes has no option.
    var options: String? {
        let lossy = refused.filter { $0.cost == .lossy }
        let options = lossy.compactMap { option(for: $0)?.description }
        return options.isEmpty || options.count < lossy.count ? nil : options.joined(separator: " ")
    }

    /// The refused changes that may lose values: as options if an option allows them, and the others.
    var dividedRefusals: (options: [String], others: [SchemaChange]) {
        let lossy = refused.filter { $0.cost == .lossy }
        return (lossy.compactMap { option(for: $0)?.description }, lossy.filter { option(for: $0) == nil })
    }

    /// The changes of the stages that remove stored values, or may do so.
    ///
    /// - Parameter checked: Attributes that may be converted according to the command line. They are left out: the
    ///   first value that would be lost ends the migration, so no value is lost.
    func losses(besides checked: [SchemaPath]) -> [SchemaChange] {
        stages.flatMap(\.difference.changes).filter { change in
            guard change.cost == .lossy else { return false }
            guard change.endsAtALoss, case .convert(let path) = option(for: change) else { return true }
            return !checked.contains { $0.description == path }
        }
    }

    /// The stored names of everything that the changes remove: `Artist.label`. Nil if one of them is not a removal.
    func removals(_ losses: [SchemaChange]) -> [String]? {
        let paths = losses.compactMap { change -> String? in
            guard change.isRemoval, case .drop(let path) = option(for: change) else { return nil }
            return path
        }
        return paths.count < losses.count ? nil : paths
    }

    /// `--drop` takes the stored name of an entity.
    private func option(for change: SchemaChange) -> LossOption? { change.option(storedName) }

    /// The stored name of an entity of the new schema.
    func storedName(ofEntity name: String) -> String {
        for case .entityRenamed(name, let old) in difference.changes { return old }
        return name
    }
}

/// An option of `migrate` that allows a change which may lose values.
private enum LossOption: CustomStringConvertible {
    case drop(String), convert(String)

    var description: String {
        switch self {
        case .drop(let path): "--drop \(path)"
        case .convert(let path): "--convert \(path)"
        }
    }
}

extension SchemaChange {
    /// - Parameter stored: The stored name of an entity, by its new name.
    fileprivate func option(_ stored: (String) -> String) -> LossOption? {
        switch self {
        case .entityRemoved(let entity): .drop(stored(entity))
        case .attributeRemoved(let entity, let attribute): .drop("\(stored(entity)).\(attribute.name)")
        case .relationshipRemoved(let entity, let name), .relationshipTargetChanged(let entity, let name, _, _):
            .drop("\(stored(entity)).\(name)")
        case .typeChanged(let entity, let name, let old, let new):
            ValueConversion(from: old, to: new) == nil ? nil : .convert("\(entity).\(name)")
        case .targetChanged(let entity, let name, _, _), .linksBecameReference(let entity, let name, _),
            .relationshipOrderChanged(let entity, let name, _):
            .convert("\(entity).\(name)")
        default: nil
        }
    }

    /// Whether each value is checked, so that the first value that would be lost ends the migration.
    fileprivate var endsAtALoss: Bool {
        switch self {
        case .typeChanged, .targetChanged, .linksBecameReference: true
        default: false
        }
    }

    /// Whether the change only removes stored data.
    fileprivate var isRemoval: Bool {
        switch self {
        case .entityRemoved, .attributeRemoved, .relationshipRemoved: true
        default: false
        }
    }
}
