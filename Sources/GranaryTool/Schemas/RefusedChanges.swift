import GranaryCore

extension PlannedMigration {
    /// The options of `migrate` that allow the refused changes, which may lose values. Nil if one of the changes has no option.
    var options: String? {
        guard !refused.isEmpty else { return nil }
        // `--drop` takes the stored name of an entity.
        var stored: [String: String] = [:]
        for case .entityRenamed(let new, let old) in difference.changes { stored[new] = old }
        let options = refused.map { $0.option { stored[$0] ?? $0 } }
        guard !options.contains(nil) else { return nil }
        return options.compactMap(\.self).joined(separator: " ")
    }
}

extension SchemaChange {
    /// - Parameter stored: The stored name of an entity, by its new name.
    fileprivate func option(_ stored: (String) -> String) -> String? {
        switch self {
        case .entityRemoved(let entity): "--drop \(stored(entity))"
        case .attributeRemoved(let entity, let attribute): "--drop \(stored(entity)).\(attribute.name)"
        case .relationshipRemoved(let entity, let name), .relationshipTargetChanged(let entity, let name, _, _):
            "--drop \(stored(entity)).\(name)"
        case .typeChanged(let entity, let name, _, _), .targetChanged(let entity, let name, _, _),
            .linksBecameReference(let entity, let name, _):
            "--convert \(entity).\(name)"
        default: nil
        }
    }
}

extension GranaryError {
    /// The error with the options of `migrate` that allow what was refused, in the place of what a program would do.
    func namingOptions() -> GranaryError {
        guard code == .schemaMismatch, let planned = plannedMigration, let options = planned.options else {
            return self
        }
        let refused = planned.refused
        let shown = refused.prefix(8).map(\.description) + (refused.count > 8 ? ["and \(refused.count - 8) more"] : [])
        var error = self
        error.message =
            "Values may be lost: \(shown.joined(separator: "; ")). If that is meant, say so with \(options)."
        return error
    }
}
