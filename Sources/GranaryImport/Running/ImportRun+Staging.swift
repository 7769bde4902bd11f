import GranaryCore

extension ImportRun {
    /// Stages an object of the source. Returns its row; nil if it is skipped or fails.
    func stage(_ numbered: NumberedItem, _ index: Int) throws -> (entity: Int, row: Int)? {
        let item = numbered.item
        if let batch = decoded, let (row, left) = batch.decoded(numbered.number), let plan = plans[top] {
            return try stage(row, left, of: batch, item, plan, index).map { (top, $0) }
        }
        if target != nil, numbered.number > max(0, importer.start) {
            report.failed += 1
            try fail(severalObjects(), at: item.place)
            return nil
        }
        var entity = top
        if let choose = importer.choose {
            do {
                guard let name = try choose(item.value, item.place) else {
                    report.skip(item.place, .notChosen)
                    return nil
                }
                entity = try schema.position(ofEntity: name)
                if target != nil, entity != top { throw otherThanTarget(entity) }
            } catch {
                report.failed += 1
                try fail(GranaryError.wrapping(error, schema.entities[top]), at: item.place)
                return nil
            }
        }
        return try stage(item.content, try plan(entity), item.place, index, depth: 0).map { (entity, $0) }
    }

    /// Stages an object and what is nested in it. Returns the row of its record; nil if it is skipped or fails.
    func stage(
        _ given: ImportContent, _ plan: EntityPlan, _ place: ImportPlace, _ item: Int, depth: Int,
        namedOnly: Bool = false, owner: OpenReference? = nil
    ) throws -> Int? {
        try checkDepth(depth, place)
        var content = given
        if !namedOnly, plan.hasHooks, let handler = plan.handler {
            let value = given.value
            do {
                guard let changed = try handler.willImport(value, place) else {
                    report.skip(place, .hook)
                    if mirrors, plan.position == top { keep(value, plan, place, item) }
                    return nil
                }
                content = .value(changed)
            } catch {
                report.failed += 1
                try fail(GranaryError.wrapping(error, plan.entity), at: place)
                return nil
            }
        }
        if plan.needsTree {
            content = .value(plan.pruned.reduce(content.value) { value, path in path.removed(from: value) })
        }
        if depth == 0, content.isNull, !plan.takesWhole {
            report.skip(place, .isNull)
            return nil
        }
        guard content.isObject || plan.takesWhole else {
            report.failed += 1
            let error = GranaryError(
                .typeMismatch, "The source has \(content.value.kindName) where an object is expected.",
                entity: plan.entity.name
            ).with(value: content.value.textOfError)
            try fail(error, at: place)
            return nil
        }
        let row = plan.stage.addRow()
        return try stage(row, content, plan, place, item, depth: depth, namedOnly: namedOnly, owner: owner) {
            try decode(content, plan, row, place, &$0)
            if depth == 0, plan.position == top { try giveTarget(plan, row) }
        }
    }

    /// Throws where objects are nested too deep, for everybody or for the thread.
    private func checkDepth(_ depth: Int, _ place: ImportPlace) throws {
        guard depth < ImportRun.maximumDepth else { throw ImportRun.tooDeep().at(place) }
        if depth > 0, stack.isNearlyFull() { throw ImportRun.tooDeepForThread().at(place) }
    }

    /// Stages an object of which the thread that reads has decoded the plain values.
    private func stage(
        _ decodedRow: Int, _ left: Range<Int>, of batch: DecodedBatch, _ item: ImportItem, _ plan: EntityPlan,
        _ index: Int
    ) throws -> Int? {
        let row = plan.stage.addRow(of: batch.stage, decodedRow)
        guard !left.isEmpty, case .packed(let packed) = item.content else {
            return try identify(row, plan, item.place, index, namedOnly: false)?.row
        }
        return try stage(row, item.content, plan, item.place, index, depth: 0, namedOnly: false, owner: nil) {
            try settlingSpellings(of: item.content, plan, row, item.place, &$0) { related in
                for member in left {
                    let (key, slot) = (batch.members[member].key, batch.members[member].slot)
                    try takeMember(key, slot, of: packed, plan, row, item.place, &related)
                }
            }
        }
    }

    /// Finds out which record a new row is, and stages what is nested in it.
    ///
    /// - Parameter decode: Takes from the object what it has.
    @inline(__always)
    private func stage(
        _ row: Int, _ content: ImportContent, _ plan: EntityPlan, _ place: ImportPlace, _ item: Int, depth: Int,
        namedOnly: Bool, owner: OpenReference?,
        _ decode: (inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)]) throws -> Void
    ) throws -> Int? {
        var related: [(slot: EntityPlan.Slot, name: String, value: ImportValue)] = []
        do {
            try decode(&related)
        } catch let error as GranaryError {
            // A strict import refuses the record.
            plan.stage.removeLast()
            report.failed += 1
            try fail(error, at: place)
            return nil
        }
        let parent = related.isEmpty ? nil : ParentObject(content, place)
        let hooked = plan.mapping.relationshipHooks.isEmpty ? [] : related
        var targets: [(position: Int, target: StagedTarget)] = []
        var open: [OpenReference] = []
        if let parent, !plan.identifying.isEmpty {
            // What is staged for it may be of the same entity, and comes after it.
            plan.rows.append(StagedRow(place: place, item: item, isNamedOnly: true))
            targets = try stage(identifying: &related, plan, row, parent, item, depth: depth + 1, &open)
        }
        if let owner, plan.identifying.contains(owner.position), !plan.stage.isGiven(row, owner.position),
            !targets.contains(where: { $0.position == owner.position }), let ownerPlan = plans[owner.entity],
            let reference = identify(owner.position, of: row, plan, by: owner.row, ownerPlan)
        {
            open.append(reference)
        }
        let identified = try identify(
            row, plan, place, item, namedOnly: namedOnly, open, content: content, hasRelated: parent != nil)
        guard let (final, isSkipped) = identified else { return nil }
        if isSkipped { return final }
        if plan.hasHooks, !namedOnly { plan.rows[final].value = content.value }
        for (position, target) in targets { try refer(position, of: plan, final, to: target, item, place) }
        if let parent {
            if !hooked.isEmpty, !namedOnly { noteHooks(of: hooked, plan, final, parent) }
            for (slot, name, value) in related where !plan.isTakenOver(name) {
                try stage(related: slot, name, value, plan, final, parent, item, depth: depth + 1)
            }
        }
        return final
    }

    /// Stages the records by which, among others, it is told which record an object is: their keys must be known first.
    private func stage(
        identifying related: inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)], _ plan: EntityPlan,
        _ row: Int, _ parent: ParentObject, _ item: Int, depth: Int, _ open: inout [OpenReference]
    ) throws -> [(position: Int, target: StagedTarget)] {
        var targets: [(position: Int, target: StagedTarget)] = []
        for (slot, name, value) in related {
            guard case .attribute(let position) = slot, plan.identifying.contains(position), !plan.isTakenOver(name),
                let target = try stage(targetAt: position, name, value, plan, parent, item, depth: depth)
            else { continue }
            targets.append((position, target))
            guard case .row(let targetRow, _) = target, let entity = plan.entity.attributes[position].reference?.entity
            else { continue }
            let targetPlan = try self.plan(try schema.position(ofEntity: entity))
            if let reference = identify(position, of: row, plan, by: targetRow, targetPlan) { open.append(reference) }
        }
        related.removeAll { entry in
            guard case .attribute(let position) = entry.slot else { return false }
            return plan.identifying.contains(position) && !plan.isTakenOver(entry.name)
        }
        return targets
    }

    /// Notes that the source has the record of an object that is not imported, so that it is not deleted.
    private func keep(_ value: ImportValue, _ plan: EntityPlan, _ place: ImportPlace, _ item: Int) {
        if !plan.takesWhole { guard case .object = value else { return knowsAll = false } }
        let before = report
        defer { report = before }
        let row = plan.stage.addRow()
        do {
            var related: [(slot: EntityPlan.Slot, name: String, value: ImportValue)] = []
            try decode(.value(value), plan, row, place, &related)
        } catch {
            plan.stage.removeLast()
            return knowsAll = false
        }
        for (identity, positions) in plan.identities.enumerated() {
            guard let values = values(of: positions, plan, row) else { continue }
            if let earlier = plan.tables[identity][values].map(plan.merged) {
                plan.stage.removeLast()
                return plan.rows[earlier].isKept = true
            }
            // It names the record and gives it nothing.
            for position in 0..<plan.stage.width where !positions.contains(position) {
                plan.stage.takeBack(row, position)
            }
            plan.tables[identity][values] = row
            var staged = StagedRow(place: place, item: item, isNamedOnly: true, identity: identity)
            staged.isKept = true
            plan.rows.append(staged)
            return plan.rows[row].key = key(of: row, plan)
        }
        plan.stage.removeLast()
        knowsAll = false
    }
}
