/// The next change that a store must make to be opened with another schema than the stored one: decided once, for every
/// store.
///
/// A plan may reach the program's schema in several stages. Each is a transaction, or a generation of files, of its
/// own. After one stage the store asks for the next.
package struct SchemaMigration: Sendable {
    /// The stored schema at present.
    package let stored: Schema
    /// The schema to be stored: with the meaning of the program, or of a step before it, and with the stored numbers.
    /// In each entity stored attributes come first, in the stored order, because a store may keep values by position.
    package let target: Schema
    package let difference: SchemaDifference
    /// The plan's steps that are applied in this stage.
    let steps: [MigrationStep]
    /// Whether no record is written.
    package let isInstant: Bool
    /// Whether it leads to the schema of an earlier release.
    let goesBack: Bool

    /// The next stage that a policy allows; nil if there is nothing to do.
    ///
    /// - Throws: `schemaMismatch` if the policy does not allow a required change, or the store cannot be written to, or
    ///   the plan does not fit the steps that the store has applied.
    package init?(
        from stored: Schema, to program: Schema, _ policy: MigrationPolicy, access: StoreAccess = .readWrite
    ) throws {
        guard let stage = try SchemaMigration.stages(from: stored, to: program, policy).first else { return nil }
        let planned = try PlannedMigration(from: stored, to: program, policy)
        if case .refuse = policy { throw planned.mismatch(.none) }
        guard planned.refused.isEmpty else { throw planned.mismatch(.costly) }
        guard access == .readWrite else { throw planned.mismatch(.readOnly) }
        self = stage
    }

    /// - Parameter applied: The applied steps of the store after this stage.
    init(
        from stored: Schema, to program: Schema, _ steps: [MigrationStep], _ applied: [AppliedStep], goesBack: Bool
    ) {
        self.stored = stored
        self.steps = steps
        self.goesBack = goesBack
        difference = SchemaDifference(from: stored, to: program)
        isInstant = (difference.cost ?? .instant) == .instant && !steps.contains(where: \.touchesRecords)
        var adopted = program.adoptingIDs(from: stored)
        adopted.appliedSteps = applied
        let ordered = adopted.inOrder(of: stored)
        target = isInstant ? ordered : ordered.forNewStore
    }

    /// The conversion of a store's records for a new store with another schema, in the order of that schema; also if
    /// both schemas are the same.
    ///
    /// - Throws: `schemaMismatch` if the policy does not allow it, or a step of the plan reaches a third schema in
    ///   between.
    package init(copying stored: Schema, to program: Schema, _ policy: MigrationPolicy) throws {
        let stages = try SchemaMigration.stages(from: stored, to: program, policy)
        let planned = try PlannedMigration(from: stored, to: program, policy)
        if case .refuse = policy, !stages.isEmpty { throw planned.mismatch(.none) }
        guard planned.refused.isEmpty else { throw planned.mismatch(.costly) }
        guard stages.count <= 1 else { throw planned.mismatch(.staged) }
        self.stored = stored
        steps = stages.first?.steps ?? []
        difference = stages.first?.difference ?? SchemaDifference(from: stored, to: program)
        isInstant = false
        goesBack = false
        target = program.adoptingIDs(from: stored)
    }

    /// A part of a stage: from its first schema to that of its draft, or from the draft on.
    init(part stored: Schema, _ target: Schema, _ steps: [MigrationStep]) {
        (self.stored, self.target, self.steps) = (stored, target, steps)
        difference = SchemaDifference(from: stored, to: target)
        (isInstant, goesBack) = (false, false)
    }

    /// Whether every row of the new store is an unchanged row of the old store.
    var keepsRows: Bool {
        !difference.changesStorage && steps.allSatisfy { !$0.touchesRecords }
            && zip(stored.entities, target.entities).allSatisfy { old, new in
                old.name == new.name && old.attributes.map(\.name) == new.attributes.map(\.name)
            }
    }

    /// The greatest key that each entity of the target has had.
    package func lastAssignedKeys(of source: any StoreReader) throws -> [Int64] {
        let keys = try source.lastAssignedKeys()
        return SchemaMatch(stored, target).entities.map { $0.map { keys[$0] } ?? 0 }
    }

    /// - Throws: `schemaMismatch` if records must be written, which a store without generations of files cannot do.
    package func requireInstant() throws {
        guard !isInstant else { return }
        var planned = PlannedMigration(refusing: stored, to: target)
        planned.refused = difference.changes.filter { $0.cost > .instant }
        throw planned.mismatch(.unable)
    }

    /// The changes that the steps of this stage do not allow.
    func refused(_ policy: MigrationPolicy) -> [SchemaChange] {
        difference.changes.filter { change in
            change.cost > .instant && !(policy.mayRewrite && isAllowed(change))
        }
    }

    /// Whether records can be rewritten for a change, and the steps allow the possible loss of data.
    private func isAllowed(_ change: SchemaChange) -> Bool {
        switch change {
        case .entityRemoved(let name): return isDropped(name)
        case .attributeRemoved(let entity, let attribute): return isDropped(entity, attribute.name)
        case .relationshipRemoved(let owner, let name):
            return isDropped(owner, name) || isDropped(owner)
        case .relationshipTargetChanged(let owner, let name, _, _): return isDropped(owner, name)
        case .targetChanged(let entity, let attribute, _, _):
            return isConverted(entity, attribute) || isDropped(entity, attribute)
        case .relationshipOrderChanged(let owner, let name, let isOrdered):
            return isOrdered || isConverted(owner, name) || isDropped(owner, name)
        case .linksBecameReference(let entity, let attribute, let old):
            return isConverted(entity, attribute) || isConverted(entity, old)
        case .typeChanged(let entity, let attribute, let old, let new):
            if isDropped(entity, attribute) || followsKey(entity, attribute) { return true }
            guard let conversion = ValueConversion(from: old, to: new) else { return false }
            if conversion.isLossless || isConverted(entity, attribute) { return true }
            // The earlier release had the type from which this one was converted without a step.
            return goesBack && ValueConversion(from: new, to: old)?.isLossless ?? false
        default: return change.cost == .rewriting
        }
    }

    /// Whether an attribute refers to records whose keys are converted, or are replaced.
    private func followsKey(_ entity: String, _ attribute: String) -> Bool {
        let place = target.entities.first { $0.name == entity }?.attributes.first { $0.name == attribute }
        guard let reference = place?.reference,
            let owner = target.entities.first(where: { $0.name == reference.entity })
        else { return false }
        return isConverted(owner.name, owner.key)
            || difference.changes.contains {
                if case .keyChanged(owner.name, _, _) = $0 { true } else { false }
            }
    }

    /// Whether records of an entity get other keys, or keys of another type, or links are dropped so that others can
    /// take their keys: then the keys in the history no longer name the same records.
    var changesKeys: Bool {
        difference.changes.contains { change in
            switch change {
            case .keyChanged, .relationshipTargetChanged: true
            case .typeChanged(let entity, let attribute, _, _):
                target.entities.contains { $0.name == entity && $0.key == attribute }
            default: false
            }
        }
    }

    /// Whether a step allows removing it, by its stored or its new name.
    func isDropped(_ entity: String, _ attribute: String? = nil) -> Bool {
        steps.contains { step in names(of: entity, attribute).contains(where: step.dropped.contains) }
    }

    /// Whether a step allows converting it, by its stored or its new name.
    func isConverted(_ entity: String, _ attribute: String) -> Bool {
        steps.contains { step in names(of: entity, attribute).contains(where: step.converted.contains) }
    }

    private func names(of entity: String, _ attribute: String?) -> [String] {
        var owners = [entity]
        var attributes = attribute.map { [$0] } ?? []
        for change in difference.changes {
            switch change {
            case .entityRenamed(entity, let old): owners.append(old)
            case .attributeRenamed(entity, attribute ?? "", let old): attributes.append(old)
            case .relationshipRenamed(entity, attribute ?? "", let old): attributes.append(old)
            default: break
            }
        }
        guard attribute != nil else { return owners }
        return owners.flatMap { owner in attributes.map { "\(owner).\($0)" } }
    }
}

extension Schema {
    /// The error for a store that was made for another schema, if nothing is migrated.
    package func mismatch(with stored: Schema) -> GranaryError {
        PlannedMigration(refusing: stored, to: self).mismatch(.none)
    }
}

extension GranaryError {
    /// The error of a stack whose store was migrated by another process since it was opened.
    package static var schemaReplaced: GranaryError {
        GranaryError(
            .schemaMismatch,
            "Another process has changed the schema of the store since this stack opened it. Close the stack, and open the store with the new schema."
        )
    }
}
