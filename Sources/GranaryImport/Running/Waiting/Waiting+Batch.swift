import GranaryCore

extension Waiting {
    /// Takes over what waits because of a batch that is written.
    mutating func take(_ outcome: BatchOutcome, _ plans: EntityPlans) {
        for record in outcome.arrived { end(record.entity, record.name) }
        if !isEmpty { forgetWhatIsSaid(plans) }
        take(outcome.waiting)
    }

    /// What the batch says of an attribute that waits comes after what it waits for.
    private mutating func forgetWhatIsSaid(_ plans: EntityPlans) {
        for case let plan? in plans where !plan.referring.isEmpty {
            for row in plan.rows.indices where plan.rows[row].isWritten {
                guard let key = plan.rows[row].key else { continue }
                for position in plan.referring where plan.stage.isGiven(row, position) {
                    forget(ReferencePlace(entity: plan.position, key: key, position: position))
                }
            }
        }
    }
}
