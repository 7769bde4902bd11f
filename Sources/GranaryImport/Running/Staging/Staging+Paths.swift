import GranaryCore

// Attributes and relationships that a mapping reads by paths: from several keys, from within a value, or from the whole object.

extension Staging {
    /// Takes what an object has at the paths of its mapping.
    mutating func takeComputed(of whole: ImportValue, _ object: inout SourceObject) throws {
        let (plan, place) = (object.plan, object.place)
        for (slot, name, paths) in plan.computed {
            var isTaken = false
            for path in paths where !isTaken {
                guard var value = path.value(in: whole, at: place) else { continue }
                if path.isWhole {
                    guard try hasValues(for: slot, whole, plan, place) else { continue }
                    value = try withoutOwnKeys(value, of: plan, for: slot)
                }
                try take(.value(value), name, slot, &object)
                isTaken = true
            }
            if !isTaken { try noteEnd(of: paths, name, in: whole, plan, place) }
        }
        if !plan.choices.isEmpty { try takeChoices(of: whole, &object) }
    }

    /// Reports that a path ends before its last key, at a value that has no members.
    func noteEnd(
        of paths: [ImportPath], _ name: String, in whole: ImportValue, _ plan: EntityPlan, _ place: ImportPlace
    ) throws {
        for path in paths {
            guard let kind = path.end(in: whole) else { continue }
            plan.unfound.remove(name)
            let error = GranaryError(
                .typeMismatch,
                "The value of \(path) cannot be found, because the path leads through \(kind). The attribute is left as it was: correct the source, or transform it.",
                entity: plan.entity.name, attributes: [name])
            return try account.keepValue(error, name, at: place)
        }
    }

    /// Whether an object has something for the record that a relationship takes from the object itself: one of the values
    /// that are mapped for the record, or, where none is mapped, any that it can take.
    private func hasValues(
        for slot: EntityPlan.Slot, _ whole: ImportValue, _ plan: EntityPlan, _ place: ImportPlace
    ) throws -> Bool {
        guard case .object(let object) = whole, let target = try target(of: slot, plan) else { return true }
        if !target.mapping.paths.isEmpty {
            let inner = ImportPlace("", of: ParentObject(.value(whole), place))
            return target.mapping.paths.values.joined().contains { path in
                !path.isWhole && path.value(in: whole, at: inner).map { $0 != .null } ?? false
            }
        }
        return object.members.contains { member in
            guard member.value != .null else { return false }
            return target.decoder.keys.meaning(of: member.key).hasValues
        }
    }

    /// An object without the keys that mean something for its own record, and nothing for the record that a relationship takes
    /// from it. Hooks see all of it.
    private func withoutOwnKeys(
        _ value: ImportValue, of plan: EntityPlan, for slot: EntityPlan.Slot
    ) throws -> ImportValue {
        guard case .object(let object) = value, let target = try target(of: slot, plan), !target.hasHooks else {
            return value
        }
        let members = object.members.filter { member in
            if case .unknown = target.decoder.keys.meaning(of: member.key) {} else { return true }
            if case .unknown = plan.decoder.keys.meaning(of: member.key) { return true }
            return false
        }
        return .object(ImportObject(members))
    }

    /// Whether a key means something for a record that a relationship takes from the object itself.
    func meansPart(_ key: String, _ plan: EntityPlan) throws -> Bool {
        for (slot, _, paths) in plan.computed where paths.contains(where: \.isWhole) {
            guard let target = try target(of: slot, plan), target !== plan else { continue }
            if case .unknown = target.decoder.keys.meaning(of: key) { continue }
            return true
        }
        return false
    }

    /// How the records are imported that a relationship leads to; nil of an attribute that is no reference.
    private func target(of slot: EntityPlan.Slot, _ plan: EntityPlan) throws -> EntityPlan? {
        switch slot {
        case .attribute(let position), .inferredAttribute(let position):
            guard let reference = plan.entity.attributes[position].reference else { return nil }
            return try plans.plan(try schema.position(ofEntity: reference.entity))
        case .relationship(let index), .inferredRelationship(let index):
            return try plans.plan(try LinkLayout(plan.entity.relationships[index], in: schema).related)
        case .passedOver, .unknown: return nil
        }
    }
}
