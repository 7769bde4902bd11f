import GranaryCore

extension ImportRun {
    /// Stages what a relationship of a record has in the source.
    func stage(
        related slot: EntityPlan.Slot, _ name: String, _ value: ImportValue, _ plan: EntityPlan, _ row: Int,
        _ parent: ParentObject, _ item: Int, depth: Int
    ) throws {
        switch slot {
        case .attribute(let position), .inferredAttribute(let position):
            try stage(toOne: position, name, value, plan, row, parent, item, depth: depth)
        case .relationship(let index):
            try stage(toMany: index, name, value, plan, row, parent, item, depth: depth)
        case .passedOver, .unknown: break
        }
    }

    private func stage(
        toOne position: Int, _ name: String, _ given: ImportValue, _ plan: EntityPlan, _ row: Int,
        _ parent: ParentObject, _ item: Int, depth: Int
    ) throws {
        guard let target = plan.entity.attributes[position].reference?.entity else { return }
        var value = given
        if case .array(let elements) = given {
            guard elements.count <= 1 else {
                return try keepValue(
                    "is an array of several, where one record is expected", name, of: plan.entity, at: parent.place)
            }
            value = elements.first ?? .null
        }
        if case .null = value {
            guard plan.entity.attributes[position].isOptional else {
                return try keepValue("is null, which \(name) cannot be", name, of: plan.entity, at: parent.place)
            }
            unrefer(position, plan, row)
            return plan.stage.give(.null, row, position)
        }
        let targetPlan = try self.plan(try schema.position(ofEntity: target))
        let place = ImportPlace(name, of: parent)
        let connection = plan.mapping.connections[plan.entity.attributes[position].name]
        var rule = plan.referenceRules[position]
        if let connection { rule.missing = connection.missing }
        guard
            let member = try stage(
                member: value, targetPlan, rule, place, item, depth: depth, namedOnly: connection != nil)
        else { return }
        unrefer(position, plan, row)
        refer(plan, row, position, to: targetPlan, member, rule.missing, isInverse: false, parent.place)
    }

    private func stage(
        toMany index: Int, _ name: String, _ value: ImportValue, _ plan: EntityPlan, _ row: Int,
        _ parent: ParentObject, _ item: Int, depth: Int
    ) throws {
        let relationship = plan.entity.relationships[index]
        let source = try schema.position(ofEntity: relationship.entity)
        let links = schema.entities[source]
        let target: Int
        if let through = relationship.through {
            let member = links.attributes[try links.position(ofAttribute: through)]
            target = try schema.position(ofEntity: member.reference?.entity ?? links.name)
        } else {
            target = source
        }
        let targetPlan = try self.plan(target)
        var rule = plan.relationshipRules[index]
        let failures = report.failed
        var elements: [(value: ImportValue, place: ImportPlace)] = []
        switch value {
        case .null: break
        case .array(let values):
            for (index, value) in values.enumerated() {
                elements.append((value, ImportPlace(name, of: parent, index: index)))
            }
        case .object(let object) where rule.isKeyed:
            for (index, member) in object.members.enumerated() {
                elements.append((member.value, ImportPlace(name, of: parent, index: index, key: member.key)))
            }
        default: elements.append((value, ImportPlace(name, of: parent)))
        }
        var members: [Int] = []
        for (value, place) in elements {
            if case .null = value { continue }
            if let member = try stage(member: value, targetPlan, rule, place, item, depth: depth) {
                members.append(member)
            }
        }
        // What has failed may be related already: it must not be taken for what the source does not list.
        if report.failed > failures { rule.policy = .add }
        if relationship.through == nil {
            let inverse = try links.position(ofAttribute: relationship.attribute)
            for member in members where !targetPlan.rows[targetPlan.merged(member)].isNamedOnly {
                unrefer(inverse, targetPlan, member)
                refer(targetPlan, member, inverse, to: plan, row, .wait, isInverse: true, parent.place)
            }
            if rule.policy != .add { try number(members, relationship, targetPlan) }
        }
        lists.removeAll { $0.entity == plan.position && $0.row == row && $0.relationship == index }
        lists.append(
            StagedList(
                entity: plan.position, row: row, relationship: index, target: target, members: members, rule: rule,
                place: ImportPlace(name, of: parent)))
    }

    /// Gives the members of an ordered list their places, so that they need not be written a second time.
    private func number(_ members: [Int], _ relationship: Relationship, _ plan: EntityPlan) throws {
        guard let name = relationship.orderedBy else { return }
        let position = try plan.entity.position(ofAttribute: name)
        let type = plan.entity.attributes[position].type
        guard NumberKind(type) != nil, type != .bool, type != .date else { return }
        for (index, member) in members.enumerated() where !plan.rows[plan.merged(member)].isNamedOnly {
            _ = plan.converters[position].convert(Scalar.integer(Int64(index)), into: plan.stage, member, position)
        }
    }

    /// Stages an object, or a value that names a record.
    private func stage(
        member value: ImportValue, _ plan: EntityPlan, _ rule: RelationshipRule, _ place: ImportPlace, _ item: Int,
        depth: Int, namedOnly: Bool = false
    ) throws -> Int? {
        if case .object = value {
            let row = try stage(value, plan, place, item, depth: depth, namedOnly: namedOnly)
            if let row, namedOnly, rule.missing == .makeStub { plan.rows[row].makesStub = true }
            return row
        }
        guard value.isScalar else {
            try keepValue("is an array within an array", "", of: plan.entity, at: place)
            return nil
        }
        let names = rule.identity.isEmpty ? plan.mapping.identity ?? [plan.entity.key] : rule.identity
        guard names.count == 1 else {
            try keepValue(
                "is one value, where \(names.joined(separator: " and ")) name a record", "", of: plan.entity, at: place)
            return nil
        }
        let position = try plan.entity.position(ofAttribute: names[0])
        guard let identity = plan.identities.firstIndex(of: [position]) else {
            throw GranaryError(
                .invalidQuery,
                "\(plan.entity.name).\(names[0]) is neither the key nor unique, so a value does not name one record. Declare it unique.",
                entity: plan.entity.name, attributes: names)
        }
        let row = plan.stage.addRow()
        let refused = value.withScalar { scalar in
            scalar.flatMap { plan.converters[position].convert($0, into: plan.stage, row, position) }
        }
        if let refused {
            plan.stage.removeLast()
            try keepValue(
                GranaryError(
                    .typeMismatch, "The value \(refused), so it names no \(plan.entity.name).",
                    entity: plan.entity.name, attributes: names), "", at: place)
            return nil
        }
        // The most frequent case by far: it is named already.
        if let values = values(of: [position], plan, row), let known = plan.tables[identity][values] {
            plan.stage.removeLast()
            let known = plan.merged(known)
            if rule.missing == .makeStub { plan.rows[known].makesStub = true }
            return known
        }
        let final = try identify(row, plan, place, item, namedOnly: true)
        if let final, rule.missing == .makeStub { plan.rows[final].makesStub = true }
        return final
    }

    // MARK: References

    private func refer(
        _ plan: EntityPlan, _ row: Int, _ position: Int, to target: EntityPlan, _ targetRow: Int,
        _ missing: ImportMissing, isInverse: Bool, _ place: ImportPlace
    ) {
        let number = plan.references.count
        plan.references.append(
            StagedReference(
                position: position, entity: target.position, row: targetRow, missing: missing, isInverse: isInverse,
                place: place))
        if let chain = plan.rows[row].references {
            plan.references[chain.last].next = number
            plan.rows[row].references = (chain.first, number)
        } else {
            plan.rows[row].references = (number, number)
        }
    }

    /// Forgets what an attribute referred to: the object came before, and this is the last that is said of it.
    private func unrefer(_ position: Int, _ plan: EntityPlan, _ row: Int) {
        var kept: [Int] = []
        var next = plan.rows[row].references?.first
        while let number = next {
            next = plan.references[number].next
            if plan.references[number].position != position { kept.append(number) }
        }
        for (index, number) in kept.enumerated() {
            plan.references[number].next = index + 1 < kept.count ? kept[index + 1] : nil
        }
        plan.rows[row].references = kept.first.flatMap { first in kept.last.map { (first, $0) } }
    }
}

extension ImportValue {
    var isScalar: Bool {
        switch self {
        case .array, .object: false
        default: true
        }
    }
}
