import GranaryCore

// The short way of plain values: from where a reader has put them into their cells.

extension Staging {
    /// Takes the members of an object that lies on a tape. A plain value of an attribute is converted where it lies, and
    /// what a relationship has is left there.
    mutating func takeMembers(of packed: PackedValue, _ object: inout SourceObject) throws {
        let plan = object.plan
        if object.origin.depth > 0 || plan.position != plans.top, !plan.unfound.isEmpty { plan.noteFound(in: packed) }
        try plan.decoder.take(membersOf: packed, into: plan.stage, object.row) { key, slot in
            try takeMember(key, slot, of: packed, &object)
        }
    }

    /// Takes a member that is not a plain value, or one that cannot be converted.
    mutating func takeMember(
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
                plan.noteFound(attribute, slot)
                try refuse(RefusedValue(refused, scalar.value, attribute, key: name), at: position, of: object)
            }
            return
        case .relationship, .inferredRelationship, .passedOver, .unknown: break
        }
        try take(.packed(packed.part(at: key + 1)), name, slot, &object)
    }
}
