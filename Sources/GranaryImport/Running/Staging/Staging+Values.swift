import GranaryCore
import GranaryPlatform

// What an object of the source says of its record: each member goes to the attribute or relationship that its key means.

extension Staging {
    mutating func takeAll(of content: ImportContent, _ object: inout SourceObject) throws {
        let plan = object.plan
        if !plan.absent.isEmpty { mentioned = [] }
        switch content {
        case .packed(let packed): try takeMembers(of: packed, &object)
        case .value(let given):
            var whole = given
            let taken = plan.takeovers.isEmpty ? [] : try takeOver(&whole, plan, object.place)
            if case .object(let tree) = whole { try takeMembers(of: tree, &object) }
            try takeComputed(of: whole, &object)
            if !plan.destinations.isEmpty { try takeDestinations(of: whole, &object) }
            if !plan.connections.isEmpty { try takeConnections(of: whole, given, &object) }
            for member in taken { try take(member.content, member.name, member.slot, &object) }
        }
        if !plan.absent.isEmpty { takeAbsent(&object) }
    }

    private mutating func takeMembers(of tree: ImportObject, _ object: inout SourceObject) throws {
        let plan = object.plan
        var members = tree.members
        let order = plan.mapping.order
        if !order.isEmpty {
            let first = order.compactMap { key in tree.members.last { $0.key.hasSameBytes(as: key) } }
            members = first + members.filter { member in !order.contains { $0.hasSameBytes(as: member.key) } }
        }
        var last = 0
        for member in members {
            var key = member.key
            let slot = key.withUTF8 { plan.slot(of: UnsafeRawBufferPointer($0), after: &last) }
            try take(.value(member.value), member.key, slot, &object)
        }
    }

    /// Decides about what the object does not mention.
    private mutating func takeAbsent(_ object: inout SourceObject) {
        let plan = object.plan
        for (slot, name, absence) in plan.absent where !mentioned.contains(name) {
            switch slot {
            case .attribute(let position), .inferredAttribute(let position):
                let attribute = plan.entity.attributes[position]
                let value = absence == .useDefault ? attribute.defaultValue ?? .null : .null
                guard value != .null || attribute.isOptional else { continue }
                if value == .null, plan.mapping.relationshipHooks[name] != nil {
                    object.related.append(Member(.attribute(position), name, .null))
                    continue
                }
                plan.stage.give(stored: value, object.row, position)
            case .relationship, .inferredRelationship:
                object.related.append(Member(slot, name, .array([])))
            case .passedOver, .unknown: break
            }
        }
    }

    /// Takes one member of an object, whatever its value is.
    mutating func take(
        _ content: ImportContent, _ key: String, _ slot: EntityPlan.Slot, _ object: inout SourceObject
    ) throws {
        let (plan, place) = (object.plan, object.place)
        switch slot {
        case .attribute(let index), .inferredAttribute(let index):
            let name = plan.entity.attributes[index].name
            plan.noteFound(name, slot)
            if object.isGiven(index) || object.has(name) {
                overlooksKeys = true
                if case .inferredAttribute = slot { return }
            }
            try take(content, key, at: index, &object)
        case .relationship(let index), .inferredRelationship(let index):
            let name = plan.entity.relationships[index].name
            plan.noteFound(name, slot)
            if object.has(name) {
                overlooksKeys = true
                if case .inferredRelationship = slot { return }
            }
            if !plan.absent.isEmpty { mentioned.insert(name) }
            guard let content = try transformed(content, name, plan, place),
                !content.isNull || plan.mapping.nulls[name] != .keep
            else { return leaveAlone(plan.stage.width + index) }
            // Of a list that is given twice, the last counts.
            object.removeRelated(name)
            object.related.append(Member(.relationship(index), name, content))
        case .passedOver:
            guard let known = plan.within[key] else { return }
            try known.forEachUnknown(in: content.value, at: key) { try noteUnknown($0, plan, place) }
        case .unknown: try noteUnknown(key, plan, place)
        }
    }

    /// Takes what an object has for an attribute.
    private mutating func take(
        _ content: ImportContent, _ key: String, at position: Int, _ object: inout SourceObject
    ) throws {
        let (plan, row, place) = (object.plan, object.row, object.place)
        let attribute = plan.entity.attributes[position]
        if !plan.absent.isEmpty { mentioned.insert(attribute.name) }
        var content = content
        if plan.transformers[position] != nil {
            guard let changed = try transformed(content, attribute.name, plan, place) else {
                return leaveAlone(position)
            }
            content = changed
        }
        if content.isNull, let rule = plan.mapping.nulls[attribute.name], rule != .clear {
            if rule == .keep { return leaveAlone(position) }
            if let stored = attribute.defaultValue, stored != .null {
                object.removeRelated(attribute.name)
                return plan.stage.give(stored: stored, row, position)
            }
        }
        if attribute.reference != nil,
            !isPlainKey(content, position, plan) || plan.mapping.relationshipHooks[attribute.name] != nil
                || plan.destinations.contains(where: { $0.position == position })
        {
            object.removeRelated(attribute.name)
            object.related.append(Member(.attribute(position), attribute.name, content))
            return
        }
        // Of a reference that is given twice, the last counts.
        if attribute.reference != nil { object.removeRelated(attribute.name) }
        var value = value(of: content)
        // A column of JSON has its text.
        if place.isTable, attribute.type == .json, case .string(let text) = value,
            let parsed = try? ImportValue(json: text)
        {
            value = parsed
        }
        if case .null = value, place.isUnquoted, plan.mapping.takesEmptyField(position, of: plan.entity) {
            value = .string("")
        }
        if case .null = value, !attribute.isOptional {
            // Which record it is need not be said of the one that the importer names.
            if position == plan.entity.keyPosition, isTarget(plan, place) { return }
            leaveAlone(position)
            let refused = RefusedValue("is null, which \(attribute.name) cannot be", value, attribute.name, key: key)
            return try account.keepValue(refused, of: plan.entity, at: place)
        }
        let refused = value.withScalar { scalar in
            if let scalar {
                plan.converters[position].convert(scalar, into: plan.stage, row, position)
            } else {
                plan.converters[position].convert(value, into: plan.stage, row, position)
            }
        }
        if let refused { try refuse(RefusedValue(refused, value, attribute.name, key: key), at: position, of: object) }
    }

    /// Reports a value that an attribute cannot take.
    mutating func refuse(_ refused: RefusedValue, at position: Int, of object: SourceObject) throws {
        let (plan, place) = (object.plan, object.place)
        leaveAlone(position)
        try account.keepValue(refused, of: plan.entity, at: place)
        if plan.tells(position) { account.noteUnreadableKey(position, plan, place) }
    }

    /// Whether a reference is to be taken as it is, without looking whether what it names exists.
    private func isPlainKey(_ content: ImportContent, _ position: Int, _ plan: EntityPlan) -> Bool {
        if content.isNull { return true }
        guard content.isScalar else { return false }
        return plan.entity.attributes[position].reference?.onDelete == .noAction
            && plan.referenceRules[position].identity.isEmpty
    }

    /// A tree of what a reader has read.
    private func value(of content: ImportContent) -> ImportValue {
        if case .packed = content { account.madeValues += 1 }
        return content.value
    }

    private func transformed(
        _ content: ImportContent, _ name: String, _ plan: EntityPlan, _ place: ImportPlace
    ) throws -> ImportContent? {
        guard !plan.mapping.transformers.isEmpty, let transformer = plan.mapping.transformers[name] else {
            return content
        }
        let value = value(of: content)
        do {
            return try transformer.importing(value, place).map { .value($0) }
        } catch {
            let error = GranaryError.wrapping(error, plan.entity).about(plan.entity.name, name)
            try account.keepValue(error.with(value: value.textOfError), name, at: place)
            if let position = plan.entity.attributes.firstIndex(where: { $0.name == name }), plan.tells(position) {
                account.noteUnreadableKey(position, plan, place)
            }
            return nil
        }
    }

    private func noteUnknown(_ key: String, _ plan: EntityPlan, _ place: ImportPlace) throws {
        if plan.takesWhole, try meansPart(key, plan) { return }
        if importer.isStrict {
            throw GranaryError(
                .typeMismatch,
                "The key \"\(key.shortened)\" means no attribute of \(plan.entity.name). Map it, or ignore it.",
                entity: plan.entity.name)
        }
        account.report.addUnknown(key, of: plan.entity.name)
    }
}
