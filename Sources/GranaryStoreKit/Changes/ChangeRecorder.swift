// An append-only list of events with the keys they are about, so that a savepoint is undone by cutting the list. The
// net effect is computed once, when the transaction commits: most transactions do not need it earlier.

/// The effect of one write transaction on rows, as the store makes it: every statement, including delete rules and
/// statements on sets.
///
/// A store that was given a recorder (``ChangeRecording/record(into:)``) notes each row it inserts, changes or deletes,
/// once for each statement. A row that is set to its old values is not noted. The recorder belongs to the transaction's
/// thread.
public final class ChangeRecorder {
    private enum Event: UInt8 { case insert, update, delete }

    private struct Entry {
        var entity: Int32
        var event: Event
        /// For an update, the index of its set in ``attributeSets``.
        var attributes: Int32
        /// An integer key; otherwise the position of the key in ``keys``.
        var key: Int64
        var isInteger: Bool
    }

    private var entries: ContiguousArray<Entry> = []
    private var keys: ContiguousArray<StoredValue> = []
    private var attributeSets: [AttributeSet] = []
    private var attributeNumbers: [AttributeSet: Int32] = [:]
    private var marks: [(entries: Int, keys: Int)] = []

    /// The recorder of all parts of a store, for that of one part.
    private let whole: ChangeRecorder?
    /// For each entity of the part, its position in the store; nil for one that the store does not have.
    private let positions: [Int?]

    public init() { (whole, positions) = (nil, []) }

    /// The recorder of a part of a store. What it notes is noted in the recorder of the store, too.
    ///
    /// - Parameters:
    ///   - whole: The recorder of the store.
    ///   - positions: For each entity of the part, its position in the store; nil for one that the store does not have.
    init(partOf whole: ChangeRecorder, _ positions: [Int?]) { (self.whole, self.positions) = (whole, positions) }

    public var isEmpty: Bool { entries.isEmpty }

    public func insert(_ key: Cell, into entity: Int) {
        note(entity) { $0.append(.insert, key, $1, 0) }
    }

    public func delete(_ key: Cell, from entity: Int) {
        note(entity) { $0.append(.delete, key, $1, 0) }
    }

    /// Not called for a row that has not changed.
    public func update(_ key: Cell, in entity: Int, _ attributes: AttributeSet) {
        note(entity) { $0.append(.update, key, $1, $0.number(of: attributes)) }
    }

    @inline(__always) private func note(_ entity: Int, _ append: (ChangeRecorder, Int) -> Void) {
        append(self, entity)
        if let whole, positions.indices.contains(entity), let position = positions[entity] { append(whole, position) }
    }

    private func append(_ event: Event, _ key: Cell, _ entity: Int, _ attributes: Int32) {
        let entity = Int32(truncatingIfNeeded: entity)
        if key.kind == .integer {
            entries.append(
                Entry(entity: entity, event: event, attributes: attributes, key: key.integerValue, isInteger: true))
        } else {
            entries.append(
                Entry(entity: entity, event: event, attributes: attributes, key: Int64(keys.count), isInteger: false))
            keys.append(StoredValue(key))
        }
    }

    /// Adds the effect of a later write of the same transaction.
    func append(_ later: ChangeRecorder) {
        for entry in later.entries {
            var added = entry
            if entry.event == .update { added.attributes = number(of: later.attributeSets[Int(entry.attributes)]) }
            if !entry.isInteger {
                added.key = Int64(keys.count)
                keys.append(later.keys[Int(entry.key)])
            }
            entries.append(added)
        }
    }

    private func number(of attributes: AttributeSet) -> Int32 {
        if let last = attributeSets.last, last == attributes { return Int32(attributeSets.count - 1) }
        if let number = attributeNumbers[attributes] { return number }
        let number = Int32(attributeSets.count)
        attributeSets.append(attributes)
        attributeNumbers[attributes] = number
        return number
    }

    // MARK: Savepoints. A store calls these where its own savepoints begin and end, including those of a statement.

    public func beginSavepoint() {
        whole?.beginSavepoint()
        marks.append((entries.count, keys.count))
    }

    public func releaseSavepoint() {
        whole?.releaseSavepoint()
        marks.removeLast(min(1, marks.count))
    }

    public func rollbackSavepoint() {
        whole?.rollbackSavepoint()
        guard let mark = marks.popLast() else { return }
        entries.removeLast(entries.count - mark.entries)
        keys.removeLast(keys.count - mark.keys)
    }

    /// The net effect: at most one change for each record, by entity and key. A record that is inserted and then
    /// deleted has no change; one that is deleted and then inserted is an update of all attributes.
    public func changes() -> [RecordChange] {
        var changes: [RecordChange] = []
        changes.reserveCapacity(entries.count)
        var isInOrder = true
        for entry in entries {
            let change = change(entry)
            if let last = changes.last, !(last.place < change.place) { isInOrder = false }
            changes.append(change)
        }
        // A batch in the order of its keys is complete as it is.
        return isInOrder ? changes : ChangeRecorder.joined(changes)
    }

    private func change(_ entry: Entry) -> RecordChange {
        let key = entry.isInteger ? StoredValue.integer(entry.key) : keys[Int(entry.key)]
        let kind: RecordChange.Kind =
            switch entry.event {
            case .insert: .inserted
            case .delete: .deleted
            case .update: .updated(attributeSets[Int(entry.attributes)])
            }
        return RecordChange(place: RecordChange.Place(entity: Int(entry.entity), key: key), kind: kind)
    }

    private static func joined(_ changes: [RecordChange]) -> [RecordChange] {
        var found: [RecordChange.Place: RecordChange.Kind?] = [:]
        found.reserveCapacity(changes.count)
        for change in changes {
            let before = found[change.place] ?? nil
            found.updateValue(RecordChange.Kind.joined(before, change.kind), forKey: change.place)
        }
        return found.compactMap { place, kind in kind.map { RecordChange(place: place, kind: $0) } }
            .sorted { $0.place < $1.place }
    }
}
