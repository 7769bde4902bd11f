import GranaryCore

/// The decoded part of a batch. The reading thread decodes it so that the importing thread has less to do. It has the
/// plain values of the objects as cells, and a list of the remaining members.
// @unchecked: one thread fills it, and another one reads it only after the first one has handed it over.
final class DecodedBatch: @unchecked Sendable {
    /// A member of an object that the import must handle.
    struct Member {
        /// The node of its key.
        let key: Int
        let slot: EntityPlan.Slot
    }

    private struct Entry {
        /// The row of the cells; nil for an object that the import must handle as a whole.
        var row: Int?
        /// The end of its remaining members; they begin at the end of the previous object's.
        var end: Int
    }

    let stage: RowStage
    /// The number of the first object in its source.
    private var first = 0
    private var entries: [Entry] = []
    /// The remaining members, object after object.
    private(set) var members: [Member] = []

    init(width: Int) { stage = RowStage(width: width) }

    /// Empties it for a batch. `number` is the number of the batch's first object.
    func begin(_ number: Int) {
        first = number
        stage.removeAll()
        entries.removeAll(keepingCapacity: true)
        members.removeAll(keepingCapacity: true)
    }

    /// Sets the number of the first object.
    func number(from first: Int) { self.first = first }

    /// Adds the next object.
    fileprivate func append(_ content: ImportContent, by decoder: inout PlainDecoder) {
        let start = members.count
        guard case .packed(let packed) = content, packed.kind == .object else {
            return entries.append(Entry(row: nil, end: start))
        }
        let row = stage.addRow()
        decoder.take(membersOf: packed, into: stage, row) { key, slot in members.append(Member(key: key, slot: slot)) }
        guard members.count > start, members[start...].contains(where: { isGiven($0, row) }) else {
            return entries.append(Entry(row: row, end: members.count))
        }
        stage.removeLast()
        members.removeLast(members.count - start)
        entries.append(Entry(row: nil, end: start))
    }

    /// Whether the object has another value for the same attribute, which was taken. Then the order of both must
    /// decide.
    private func isGiven(_ member: Member, _ row: Int) -> Bool {
        switch member.slot {
        case .attribute(let position), .inferredAttribute(let position): stage.isGiven(row, position)
        case .relationship, .inferredRelationship, .passedOver, .unknown: false
        }
    }

    /// The row of an object, and the range of its remaining ``members``; nil if it has not been decoded.
    @inline(__always)
    func decoded(_ number: Int) -> (row: Int, left: Range<Int>)? {
        let index = number - first
        guard index >= 0, index < entries.count, let row = entries[index].row else { return nil }
        return (row, (index == 0 ? 0 : entries[index - 1].end)..<entries[index].end)
    }
}

extension PlainDecoder {
    /// Decodes the next object of a batch.
    mutating func decode(_ content: ImportContent, into batch: DecodedBatch) { batch.append(content, by: &self) }
}
