import GranaryCore

extension ImportRun {
    /// Stages an object of the source. Returns its row; nil if it is skipped or fails.
    func stage(_ numbered: NumberedItem, _ index: Int) throws -> (entity: Int, row: Int)? {
        let item = numbered.item
        if let batch = decoded, let (row, left) = batch.decoded(numbered.number), let plan = plans[top] {
            return try stage(row, left, of: batch, item, plan, index).map { (top, $0) }
        }
        var entity = top
        if let choose = importer.choose {
            do {
                guard let name = try choose(item.value, item.place) else {
                    report.skipped += 1
                    return nil
                }
                entity = try schema.position(ofEntity: name)
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
        guard depth < ImportRun.maximumDepth else { throw ImportRun.tooDeep().at(place.path) }
        var content = given
        if !namedOnly, plan.hasHooks, let handler = plan.handler {
            let value = given.value
            do {
                guard let changed = try handler.willImport(value, place) else {
                    report.skipped += 1
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
        guard content.isObject else {
            report.failed += 1
            let error = GranaryError(
                .typeMismatch, "The source has \(content.value.kindName) where an object is expected.",
                entity: plan.entity.name)
            try fail(error, at: place)
            return nil
        }
        let row = plan.stage.addRow()
        return try stage(row, content, plan, place, item, depth: depth, namedOnly: namedOnly, owner: owner) {
            try decode(content, plan, row, place, &$0)
        }
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
            for member in left {
                let (key, slot) = (batch.members[member].key, batch.members[member].slot)
                try takeMember(key, slot, of: packed, plan, row, item.place, &$0)
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
        guard let (final, isSkipped) = try identify(row, plan, place, item, namedOnly: namedOnly, open) else {
            return nil
        }
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
        guard case .object = value else { return knowsAll = false }
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

    // MARK: Values

    /// Takes from an object what it has for its record.
    private func decode(
        _ content: ImportContent, _ plan: EntityPlan, _ row: Int, _ place: ImportPlace,
        _ related: inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)]
    ) throws {
        if !plan.absent.isEmpty { mentioned = [] }
        switch content {
        case .packed(let packed): try takeMembers(of: packed, plan, row, place, &related)
        case .value(let whole):
            guard case .object(let object) = whole else { return }
            try takeMembers(of: object, plan, row, place, &related)
            try takeComputed(of: whole, plan, row, place, &related)
        }
        if !plan.absent.isEmpty { try takeAbsent(plan, row, &related) }
    }

    private func takeMembers(
        of object: ImportObject, _ plan: EntityPlan, _ row: Int, _ place: ImportPlace,
        _ related: inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)]
    ) throws {
        var members = object.members
        let order = plan.mapping.order
        if !order.isEmpty {
            let first = order.compactMap { key in object.members.last { $0.key.hasSameBytes(as: key) } }
            members = first + members.filter { member in !order.contains { $0.hasSameBytes(as: member.key) } }
        }
        var last = 0
        for member in members {
            var key = member.key
            let slot = key.withUTF8 { plan.slot(of: UnsafeRawBufferPointer($0), after: &last) }
            try take(member.value, member.key, slot, plan, row, place, &related)
        }
    }

    private func takeComputed(
        of whole: ImportValue, _ plan: EntityPlan, _ row: Int, _ place: ImportPlace,
        _ related: inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)]
    ) throws {
        for (slot, name, paths) in plan.computed {
            for path in paths {
                guard let value = path.value(in: whole, at: place) else { continue }
                try take(value, name, slot, plan, row, place, &related)
                break
            }
        }
        if !plan.choices.isEmpty { try takeChoices(of: whole, plan, row, place, &related) }
        for (slot, name, connection) in plan.connections {
            let members = connection.pairs.compactMap { path, attribute in
                path.value(in: whole, at: place).map { ImportObject.Member(attribute, $0) }
            }
            guard members.contains(where: { $0.value != .null }), connection.condition?(whole, place) ?? true else {
                continue
            }
            related.removeAll { $0.name == name }
            if !plan.absent.isEmpty { mentioned.insert(name) }
            related.append((slot, name, .object(ImportObject(members))))
        }
    }

    /// Decides about what the object does not mention.
    private func takeAbsent(
        _ plan: EntityPlan, _ row: Int,
        _ related: inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)]
    ) throws {
        for (slot, name, absence) in plan.absent where !mentioned.contains(name) {
            switch slot {
            case .attribute(let position), .inferredAttribute(let position):
                let attribute = plan.entity.attributes[position]
                let value = absence == .useDefault ? attribute.defaultValue ?? .null : .null
                guard value != .null || attribute.isOptional else { continue }
                if value == .null, plan.mapping.relationshipHooks[name] != nil {
                    related.append((.attribute(position), name, .null))
                    continue
                }
                plan.stage.give(stored: value, row, position)
            case .relationship, .inferredRelationship:
                related.append((slot, name, .array([])))
            case .passedOver, .unknown: break
            }
        }
    }

    /// Takes one member of an object, whatever its value is.
    func take(
        _ value: ImportValue, _ key: String, _ slot: EntityPlan.Slot, _ plan: EntityPlan, _ row: Int,
        _ place: ImportPlace, _ related: inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)]
    ) throws {
        let position: Int
        switch slot {
        case .attribute(let index): position = index
        case .inferredAttribute(let index):
            let name = plan.entity.attributes[index].name
            guard !plan.stage.isGiven(row, index), !related.contains(where: { $0.name == name }) else { return }
            position = index
        case .relationship(let index), .inferredRelationship(let index):
            let name = plan.entity.relationships[index].name
            if case .inferredRelationship = slot, related.contains(where: { $0.name == name }) { return }
            if !plan.absent.isEmpty { mentioned.insert(name) }
            guard let value = try transformed(value, name, plan, place) else { return }
            // Of a list that is given twice, the last counts.
            related.removeAll { $0.name == name }
            related.append((.relationship(index), name, value))
            return
        case .passedOver: return
        case .unknown: return try noteUnknown(key, plan, place)
        }
        let attribute = plan.entity.attributes[position]
        if !plan.absent.isEmpty { mentioned.insert(attribute.name) }
        var value = value
        if plan.transformers[position] != nil {
            guard let changed = try transformed(value, attribute.name, plan, place) else { return }
            value = changed
        }
        if attribute.reference != nil,
            !isPlainKey(value, position, plan) || plan.mapping.relationshipHooks[attribute.name] != nil
        {
            related.removeAll { $0.name == attribute.name }
            related.append((.attribute(position), attribute.name, value))
            return
        }
        // Of a reference that is given twice, the last counts.
        if attribute.reference != nil, !related.isEmpty { related.removeAll { $0.name == attribute.name } }
        // A column of JSON has its text.
        if place.isTable, attribute.type == .json, case .string(let text) = value,
            let parsed = try? ImportValue(json: text)
        {
            value = parsed
        }
        if case .null = value, !attribute.isOptional {
            return try keepValue("is null, which \(attribute.name) cannot be", key, of: plan.entity, at: place)
        }
        let refused = value.withScalar { scalar in
            if let scalar {
                plan.converters[position].convert(scalar, into: plan.stage, row, position)
            } else {
                plan.converters[position].convert(value, into: plan.stage, row, position)
            }
        }
        if let refused { try keepValue(refused, key, of: plan.entity, at: place) }
    }

    /// Whether a reference is to be taken as it is, without looking whether what it names exists.
    private func isPlainKey(_ value: ImportValue, _ position: Int, _ plan: EntityPlan) -> Bool {
        switch value {
        case .null: return true
        case .object, .array: return false
        default:
            return plan.entity.attributes[position].reference?.onDelete == .noAction
                && plan.referenceRules[position].identity.isEmpty
        }
    }

    private func transformed(
        _ value: ImportValue, _ name: String, _ plan: EntityPlan, _ place: ImportPlace
    ) throws -> ImportValue? {
        guard let transformer = plan.mapping.transformers[name] else { return value }
        do {
            return try transformer.importing(value, place)
        } catch {
            try keepValue(GranaryError.wrapping(error, plan.entity).about(plan.entity.name, name), name, at: place)
            return nil
        }
    }

    private func noteUnknown(_ key: String, _ plan: EntityPlan, _ place: ImportPlace) throws {
        if importer.isStrict {
            throw GranaryError(
                .typeMismatch,
                "The key \"\(key)\" means no attribute of \(plan.entity.name). Map it, or ignore it.",
                entity: plan.entity.name)
        }
        report.addUnknown(key, of: plan.entity.name)
    }

    // MARK: Identity

    /// Finds out which record a new row is. Returns its row, which is an earlier one if the batch has the record already; nil
    /// if the record is left out.
    func identify(
        _ row: Int, _ plan: EntityPlan, _ place: ImportPlace, _ item: Int, namedOnly: Bool,
        _ open: [OpenReference] = []
    ) throws -> (row: Int, isSkipped: Bool)? {
        if let number = plan.integerKey(of: row), plan.tables[0].insert(row, number) {
            plan.rows.append(
                StagedRow(place: place, item: item, isNamedOnly: namedOnly, identity: 0, key: .integer(number)))
            return (row, false)
        }
        var given: [(identity: Int, values: [StoredValue])] = []
        let isChosen = !namedOnly && plan.identifiesByFirst
        for (identity, positions) in plan.identities.enumerated() where identity == 0 || !isChosen {
            if let values = values(of: positions, plan, row) { given.append((identity, values)) }
        }
        let key = key(of: row, plan)
        for (identity, values) in given {
            guard let earlier = plan.tables[identity][values].map(plan.merged) else { continue }
            // Objects with different keys are different records, whatever they share for now. So are two of which only the
            // second one has a key: the first one names what the store has.
            if !namedOnly, !isChosen, let key, key != plan.rows[earlier].key,
                plan.rows[earlier].key != nil || !plan.rows[earlier].isNamedOnly
            {
                continue
            }
            if !namedOnly, !plan.rows[earlier].isNamedOnly, case .insertOnly = importer.policy {
                plan.drop(row)
                report.skipped += 1
                return (earlier, true)
            }
            merge(last: row, into: earlier, given, plan, place, item, namedOnly: namedOnly)
            return (earlier, false)
        }
        let unsettled = open.isEmpty ? [] : openIdentities(of: row, plan, open).filter { $0.identity == 0 || !isChosen }
        if given.isEmpty, !namedOnly, let earlier = unsettled.lazy.compactMap({ self.openNames.rows[$0] }).first {
            if case .insertOnly = importer.policy {
                plan.drop(row)
                report.skipped += 1
                return (earlier, true)
            }
            merge(last: row, into: earlier, given, plan, place, item, namedOnly: false)
            return (earlier, false)
        }
        let isOpen = given.isEmpty && !unsettled.isEmpty && !(namedOnly && areMissing(open))
        if isOpen, namedOnly { openNames.isNeeded = true }
        if given.isEmpty, !isOpen {
            switch importer.missingKey {
            case .create where !namedOnly: break
            case .skip where !namedOnly:
                plan.drop(row)
                report.skipped += 1
                return nil
            default:
                plan.drop(row)
                report.failed += 1
                try fail(missingKey(plan), at: place)
                return nil
            }
        }
        for (identity, values) in given { plan.tables[identity][values] = row }
        var staged = StagedRow(place: place, item: item, isNamedOnly: namedOnly, identity: given.first?.identity)
        staged.key = key
        staged.isOpen = isOpen
        if !namedOnly { for identity in unsettled { openNames.rows[identity] = row } }
        if row < plan.rows.count { plan.rows[row] = staged } else { plan.rows.append(staged) }
        return (row, false)
    }

    /// Makes the last row part of an earlier one.
    private func merge(
        last row: Int, into earlier: Int, _ given: [(identity: Int, values: [StoredValue])], _ plan: EntityPlan,
        _ place: ImportPlace, _ item: Int, namedOnly: Bool
    ) {
        let before = plan.identities.map { values(of: $0, plan, earlier) }
        overrule(row, earlier, plan)
        let said = namedOnly ? [] : plan.referring.filter { plan.stage.isGiven(row, $0) }
        plan.stage.merge(row, into: earlier)
        plan.drop(row)
        for position in said {
            chain(
                StagedReference(
                    position: position, entity: plan.position, row: nil, item: item, missing: .ignore,
                    isInverse: false, place: place),
                to: earlier, plan)
        }
        if !namedOnly {
            if plan.rows[earlier].isNamedOnly {
                plan.rows[earlier].take(StagedRow(place: place, item: item, isNamedOnly: false))
            } else {
                plan.rows[earlier].add(item)
            }
        }
        if plan.rows[earlier].key == nil { plan.rows[earlier].key = key(of: earlier, plan) }
        for (identity, values) in before.enumerated() {
            // It is not found any more by what it does not have any more.
            if let values, values != self.values(of: plan.identities[identity], plan, earlier),
                plan.tables[identity][values] == earlier
            {
                plan.tables[identity][values] = nil
            }
        }
        for (identity, values) in given { plan.tables[identity][values] = earlier }
        if let first = given.first?.identity {
            plan.rows[earlier].identity = min(first, plan.rows[earlier].identity ?? first)
        }
    }

    private func missingKey(_ plan: EntityPlan) -> GranaryError {
        let identities = plan.identifiesByFirst ? plan.identities.prefix(1) : plan.identities[...]
        let names = identities.map { $0.map { plan.entity.attributes[$0].name }.joined(separator: " and ") }
        return GranaryError(
            .required,
            "The object has no value for \(names.joined(separator: ", nor for ")), so it is not known which \(plan.entity.name) it is. Map the key, or set the importer's missingKey.",
            entity: plan.entity.name, attributes: [plan.entity.key])
    }

    /// The values of an identity, nil if one of them is not given or nil.
    func values(of positions: [Int], _ plan: EntityPlan, _ row: Int) -> [StoredValue]? {
        var values: [StoredValue] = []
        for position in positions {
            guard plan.stage.isGiven(row, position) else { return nil }
            let cell = plan.stage[row, position]
            guard !cell.isNull else { return nil }
            // A key that the store assigns is 0 until it is.
            if position == plan.entity.keyPosition, plan.entity.keyGeneration == .assigned, cell.integerValue == 0 {
                return nil
            }
            values.append(StoredValue(cell))
        }
        return values
    }

    private func key(of row: Int, _ plan: EntityPlan) -> StoredValue? {
        values(of: [plan.entity.keyPosition], plan, row)?.first
    }
}
