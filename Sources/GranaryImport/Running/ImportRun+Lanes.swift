import GranaryCore

// The short way of plain values: from where a reader has put them into their cells.

extension ImportRun {
    /// What may decode the objects of the source on the thread that reads them; nil if more is asked of them than their values.
    var readingDecoder: PlainDecoder? {
        guard importer.choose == nil, importer.target == nil, let plan = plans[top], !plan.needsTree,
            plan.absent.isEmpty, !plan.hasHooks, plan.lanes.contains(where: \.isOpen)
        else { return nil }
        return plan.decoder
    }

    /// Takes the members of an object that lies on a tape. A plain value of an attribute is converted where it lies; of
    /// anything else a value is made.
    func takeMembers(of packed: PackedValue, _ object: inout SourceObject) throws {
        let plan = object.plan
        try plan.decoder.take(membersOf: packed, into: plan.stage, object.row) { key, slot in
            try takeMember(key, slot, of: packed, &object)
        }
    }

    /// Takes a member that is not a plain value, or one that cannot be converted.
    func takeMember(
        _ key: Int, _ slot: EntityPlan.Slot, of packed: PackedValue, _ object: inout SourceObject
    ) throws {
        let plan = object.plan
        let name = String(decoding: packed.text(packed.node(key)), as: UTF8.self)
        switch slot {
        case .attribute(let position), .inferredAttribute(let position):
            if object.isGiven(position) {
                overlooksKeys = true
                if case .inferredAttribute = slot { return }
            }
            let (lane, value) = (plan.lanes[position], packed.node(key + 1))
            guard lane.isOpen, let scalar = packed.scalar(value), value.kind != .null || lane.isOptional else { break }
            let refused = plan.converters[position].convert(scalar, into: plan.stage, object.row, position)
            if let refused {
                let attribute = plan.entity.attributes[position].name
                noteFound(attribute, slot, plan)
                try refuse(RefusedValue(refused, scalar.value, attribute, key: name), position, plan, object.place)
            }
            return
        case .relationship, .inferredRelationship, .passedOver, .unknown: break
        }
        madeValues += 1
        try take(packed.value(at: key + 1), name, slot, &object)
    }
}
