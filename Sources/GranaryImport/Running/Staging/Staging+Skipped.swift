import GranaryCore

extension Staging {
    /// Notes that the source has the record of an object that is not imported, so that it is not deleted.
    mutating func keep(_ value: ImportValue, _ plan: EntityPlan, _ origin: Origin) {
        if !plan.takesWhole { guard case .object = value else { return account.knowsAll = false } }
        let before = account.report
        defer { account.report = before }
        var object = SourceObject(plan, plan.stage.addRow(), .value(value), origin)
        let row = object.row
        do {
            try takeMembers(&object)
        } catch {
            plan.stage.removeLast()
            return account.knowsAll = false
        }
        for (identity, positions) in plan.identities.enumerated() {
            guard let values = plan.values(of: positions, row) else { continue }
            if let earlier = plan.tables[identity][values].map(plan.merged) {
                plan.stage.removeLast()
                return plan.rows[earlier].isKept = true
            }
            // It names the record and gives it nothing.
            for position in 0..<plan.stage.width where !positions.contains(position) {
                plan.stage.takeBack(row, position)
            }
            plan.tables[identity][values] = row
            var staged = StagedRow(place: origin.place, item: origin.item, isNamedOnly: true, identity: identity)
            staged.isKept = true
            plan.rows.append(staged)
            return plan.rows[row].key = plan.key(of: row)
        }
        plan.stage.removeLast()
        account.knowsAll = false
    }
}
