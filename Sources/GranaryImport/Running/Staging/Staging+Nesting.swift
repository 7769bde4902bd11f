import GranaryCore

extension Staging {
    /// Stages what a relationship of a record has in the source.
    ///
    /// - Parameters:
    ///   - object: The object that has the member.
    ///   - parent: The same as what is nested in it sees it.
    mutating func stageMember(_ member: Member, of object: SourceObject, _ parent: ParentObject) throws {
        switch member.slot {
        case .attribute(let position), .inferredAttribute(let position):
            if let target = try stageTarget(at: position, member, of: object, parent) {
                try refer(position, of: object, to: target)
            }
        case .relationship(let index), .inferredRelationship(let index):
            try stageList(index, member, of: object, parent)
        case .passedOver, .unknown: break
        }
    }

    /// What a reference has in the source.
    enum StagedTarget {
        case null
        case row(Int, ImportMissing)
    }

    /// Stages the record that a reference has in the source; nil if the reference stays as it was.
    mutating func stageTarget(
        at position: Int, _ member: Member, of object: SourceObject, _ parent: ParentObject
    ) throws -> StagedTarget? {
        let (plan, origin, name) = (object.plan, object.origin, member.name)
        guard let target = plan.targets[position] else { return nil }
        let targetPlan = try plans.plan(target)
        var content = member.content
        if let elements = content.elements {
            let width = targetPlan.names(by: plan.referenceRules[position]).count
            if width == 1 || elements.count != width || !elements.allSatisfy(\.isScalar) {
                guard elements.count <= 1 else {
                    let reason = "is an array of several, where one record is expected"
                    let attribute = plan.entity.attributes[position].name
                    try refuse(RefusedValue(reason, member.value, attribute, key: name), at: position, of: object)
                    return nil
                }
                content = elements.first ?? .value(.null)
            }
        }
        if content.isNull {
            guard plan.entity.attributes[position].isOptional else {
                let attribute = plan.entity.attributes[position].name
                let refused = RefusedValue("is null, which \(attribute) cannot be", member.value, attribute, key: name)
                try account.keepValue(refused, of: plan.entity, at: parent.place)
                return nil
            }
            return .null
        }
        let place = ImportPlace(name, of: parent)
        let connection = plan.connection(named: plan.entity.attributes[position].name)
        var rule = plan.referenceRules[position]
        if let connection { rule.missing = connection.missing }
        account.forgetLastKept()
        let holder = OpenReference(position: position, entity: plan.position, row: object.row)
        let row = try stageElement(
            content, targetPlan, rule,
            origin.nested(
                at: place, isNamedOnly: connection != nil, holder: rule.updatesRelated ? holder : nil))
        if row == nil, plan.tells(position) { account.noteUnreadableKey(position, plan, parent.place) }
        return row.map { .row($0, rule.missing) }
    }

    /// Has an attribute refer to a record of the batch.
    mutating func refer(_ position: Int, of object: SourceObject, to target: StagedTarget) throws {
        let (plan, row, origin) = (object.plan, object.row, object.origin)
        switch target {
        case .null:
            plan.unrefer(position, of: row)
            plan.stage.give(.null, row, position)
        case .row(let target, let missing):
            guard let entity = plan.targets[position] else { return }
            let targetPlan = try plans.plan(entity)
            cutIfSaid(position, by: object, otherThan: target, targetPlan)
            plan.unrefer(position, of: row)
            plan.add(
                StagedReference(
                    position: position, entity: targetPlan.position, row: target, item: origin.item, missing: missing,
                    isInverse: false, place: origin.place),
                to: row)
        }
    }

    private mutating func stageList(
        _ index: Int, _ list: Member, of object: SourceObject, _ parent: ParentObject
    ) throws {
        let (plan, row, origin) = (object.plan, object.row, object.origin)
        let relationship = plan.entity.relationships[index]
        let links = plan.links[index]
        let target = links.related
        let targetPlan = try plans.plan(target)
        let connection = plan.connection(named: relationship.name)
        var rule = plan.relationshipRules[index]
        if let connection { rule.missing = connection.missing }
        var members: [Int] = []
        let inverse = links.inverse
        let owner = inverse.map { OpenReference(position: $0, entity: plan.position, row: row) }
        for (content, place) in ListElements(list, rule, parent) where !content.isNull {
            let member = try stageElement(
                content, targetPlan, rule,
                origin.nested(at: place, isNamedOnly: connection != nil, owner: owner))
            if let member {
                members.append(member)
            } else {
                // It may be related already: it must not be taken for what the source does not list.
                rule.policy = .add
            }
        }
        if let inverse {
            // An object that is skipped says nothing of its record, which an earlier object of the batch is for.
            for member in members where targetPlan.rows[targetPlan.merged(member)].isSaid(by: origin.item) {
                targetPlan.unrefer(inverse, of: member)
                targetPlan.add(
                    StagedReference(
                        position: inverse, entity: plan.position, row: row, item: origin.item, missing: .wait,
                        isInverse: true, place: parent.place),
                    to: member)
            }
            if rule.policy != .add { number(members, links, targetPlan) }
        }
        batch.lists.append(
            StagedList(
                entity: plan.position, row: row, relationship: index, target: target, members: members, rule: rule,
                item: origin.item, place: ImportPlace(list.name, of: parent)))
    }

    /// Gives the members of an ordered list their places, so that they need not be written a second time.
    private func number(_ members: [Int], _ links: LinkLayout, _ plan: EntityPlan) {
        guard let position = links.place else { return }
        let type = plan.entity.attributes[position].type
        guard NumberKind(type) != nil, type != .bool, type != .date else { return }
        for (index, member) in members.enumerated() where !plan.rows[plan.merged(member)].isNamedOnly {
            _ = plan.converters[position].convert(Scalar.integer(Int64(index)), into: plan.stage, member, position)
        }
    }

    /// Stages an object, or a value that names a record.
    private mutating func stageElement(
        _ content: ImportContent, _ plan: EntityPlan, _ rule: RelationshipRule, _ origin: Origin
    ) throws -> Int? {
        let (place, item) = (origin.place, origin.item)
        if content.isObject {
            let row = try stage(content, plan, origin)
            if let row, origin.isNamedOnly, rule.missing == .makeStub { makeStub(plan, row, item) }
            return row
        }
        let names = plan.names(by: rule)
        if names.count > 1, let values = content.elements, values.allSatisfy(\.isScalar) {
            return try stageNamed(by: values.map(\.value), of: names, plan, rule, origin)
        }
        guard content.isScalar else {
            let refused = RefusedValue("is an array within an array", content.value, "")
            try account.keepValue(refused, of: plan.entity, at: place)
            return nil
        }
        guard names.count == 1 else {
            let reason = "is one value, where \(names.joined(separator: " and ")) name a record"
            try account.keepValue(RefusedValue(reason, content.value, ""), of: plan.entity, at: place)
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
        let refused = content.withScalar { scalar in
            scalar.flatMap { plan.converters[position].convert($0, into: plan.stage, row, position) }
        }
        if let refused {
            plan.stage.removeLast()
            try account.keepValue(
                GranaryError(
                    .typeMismatch, "The value \(refused), so it names no \(plan.entity.name).",
                    entity: plan.entity.name, attributes: names
                ).with(value: content.value.textOfError), "", at: place)
            return nil
        }
        // The most frequent case by far: it is named already.
        if let values = plan.values(of: [position], row), let known = plan.tables[identity][values] {
            plan.stage.removeLast()
            let known = plan.merged(known)
            if rule.missing == .makeStub { makeStub(plan, known, item) }
            return known
        }
        let origin = Origin(place: place, item: item, depth: origin.depth, isNamedOnly: true)
        let final = try identify(SourceObject(plan, row, content, origin))?.row
        if let final, rule.missing == .makeStub { makeStub(plan, final, item) }
        return final
    }

    /// Stages what names a record by several attributes.
    private mutating func stageNamed(
        by values: [ImportValue], of names: [String], _ plan: EntityPlan, _ rule: RelationshipRule,
        _ origin: Origin
    ) throws -> Int? {
        guard values.count == names.count else {
            let reason = "has \(values.count) elements, where \(names.joined(separator: " and ")) name a record"
            try account.keepValue(RefusedValue(reason, .array(values), ""), of: plan.entity, at: origin.place)
            return nil
        }
        // Throws unless they are unique together.
        _ = try plan.entity.identity(over: names)
        let object = ImportObject(zip(names, values).map { ImportObject.Member($0, $1) })
        var named = origin
        named.isNamedOnly = true
        let row = try stage(.value(.object(object)), plan, named)
        if let row, rule.missing == .makeStub { makeStub(plan, row, origin.item) }
        return row
    }

    /// Has a record made that is only named, for a record of the source.
    private mutating func makeStub(_ plan: EntityPlan, _ row: Int, _ item: Int) {
        plan.rows[row].makesStub = true
        batch.hasStubs = true
        if plan.rows[row].isNamedOnly { plan.rows[row].add(item) }
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
