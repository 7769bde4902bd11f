import GranaryCore

/// Converts the plain values of objects on tapes to cells of one entity, directly from the tape, without an
/// intermediate value.
///
/// It is a value, so that each thread can have its own.
struct PlainDecoder: Sendable {
    var keys: KeyChain
    let lanes: [Lane]
    let converters: [Converter]

    /// Takes the members of an object.
    ///
    /// - Parameter other: Called, in their order, with the members that are not plain values, that cannot be converted,
    ///   or whose attribute already has a value from another member: the node of the key, and its meaning.
    @inline(__always)
    mutating func take(
        membersOf packed: PackedValue, into stage: RowStage, _ row: Int,
        otherwise other: (_ key: Int, _ slot: EntityPlan.Slot) throws -> Void
    ) rethrows {
        var last = 0
        var next = packed.root + 1
        let end = packed.end(packed.root)
        while next < end {
            let key = next
            let value = key + 1
            next = packed.end(key + 1)
            let slot = keys.slot(of: packed.text(packed.node(key)), after: &last)
            switch slot {
            case .attribute(let position), .inferredAttribute(let position):
                // If two keys mean the same attribute, the import decides which one counts.
                if !stage.isGiven(row, position), take(value, of: packed, stage, row, position) { continue }
            case .passedOver: continue
            case .relationship, .inferredRelationship, .unknown: break
            }
            try other(key, slot)
        }
    }

    /// Takes a plain value. Returns false if the attribute takes no plain values, or the value cannot be converted.
    @inline(__always)
    private func take(
        _ number: Int, of packed: PackedValue, _ stage: RowStage, _ row: Int, _ position: Int
    ) -> Bool {
        let (lane, node) = (lanes[position], packed.node(number))
        guard lane.isOpen else { return false }
        // A value of the attribute's own kind needs no conversion.
        switch (lane.kind, node.kind) {
        case (.integer, .integer):
            guard node.content >= lane.least, node.content <= lane.greatest else { return false }
            stage.giveLent(.integer(node.content), row, position)
            return true
        case (.real, .integer):
            stage.giveLent(.real(Double(node.content)), row, position)
            return true
        case (.real, .number):
            let value = packed.real(number)
            guard value.isFinite else { return false }
            stage.giveLent(.real(value), row, position)
            return true
        // The tape is held as long as the batch.
        case (.text, .string):
            stage.giveLent(.text(packed.text(node)), row, position)
            return true
        default: return convert(node, of: packed, lane, stage, row, position)
        }
    }

    @inline(never)
    private func convert(
        _ node: ItemTape.Node, of packed: PackedValue, _ lane: Lane, _ stage: RowStage, _ row: Int, _ position: Int
    ) -> Bool {
        guard let scalar = packed.scalar(node), node.kind != .null || lane.isOptional else { return false }
        return converters[position].convert(scalar, into: stage, row, position) == nil
    }
}
