import GranaryCore

/// What an import is to do: the settings of its importer, and for each entity how objects become records of it.
///
/// All stages of an import share it. The rows of the batch are in the plans of their entities.
final class EntityPlans {
    let importer: Importer
    let schema: Schema
    /// The position of the entity that is imported.
    let top: Int
    /// The key of the one record that is imported into; nil if objects say themselves which records they are.
    private(set) var target: StoredValue?
    /// By the positions of the entities; nil of an entity that no object of the source was about so far.
    // Exclusivity is not checked as the program runs: no call that changes the array calls back.
    @exclusivity(unchecked) private var plans: [EntityPlan?]

    /// - Throws: `invalidQuery` if the settings contradict each other, or a mapping does not fit its entity.
    init(_ importer: Importer, _ entity: String, in schema: Schema) throws {
        self.importer = importer
        self.schema = schema
        top = try schema.position(ofEntity: entity)
        plans = schema.entities.map { _ in nil }
        try importer.checkPolicy(of: entity)
        let plan = try plan(top)
        target = try importer.target.map { try plan.key($0) }
        for name in importer.mappings.keys { _ = try self.plan(try schema.position(ofEntity: name)) }
    }

    /// How an entity is imported.
    func plan(_ entity: Int) throws -> EntityPlan {
        if let plan = plans[entity] { return plan }
        let plan = try EntityPlan(entity, schema, importer, isTop: entity == top)
        plans[entity] = plan
        return plan
    }

    var mirrors: Bool { if case .mirror = importer.policy { true } else { false } }

    /// What may decode the objects of the source on the thread that reads them; nil if more is asked of them than their values.
    var readingDecoder: PlainDecoder? {
        guard importer.choose == nil, importer.target == nil, let plan = plans[top], !plan.needsTree,
            plan.absent.isEmpty, !plan.hasHooks, plan.lanes.contains(where: \.isOpen)
        else { return nil }
        return plan.decoder
    }

    /// Forgets the batch.
    func clear() {
        for case let plan? in plans { plan.clear() }
    }
}

extension EntityPlans: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { plans.count }
    /// The plan of an entity; nil if no object of the source was about it so far.
    subscript(entity: Int) -> EntityPlan? { plans[entity] }
}

extension Importer {
    /// - Throws: `invalidQuery` if the importer cannot begin where it is to, or mirror what it is to.
    fileprivate func checkPolicy(of entity: String) throws {
        if case .mirror = policy, start > 0 {
            throw GranaryError(
                .invalidQuery,
                "An import that begins at object \(start) does not see what comes before, so it cannot mirror the source. Import all of it, or with another policy.",
                entity: entity)
        }
        if missingKey == .create, start > 0 {
            throw GranaryError(
                .invalidQuery,
                "An import that begins at object \(start) may read objects again that are committed, and would make another \(entity) of one without a key. Give each object its key, or import all of the source into an empty store.",
                entity: entity)
        }
        if case .mirror = policy, target != nil {
            throw GranaryError(
                .invalidQuery,
                "An import into one \(entity) does not mirror a source: it would delete all others. Leave the target out, or import with another policy.",
                entity: entity)
        }
    }
}
