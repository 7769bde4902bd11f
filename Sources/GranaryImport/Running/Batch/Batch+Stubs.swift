import GranaryCore

extension Batch {
    /// Drops stubs that are named only by skipped objects.
    func forgetUnwantedStubs(_ plans: EntityPlans) {
        guard hasStubs else { return }
        var wanted: [Int: Set<Int>] = [:]
        for case let plan? in plans {
            for row in plan.rows.indices where plan.rows[row].references != nil && plan.isWanted(row) {
                for number in plan.references(of: row) {
                    let reference = plan.references[number]
                    guard reference.missing == .makeStub, let target = reference.row else { continue }
                    if let row = plans[reference.entity]?.merged(target) {
                        wanted[reference.entity, default: []].insert(row)
                    }
                }
            }
        }
        for list in lists where list.rule.missing == .makeStub {
            guard let plan = plans[list.entity], let target = plans[list.target],
                plan.isWanted(plan.merged(list.row))
            else { continue }
            wanted[list.target, default: []].formUnion(list.members.map(target.merged))
        }
        for case let plan? in plans {
            for row in plan.rows.indices
            where plan.rows[row].makesStub && !(wanted[plan.position]?.contains(row) ?? false) {
                plan.rows[row].makesStub = false
            }
        }
    }
}
