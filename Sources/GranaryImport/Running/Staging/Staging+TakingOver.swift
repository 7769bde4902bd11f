import GranaryCore

extension Staging {
    /// What code of the mapping imports in place of values of an object, which are removed from the object.
    mutating func takeOver(
        _ whole: inout ImportValue, _ plan: EntityPlan, _ place: ImportPlace
    ) throws -> [Member] {
        guard case .object = whole else { return [] }
        var taken: [Member] = []
        for takeover in plan.takeovers {
            guard let value = takeover.path.value(in: whole, at: place) else { continue }
            do {
                guard let values = try takeover.body(value, place) else { continue }
                whole = takeover.path.removed(from: whole)
                if !plan.absent.isEmpty { noteMentioned(takeover.path, plan) }
                for (name, value) in values.sorted(by: { $0.key < $1.key }) {
                    guard let slot = plan.entity.slot(named: name) else {
                        throw GranaryError(
                            .invalidQuery,
                            "\"\(name)\" was returned for a value that is taken over, and is no attribute or relationship of \(plan.entity.name). Return values by the names of these.",
                            entity: plan.entity.name)
                    }
                    taken.append(Member(slot, name, value))
                }
            } catch {
                whole = takeover.path.removed(from: whole)
                let error = GranaryError.wrapping(error, plan.entity).with(value: value.textOfError)
                try account.keepValue(error, takeover.path.description, at: place)
            }
        }
        return taken
    }

    /// Notes that the source has the attribute or relationship which a key means.
    private mutating func noteMentioned(_ path: ImportPath, _ plan: EntityPlan) {
        guard let key = path.singleKey else { return }
        switch plan.decoder.keys.meaning(of: key) {
        case .attribute(let position), .inferredAttribute(let position):
            mentioned.insert(plan.entity.attributes[position].name)
        case .relationship(let index), .inferredRelationship(let index):
            mentioned.insert(plan.entity.relationships[index].name)
        case .passedOver, .unknown: break
        }
    }
}
