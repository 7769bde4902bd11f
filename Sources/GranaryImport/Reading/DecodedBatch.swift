import GranaryCore

/// What has been decoded of the objects of a batch by the thread that reads them, so that the one that imports them has less to
/// do: their plain values as cells, and which of their members are left.
// @unchecked: it is filled by one thread, and read by another one after that has handed it over.
final class DecodedBatch: @unchecked Sendable {
    /// A member of an object that is left to the import.
    struct Member {
        /// The node of its key.
        let key: Int
        let slot: EntityPlan.Slot
    }

    private struct Entry {
        /// The row of the cells; nil of an object that is left as a whole.
        var row: Int?
        /// Where its members end that are left; they begin where those of the one before end.
        var end: Int
    }

    let stage: RowStage
    /// The number of the first object in its source.
    private var first = 0
    private var entries: [Entry] = []
    /// The members that are left, object after object.
    private(set) var members: [Member] = []

    init(width: Int) { stage = RowStage(width: width) }

    /// Forgets what it has, for a batch whose first object has a number.
    func begin(_ number: Int) {
        first = number
        stage.removeAll()
        entries.removeAll(keepingCapacity: true)
        members.removeAll(keepingCapacity: true)
    }

    /// Says which number its first object has.
    func number(from first: Int) { self.first = first }

    /// Adds the object that comes after the last one.
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

    /// Whether the object has another value of the same attribute, which was taken: the order of both decides.
    private func isGiven(_ member: Member, _ row: Int) -> Bool {
        switch member.slot {
        case .attribute(let position), .inferredAttribute(let position): stage.isGiven(row, position)
        case .relationship, .inferredRelationship, .passedOver, .unknown: false
        }
    }

    /// The row of an object, and which of ``members`` are left of it; nil if it has not been decoded.
    @inline(__always)
    func decoded(_ number: Int) -> (row: Int, left: Range<Int>)? {
        let index = number - first
        guard index >= 0, index < entries.count, let row = entries[index].row else { return nil }
        return (row, (index == 0 ? 0 : entries[index - 1].end)..<entries[index].end)
    }
}

extension PlainDecoder {
    /// Decodes the object that comes after the last one of a batch.
    mutating func decode(_ content: ImportContent, into batch: DecodedBatch) { batch.append(content, by: &self) }
}
