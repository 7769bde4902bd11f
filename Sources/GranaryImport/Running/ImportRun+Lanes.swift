import GranaryCore

// The short way of plain values: from where a reader has put them into their cells.

extension ImportRun {
    /// Takes the members of an object that lies on a tape. A plain value of an attribute is converted where it lies; of
    /// anything else a value is made.
    func takeMembers(
        of packed: PackedValue, _ plan: EntityPlan, _ row: Int, _ place: ImportPlace,
        _ related: inout [(slot: EntityPlan.Slot, name: String, value: ImportValue)]
    ) throws {
        var last = 0
        var next = 1
        let end = packed.end(0)
        while next < end {
            let key = packed.text(packed.node(next))
            let number = next + 1
            let value = packed.node(number)
            next = packed.end(number)
            let slot = plan.slot(of: key, after: &last)
            let position: Int
            switch slot {
            case .attribute(let index): position = index
            case .inferredAttribute(let index):
                guard !plan.stage.isGiven(row, index) else { continue }
                position = index
            case .passedOver: continue
            case .relationship, .inferredRelationship, .unknown: position = -1
            }
            let lane = position >= 0 ? plan.lanes[position] : Lane()
            if lane.isOpen, take(value, of: packed, lane, plan.stage, row, position) { continue }
            let name = String(decoding: key, as: UTF8.self)
            guard lane.isOpen, let scalar = packed.scalar(value), value.kind != .null || lane.isOptional else {
                madeValues += 1
                try take(packed.value(at: number), name, slot, plan, row, place, &related)
                continue
            }
            let refused = plan.converters[position].convert(scalar, into: plan.stage, row, position)
            if let refused { try keepValue(refused, name, of: plan.entity, at: place) }
        }
    }

    /// Takes a value that is of the kind that its attribute has. False if it is of another, or does not fit: the conversions
    /// decide about it.
    @inline(__always)
    private func take(
        _ node: ItemTape.Node, of packed: PackedValue, _ lane: Lane, _ stage: RowStage, _ row: Int,
        _ position: Int
    ) -> Bool {
        switch (lane.kind, node.kind) {
        case (.integer, .integer):
            guard node.content >= lane.least, node.content <= lane.greatest else { return false }
            stage.giveLent(.integer(node.content), row, position)
        case (.real, .integer): stage.giveLent(.real(Double(node.content)), row, position)
        case (.real, .number):
            guard let value = NumberText(packed.text(node))?.real else { return false }
            stage.giveLent(.real(value + 0.0), row, position)
        // The tape is held for as long as the batch.
        case (.text, .string): stage.giveLent(.text(packed.text(node)), row, position)
        default: return false
        }
        return true
    }
}
