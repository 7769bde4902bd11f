import GranaryCore

extension ImportRun {
    /// Stages an object of the source. Returns its row; nil if it is skipped or fails.
    func stageItem(_ numbered: NumberedItem, _ index: Int) throws -> (entity: Int, row: Int)? {
        let item = numbered.item
        if let read = decoded, let (row, left) = read.decoded(numbered.number), let plan = plans[top] {
            return try stageDecoded(row, left, of: read, item, plan, index).map { (top, $0) }
        }
        if target != nil, numbered.number > max(0, importer.start) {
            account.report.failed += 1
            try fail(severalObjects(), at: item.place)
            return nil
        }
        var entity = top
        if let choose = importer.choose {
            do {
                guard let name = try choose(item.value, item.place) else {
                    account.report.skip(item.place, .notChosen)
                    return nil
                }
                entity = try schema.position(ofEntity: name)
                if target != nil, entity != top { throw otherThanTarget(entity) }
            } catch {
                account.report.failed += 1
                try fail(GranaryError.wrapping(error, schema.entities[top]), at: item.place)
                return nil
            }
        }
        return try stage(item.content, try plan(entity), Origin(place: item.place, item: index)).map { (entity, $0) }
    }

    /// Stages an object and what is nested in it. Returns the row of its record; nil if it is skipped or fails.
    func stage(_ given: ImportContent, _ plan: EntityPlan, _ origin: Origin) throws -> Int? {
        guard var object = try decoded(given, plan, origin) else { return nil }
        return try stage(&object)
    }

    /// Takes from an object what it has for its record; nil if it is skipped or fails.
    // Objects are nested deep, and this is not part of what they take on the thread's stack.
    @inline(never)
    private func decoded(_ given: ImportContent, _ plan: EntityPlan, _ origin: Origin) throws -> SourceObject? {
        let (place, depth) = (origin.place, origin.depth)
        try checkDepth(depth, place)
        var content = given
        if !origin.isNamedOnly, plan.hasHooks, let handler = plan.handler {
            let value = given.value
            do {
                guard let changed = try handler.willImport(value, place) else {
                    account.report.skip(place, .hook)
                    if mirrors, plan.position == top { keep(value, plan, origin) }
                    return nil
                }
                content = .value(changed)
            } catch {
                account.report.failed += 1
                try fail(GranaryError.wrapping(error, plan.entity), at: place)
                return nil
            }
        }
        if plan.needsTree {
            content = .value(plan.pruned.reduce(content.value) { value, path in path.removed(from: value) })
        }
        if depth == 0, content.isNull, !plan.takesWhole {
            account.report.skip(place, .isNull)
            return nil
        }
        guard content.isObject || plan.takesWhole else {
            account.report.failed += 1
            let error = GranaryError(
                .typeMismatch, "The source has \(content.value.kindName) where an object is expected.",
                entity: plan.entity.name
            ).with(value: content.value.textOfError)
            try fail(error, at: place)
            return nil
        }
        var object = SourceObject(plan, plan.stage.addRow(), content, origin)
        let isDecoded = try decode(&object) {
            try decode(content, &$0)
            if depth == 0, plan.position == top { try giveTarget(plan, $0.row) }
        }
        return isDecoded ? object : nil
    }

    /// Throws where objects are nested too deep, for everybody or for the thread.
    private func checkDepth(_ depth: Int, _ place: ImportPlace) throws {
        guard depth < ImportRun.maximumDepth else { throw ImportRun.tooDeep().at(place) }
        if depth > 0, stack.isNearlyFull() { throw ImportRun.tooDeepForThread().at(place) }
    }

    /// Stages an object of which the thread that reads has decoded the plain values.
    ///
    /// - Parameter left: The members that the thread has left.
    private func stageDecoded(
        _ row: Int, _ left: Range<Int>, of read: DecodedBatch, _ item: ImportItem, _ plan: EntityPlan,
        _ index: Int
    ) throws -> Int? {
        let row = plan.stage.addRow(of: read.stage, row)
        if left.isEmpty, addNew(row, plan, item.place, index, isNamedOnly: false) { return row }
        var object = SourceObject(plan, row, item.content, Origin(place: item.place, item: index))
        guard !left.isEmpty, case .packed(let packed) = item.content else { return try identify(object)?.row }
        let isDecoded = try decode(&object) {
            try settlingSpellings(of: item.content, &$0) { object in
                for member in left {
                    try takeMember(read.members[member].key, read.members[member].slot, of: packed, &object)
                }
            }
        }
        return isDecoded ? try stage(&object) : nil
    }

    /// Takes from an object what it has. Returns false if it is refused, as in a strict import.
    @inline(__always)
    private func decode(_ object: inout SourceObject, _ decode: (inout SourceObject) throws -> Void) throws -> Bool {
        do {
            try decode(&object)
            return true
        } catch let error as GranaryError {
            object.plan.stage.removeLast()
            account.report.failed += 1
            try fail(error, at: object.place)
            return false
        }
    }

    /// Finds out which record the row of an object is, and stages what is nested in it.
    private func stage(_ object: inout SourceObject) throws -> Int? {
        guard !object.related.isEmpty || object.origin.owner != nil else {
            guard let (row, isSkipped) = try identify(object) else { return nil }
            if !isSkipped { keepValue(of: object, row) }
            return row
        }
        let hooked = object.plan.mapping.relationshipHooks.isEmpty ? [] : object.related
        guard let (row, isSkipped) = try identifyByRelated(&object) else { return nil }
        guard !isSkipped, let parent = object.parent else { return row }
        if !hooked.isEmpty, !object.origin.isNamedOnly { noteHooks(of: hooked, object.plan, row, parent) }
        for member in object.related where !object.plan.isTakenOver(member.name) {
            try stageMember(member, of: object.plan, row, parent, object.origin)
        }
        return row
    }

    /// Keeps an object for the hooks of its type.
    private func keepValue(of object: SourceObject, _ row: Int) {
        if object.plan.hasHooks, !object.origin.isNamedOnly { object.plan.rows[row].value = object.content.value }
    }

    /// Finds out which record an object is that has something nested, or is nested in a list: its references, or the owner of the
    /// list, may tell. Returns its row.
    @inline(never)
    private func identifyByRelated(_ object: inout SourceObject) throws -> (row: Int, isSkipped: Bool)? {
        let plan = object.plan
        if !object.related.isEmpty { object.parent = ParentObject(object.content, object.place) }
        var targets: [(position: Int, target: StagedTarget)] = []
        var open: [OpenReference] = []
        if let parent = object.parent, !plan.identifying.isEmpty {
            // What is staged for it may be of the same entity, and comes after it.
            plan.rows.append(StagedRow(place: object.place, item: object.item, isNamedOnly: true))
            targets = try stageIdentifying(&object, parent, &open)
        }
        if let owner = object.origin.owner, plan.identifying.contains(owner.position), !object.isGiven(owner.position),
            !targets.contains(where: { $0.position == owner.position }), let ownerPlan = plans[owner.entity],
            let reference = identify(owner.position, of: object.row, plan, by: owner.row, ownerPlan)
        {
            open.append(reference)
        }
        guard let (row, isSkipped) = try identify(object, open) else { return nil }
        if isSkipped { return (row, true) }
        keepValue(of: object, row)
        for (position, target) in targets { try refer(position, of: plan, row, to: target, object.origin) }
        return (row, false)
    }

    /// Stages the records by which, among others, it is told which record an object is: their keys must be known first.
    private func stageIdentifying(
        _ object: inout SourceObject, _ parent: ParentObject, _ open: inout [OpenReference]
    ) throws -> [(position: Int, target: StagedTarget)] {
        let plan = object.plan
        var targets: [(position: Int, target: StagedTarget)] = []
        for member in object.related {
            guard case .attribute(let position) = member.slot, plan.identifying.contains(position),
                !plan.isTakenOver(member.name),
                let target = try stageTarget(at: position, member, plan, parent, object.origin)
            else { continue }
            targets.append((position, target))
            guard case .row(let targetRow, _) = target, let entity = plan.entity.attributes[position].reference?.entity
            else { continue }
            let targetPlan = try self.plan(try schema.position(ofEntity: entity))
            if let reference = identify(position, of: object.row, plan, by: targetRow, targetPlan) {
                open.append(reference)
            }
        }
        object.related.removeAll { member in
            guard case .attribute(let position) = member.slot else { return false }
            return plan.identifying.contains(position) && !plan.isTakenOver(member.name)
        }
        return targets
    }

    /// Notes that the source has the record of an object that is not imported, so that it is not deleted.
    private func keep(_ value: ImportValue, _ plan: EntityPlan, _ origin: Origin) {
        if !plan.takesWhole { guard case .object = value else { return account.knowsAll = false } }
        let before = account.report
        defer { account.report = before }
        var object = SourceObject(plan, plan.stage.addRow(), .value(value), origin)
        let row = object.row
        do {
            try decode(.value(value), &object)
        } catch {
            plan.stage.removeLast()
            return account.knowsAll = false
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
            var staged = StagedRow(place: origin.place, item: origin.item, isNamedOnly: true, identity: identity)
            staged.isKept = true
            plan.rows.append(staged)
            return plan.rows[row].key = key(of: row, plan)
        }
        plan.stage.removeLast()
        account.knowsAll = false
    }
}
