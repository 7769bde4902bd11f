import GranaryCore

// Values of an object for the record that a reference leads to become an object in the place of the reference, in the keys that
// the record's own mapping reads.

extension Staging {
    /// Takes what an object has for the records that its references lead to.
    mutating func takeDestinations(of whole: ImportValue, _ object: inout SourceObject) throws {
        let (plan, place) = (object.plan, object.place)
        for destination in plan.destinations {
            var found: [(names: [String], value: ImportValue)] = []
            for part in destination.parts {
                if let value = value(of: part, in: whole, at: place) {
                    plan.unfound.remove(part.name)
                    found.append((part.names, value))
                } else {
                    try noteEnd(of: part.paths, part.name, in: whole, plan, place)
                }
            }
            guard found.contains(where: { $0.value != .null }), let target = plan.targets[destination.position] else {
                continue
            }
            let targetPlan = try plans.plan(target)
            var nested = given(for: destination, object, targetPlan)
            // A null belongs to an object that has other values.
            for (names, value) in found where value != .null {
                try put(value, at: names[...], targetPlan, into: &nested)
            }
            for (names, value) in found where value == .null {
                try put(value, at: names[...], targetPlan, into: &nested)
            }
            object.removeRelated(destination.reference)
            if !plan.absent.isEmpty { mentioned.insert(destination.reference) }
            let slot = EntityPlan.Slot.attribute(destination.position)
            object.related.append(Member(slot, destination.reference, .object(nested)))
        }
    }

    private func value(
        of part: ImportDestination.Part, in whole: ImportValue, at place: ImportPlace
    ) -> ImportValue? {
        for path in part.paths {
            if let value = path.value(in: whole, at: place) ?? path.flatKey.flatMap({ whole[$0] }) { return value }
        }
        return nil
    }

    /// What the object has in the place of the reference itself, as an object.
    private func given(
        for destination: ImportDestination, _ object: SourceObject, _ target: EntityPlan
    ) -> ImportObject {
        guard var value = object.related.last(where: { $0.name == destination.reference })?.value else {
            return ImportObject([])
        }
        let names = target.names(by: object.plan.referenceRules[destination.position])
        if case .array(let elements) = value, elements.count == 1 { value = elements[0] }
        switch value {
        case .object(let nested): return nested
        case .null: return ImportObject([])
        case .array(let elements):
            return ImportObject(zip(names, elements).map { ImportObject.Member(target.key(meaning: $0) ?? $0, $1) })
        default:
            return ImportObject(names.prefix(1).map { ImportObject.Member(target.key(meaning: $0) ?? $0, value) })
        }
    }

    private func put(
        _ value: ImportValue, at names: ArraySlice<String>, _ plan: EntityPlan, into object: inout ImportObject
    ) throws {
        guard let name = names.first else { return }
        guard let key = plan.key(meaning: name) else {
            throw GranaryError(
                .invalidQuery,
                "No key of an object means \(plan.entity.name).\(name), so a value of another object cannot be given to it. Map it in the mapping of \(plan.entity.name) from a key.",
                entity: plan.entity.name, attributes: [name])
        }
        let rest = names.dropFirst()
        guard !rest.isEmpty else { return object[key] = value }
        let position = try plan.entity.position(ofAttribute: name)
        guard let target = plan.targets[position] else { return }
        let targetPlan = try plans.plan(target)
        var inner = ImportObject([])
        switch object[key] {
        case .object(let nested)?: inner = nested
        case nil, .null?, .array?: if value == .null { return }
        case let key?:
            let name = targetPlan.names(by: plan.referenceRules[position]).first ?? targetPlan.entity.key
            inner[targetPlan.key(meaning: name) ?? name] = key
        }
        try put(value, at: rest, targetPlan, into: &inner)
        object[key] = .object(inner)
    }
}
