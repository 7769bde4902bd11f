import GranaryStoreKit

/// One part of the requested order, if an index can give it.
struct WantedTerm {
    var component: SearchComponent
    var isDescending: Bool
    /// Whether nils come at their position in an index.
    var hasDefaultNils: Bool
}

extension Planner {
    /// The requested order up to the key, if an index could give it; nil if a part is computed.
    static func wantedOrder(_ request: FetchRequest, _ table: Table) -> [WantedTerm]? {
        var wanted: [WantedTerm] = []
        for term in request.order {
            guard let component = table.component(term.value.expression) else { return nil }
            if wanted.contains(where: { $0.component == component }) { continue }
            let isOptional = table.entity.attributes[component.position].isOptional
            wanted.append(
                WantedTerm(
                    component: component, isDescending: term.isDescending,
                    hasDefaultNils: term.hasDefaultNils || !isOptional))
            if component == SearchComponent(position: table.keyPosition) { return wanted }
        }
        let last = request.order.last?.isDescending ?? false
        let key = SearchComponent(position: table.keyPosition)
        return wanted + [WantedTerm(component: key, isDescending: last, hasDefaultNils: true)]
    }

    /// The entries come in the requested order if both orders name the same components in the same direction up to the
    /// key, ignoring components fixed by equality. Nils that are wanted at the other end are moved there, if they are
    /// nils of the first of these components.
    func judgeOrder(_ candidate: inout Candidate) {
        let key = SearchComponent(position: table.keyPosition)
        if isCount || terms.isFixed(key) || candidate.isSingle {
            candidate.isOrdered = true
            if !isCount { candidate.score += request.limit == nil ? 60 : 150 }
            return
        }
        let components = candidate.union.isEmpty ? table.components(candidate.access) : [key]
        let leading = components.first { !terms.isFixed($0) } ?? key
        guard let first = wanted?.first(where: { !terms.isFixed($0.component) }), first.component == leading,
            let wanted = wanted?.filter({ !terms.isFixed($0.component) })
        else { return }
        var given = components.filter { !terms.isFixed($0) }
        if !given.contains(key) { given.append(key) }
        // After the key there are no ties.
        if let last = given.firstIndex(of: key) { given.removeSubrange((last + 1)...) }
        guard wanted.elementsEqual(given, by: { $0.component == $1 }),
            wanted.allSatisfy({ $0.isDescending == first.isDescending }),
            wanted.dropFirst().allSatisfy({ $0.hasDefaultNils })
        else { return }
        if !first.hasDefaultNils {
            guard candidate.equal < components.count, components[candidate.equal] == first.component,
                let nils = candidate.prefix.nullRange
            else { return }
            candidate.ranges = Plan.Range.moved(toEnd: nils, candidate.ranges)
        }
        candidate.isOrdered = true
        candidate.isReverse = first.isDescending
        candidate.score += request.limit == nil ? 60 : 150
    }
}
