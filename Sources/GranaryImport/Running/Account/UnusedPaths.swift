import GranaryCore

// A path that a mapping names and no object has may be misspelt, so the report names it. Most values of the source's own objects
// go from the reader to their cells without a step that could note it. So after a batch the cells of its rows are looked at, until
// one was given. It may have been given by the attribute's own name, so the keys of the objects are looked at then. Other values -
// those of nested objects too - and values that are refused are noted when they are taken.

extension EntityPlans {
    /// Notes which of the mapped attributes the objects of the batch have.
    func noteFoundPaths(of batch: Batch) {
        for case let plan? in self where !plan.unfound.isEmpty && !plan.rows.isEmpty {
            if plan.rows.indices.contains(where: { !plan.rows[$0].isNamedOnly }) { plan.hasObjects = true }
            guard plan.position == top else { continue }
            for name in plan.unfound {
                guard let position = try? plan.entity.position(ofAttribute: name) else { continue }
                guard plan.rows.indices.contains(where: { plan.stage.isGiven($0, position) }) else { continue }
                if batch.hasKey(of: name, plan) { plan.unfound.remove(name) }
            }
        }
    }

    /// The paths that no object had.
    var unusedPaths: [UnusedPath] {
        flatMap { plan -> [UnusedPath] in
            guard let plan, plan.hasObjects else { return [] }
            return plan.unfound.sorted().map { name in
                UnusedPath(
                    entity: plan.entity.name, name: name,
                    paths: (plan.mapping.paths[name] ?? []).map(\.description))
            }
        }
    }
}

extension EntityPlan {
    /// Notes that a value is taken for a name: by the name's path, unless the slot is inferred.
    func noteFound(_ name: String, _ slot: EntityPlan.Slot) {
        if unfound.isEmpty { return }
        switch slot {
        case .attribute, .relationship: unfound.remove(name)
        case .inferredAttribute, .inferredRelationship, .passedOver, .unknown: break
        }
    }

    /// Notes the names that an object has, whose plain values are taken without noting them.
    func noteFound(in packed: PackedValue) {
        var last = 0
        var next = packed.root + 1
        let end = packed.end(packed.root)
        while next < end {
            let slot = slot(of: packed.text(packed.node(next)), after: &last)
            if let name = slot.name(in: entity) { noteFound(name, slot) }
            next = packed.end(next + 1)
        }
    }
}

extension Batch {
    /// Whether an object of the batch has the key that the mapping names for an attribute.
    fileprivate func hasKey(of name: String, _ plan: EntityPlan) -> Bool {
        guard let paths = plan.mapping.paths[name], paths.count == 1, let key = paths[0].singleKey else { return false }
        let wanted = Array(key.utf8)
        return items.contains { item in
            guard case .packed(let packed) = item.item.content, packed.kind == .object else { return false }
            var next = packed.root + 1
            let end = packed.end(packed.root)
            while next < end {
                if packed.text(packed.node(next)).elementsEqual(wanted) { return true }
                next = packed.end(next + 1)
            }
            return false
        }
    }
}
