// A list is kept by a number in each of its records, and moving one of them gives most of the others new numbers. So
// two sides that move different records change the same attributes, and a merge of the numbers, attribute by attribute,
// would not give an order. Therefore the order itself is merged. It begins as the order of the store, which has
// everything that others have added, moved and removed. The changes of the context are applied to it. The moved records
// are the fewest records without which the others stand in their original order (all but a longest increasing
// subsequence). Each moved record, and each record that the context put in between, follows the record that it follows
// in the context. Records that the context added at the end come last.
//
// Links have places with gaps (ListPlaces): a link that was moved, or put in between, gets a number of its own, and most
// merges leave all numbers as they are. Only if both sides have used one number, or have moved one link, is the order
// merged. Then as few links as possible get new numbers.

/// Merges the orders of lists that a context and others have changed.
struct ListMerger {
    typealias Write = ChangeMerger.Write

    let schema: Schema
    let rules: [MergeRules]
    let reader: any StoreReader

    /// A record of a list to which the context has given a place.
    private struct Entry {
        var key: StoredValue
        /// Orders records with equal places: see `member(_:_:)`.
        var member: StoredValue
        /// Its place when the context began; nil if it was not in the list.
        var base: StoredValue?
        var place: StoredValue
        /// Its place one level up; nil if the list does not have it there.
        var stored: StoredValue?
        /// Whether the library gave it its place. A new record may have a place that was set by hand.
        var isArranged: Bool
    }

    /// The context's changes of one list of an entity.
    private struct Edit {
        var entity: Int
        var list: MergeRules.List
        var owner: StoredValue
        var entries: [Entry] = []
    }

    /// Sets the places of the records to be written, and of other records if the merged order requires it.
    ///
    /// Cost: if the context has only added records to a list, reads the store's records from the first of these places
    /// on; otherwise the whole list.
    func merge(_ plan: inout ChangeMerger.Plan) throws {
        guard rules.contains(where: { !$0.lists.isEmpty }) else { return }
        let entities = Set((plan.updated + plan.inserted).map(\.entity)).filter { !rules[$0].lists.isEmpty }
        for entity in entities.sorted() {
            for list in rules[entity].lists {
                var writes = Writes(plan, entity, schema.entities[entity].keyPosition)
                followOwners(&writes, list, &plan)
                for edit in edits(writes, of: entity, list) {
                    let places = try places(edit, writes, Set(plan.deleted[entity] ?? []))
                    for (row, place) in places { writes.set(place, list, of: row, &plan) }
                }
            }
        }
    }

    /// The records of one entity in the plan, by key.
    private struct Writes {
        private(set) var byKey: [StoredValue: Write] = [:]
        private let entity: Int
        private let keyPosition: Int
        private var updated: [StoredValue: Int] = [:]
        private var inserted: [StoredValue: Int] = [:]

        init(_ plan: ChangeMerger.Plan, _ entity: Int, _ keyPosition: Int) {
            self.entity = entity
            self.keyPosition = keyPosition
            for (index, write) in plan.updated.enumerated() where write.entity == entity {
                updated[write.row.value(at: keyPosition)] = index
                byKey[write.row.value(at: keyPosition)] = write
            }
            for (index, write) in plan.inserted.enumerated() where write.entity == entity {
                inserted[write.row.value(at: keyPosition)] = index
                byKey[write.row.value(at: keyPosition)] = write
            }
        }

        /// Sets the place of a record. A record that the plan does not write is added to the plan.
        mutating func set(
            _ place: StoredValue, _ list: MergeRules.List, of row: StoredRow, _ plan: inout ChangeMerger.Plan
        ) {
            let key = row.value(at: keyPosition)
            let new = row.setting([Assignment(position: list.place, value: place)])
            byKey[key]?.row = new
            if let index = updated[key] {
                plan.updated[index].row = new
            } else if let index = inserted[key] {
                plan.inserted[index].row = new
            } else {
                updated[key] = plan.updated.count
                let change = PendingChanges.Change(base: row, current: new)
                let write = Write(entity: entity, row: new, change: change, store: row)
                byKey[key] = write
                plan.updated.append(write)
            }
        }
    }

    /// Gives a record that others have put into another list its place there.
    private func followOwners(
        _ writes: inout Writes, _ list: MergeRules.List, _ plan: inout ChangeMerger.Plan
    ) {
        for write in Array(writes.byKey.values) {
            guard let store = write.store, let base = write.change.base, let mine = write.change.current,
                !areSame(store[list.owner], base[list.owner]), areSame(store[list.owner], write.row[list.owner]),
                !areSame(mine[list.owner], write.row[list.owner]), !areSame(store[list.place], write.row[list.place])
            else { continue }
            writes.set(store.value(at: list.place), list, of: write.row, &plan)
        }
    }

    private func edits(_ writes: Writes, of entity: Int, _ list: MergeRules.List) -> [Edit] {
        var edits: [StoredValue: Edit] = [:]
        for (key, write) in writes.byKey {
            let owner = write.row.value(at: list.owner)
            let base = write.change.base.flatMap { areSame($0[list.owner], write.row[list.owner]) ? $0 : nil }
            let isPlaced = base.map { !areSame($0[list.place], write.row[list.place]) } ?? true
            // Others have put the record into this list, and their place stays.
            let isTheirs = write.change.current.map { !areSame($0[list.owner], write.row[list.owner]) } ?? false
            guard owner != .null, isPlaced, !isTheirs else { continue }
            let entry = Entry(
                key: key, member: member(write.row, entity), base: base?.value(at: list.place),
                place: write.row.value(at: list.place), stored: write.store?.value(at: list.place),
                isArranged: rules[entity].linked != nil || !write.change.isNew
                    || write.change.assigned.contains(list.place))
            edits[owner, default: Edit(entity: entity, list: list, owner: owner)].entries.append(entry)
        }
        return edits.sorted { $0.key < $1.key }.map { _, edit in
            var edit = edit
            edit.entries.sort { ($0.place, $0.member) < ($1.place, $1.member) }
            return edit
        }
    }

    /// Orders records with equal places: the key of a link's record, as in queries; of another record its own key.
    private func member(_ row: StoredRow, _ entity: Int) -> StoredValue {
        row.value(at: rules[entity].ends?.target ?? schema.entities[entity].keyPosition)
    }

    /// The new places of records of one list; empty if the places need not change.
    private func places(
        _ edit: Edit, _ writes: Writes, _ deleted: Set<StoredValue>
    ) throws -> [(row: StoredRow, place: StoredValue)] {
        guard let first = edit.entries.first else { return [] }
        let hasGaps = hasGaps(edit)
        let isAdded = edit.entries.allSatisfy { $0.base == nil && (!hasGaps || $0.place.isAtEnd) }
        // A record that the context removes, or moves to another owner, is no longer in the list.
        let isListed = { (row: StoredRow) in
            let key = row.value(at: schema.entities[edit.entity].keyPosition)
            if deleted.contains(key) { return false }
            return writes.byKey[key].map { areSame($0.row[edit.list.owner], row[edit.list.owner]) } ?? true
        }
        let rows = { (key: StoredValue) in writes.byKey[key]?.row }
        guard !isAdded else {
            let stored = try stored(
                edit,
                where: first.place == .null ? nil : .compare(position: edit.list.place, .greaterOrEqual, first.place)
            ).filter(isListed)
            let own = Set(edit.entries.map(\.key))
            let others = stored.filter { !own.contains($0.value(at: schema.entities[edit.entity].keyPosition)) }
            let taken = Set(others.map { $0.value(at: edit.list.place) })
            // Records that two sides add at one end begin with the same place. A place that was set by hand stays.
            let arranged = edit.entries.filter(\.isArranged)
            guard let firstPlace = arranged.first?.place, taken.contains(firstPlace),
                let last = taken.union(edit.entries.filter { !$0.isArranged }.map(\.place)).max()
            else { return [] }
            let (step, next) = hasGaps ? (ListPlaces.step, ListPlaces.after(last.integer)) : (1, last.next)
            guard let next, let length = Int64(exactly: arranged.count),
                !length.multipliedReportingOverflow(by: step).overflow,
                !next.addingReportingOverflow(length * step).overflow
            else { return [] }
            return try arranged.enumerated().compactMap { number, entry in
                try rows(entry.key).map { ($0, try place(next + Int64(number) * step, edit)) }
            }
        }
        guard try isContested(edit, isListed) else { return [] }
        let stored = try stored(edit).filter(isListed)
        let order = order(edit, stored)
        let isInOrder = zip(order, order.dropFirst()).allSatisfy { $0.place < $1.place }
        if isInOrder { return [] }
        let storedRows = Dictionary(
            stored.map { ($0.value(at: schema.entities[edit.entity].keyPosition), $0) }
        ) { first, _ in first }
        let numbers = hasGaps ? ListPlaces.arranged(order.map(\.place.integer)) : order.indices.map { Int64($0) }
        return try zip(order, numbers).compactMap { entry, number in
            let place = try place(number, edit)
            guard entry.place != place else { return nil }
            return (rows(entry.key) ?? storedRows[entry.key]).map { ($0, place) }
        }
    }

    private func hasGaps(_ edit: Edit) -> Bool {
        rules[edit.entity].ends != nil && schema.entities[edit.entity].attributes[edit.list.place].type == .int64
    }

    /// Whether others have moved a record that the context has moved, or have a record at a place that the context
    /// uses. Otherwise the numbers alone give the merged order.
    private func isContested(_ edit: Edit, _ isListed: (StoredRow) -> Bool) throws -> Bool {
        if edit.entries.contains(where: { $0.base != nil && $0.stored != $0.base }) { return true }
        let own = Set(edit.entries.map(\.key))
        let places = Set(edit.entries.map(\.place))
        let keyPosition = schema.entities[edit.entity].keyPosition
        let isShared: ResolvedCondition? =
            places.contains(.null) ? nil : .isListed(places.sorted(), at: edit.list.place)
        return try stored(edit, where: isShared).contains {
            !own.contains($0.value(at: keyPosition)) && places.contains($0.value(at: edit.list.place)) && isListed($0)
        }
    }

    /// A list's records one level up, in their order.
    private func stored(_ edit: Edit, where restriction: ResolvedCondition? = nil) throws -> [StoredRow] {
        var condition = ResolvedCondition.compare(position: edit.list.owner, .equal, edit.owner)
        if let restriction { condition = .all([condition, restriction]) }
        var rows: [StoredRow] = []
        let cursor = try reader.rows(FetchRequest(entity: edit.entity, condition: condition))
        while let row = try cursor.next() { rows.append(StoredRow(row)) }
        return rows.sorted {
            ($0.value(at: edit.list.place), member($0, edit.entity))
                < ($1.value(at: edit.list.place), member($1, edit.entity))
        }
    }

    /// The list's entries in the merged order.
    private func order(_ edit: Edit, _ stored: [StoredRow]) -> [Entry] {
        let keyPosition = schema.entities[edit.entity].keyPosition
        let known = Dictionary(edit.entries.map { ($0.key, $0) }) { first, _ in first }
        // A record that both sides have put into the list stays where the others put it.
        let storedKeys = Set(stored.map { $0.value(at: keyPosition) })
        let new = edit.entries.filter { $0.base == nil && !storedKeys.contains($0.key) }
        let lastKept = edit.entries.last { $0.base != nil }?.place ?? .null
        var trailing = new.filter { $0.place > lastKept }
        if hasGaps(edit) {
            trailing = Array(trailing.suffix(from: (trailing.lastIndex { !$0.place.isAtEnd } ?? -1) + 1))
        }
        // New records after the context's last moved record were put in between, unless others have added at the same
        // end: the records that both sides add there begin with the same place.
        let untouched = Set(
            stored.filter { known[$0.value(at: keyPosition)] == nil }.map { $0.value(at: edit.list.place) })
        let isEnd = trailing.first.map { first in
            untouched.contains(first.place) || !untouched.contains { $0 > first.place }
        }
        let last = isEnd == true ? trailing : []
        let isLast = Set(last.map(\.key))
        let links = rules[edit.entity].ends != nil
        // If others have made a link to the same record, their link stays.
        let members = Set(stored.filter { known[$0.value(at: keyPosition)] == nil }.map { member($0, edit.entity) })
        let isTaken = { (entry: Entry) in links && entry.base == nil && members.contains(entry.member) }
        let others = stored.map { row -> Entry in
            let (key, member) = (row.value(at: keyPosition), member(row, edit.entity))
            if let entry = known[key], entry.base != nil { return entry }
            let place = row.value(at: edit.list.place)
            return Entry(key: key, member: member, base: place, place: place, stored: place, isArranged: true)
        }
        let moved = moved(others).intersection(known.keys)
        var list = Successors(others.map(\.key).filter { !moved.contains($0) })
        // The list as the context shows it. Of two entries with one place, the one that the context has placed comes
        // first.
        let added = new.filter { !isLast.contains($0.key) && !isTaken($0) }
        let shown = (others + added).sorted {
            let isPlaced = (known[$0.key] != nil ? 0 : 1, known[$1.key] != nil ? 0 : 1)
            return ($0.place, isPlaced.0, $0.member) < ($1.place, isPlaced.1, $1.member)
        }
        var before: StoredValue?
        for entry in shown {
            if moved.contains(entry.key) || entry.base == nil { list.insert(entry.key, after: before) }
            before = entry.key
        }
        let entries = Dictionary((others + added).map { ($0.key, $0) }) { first, _ in first }
        return list.elements.compactMap { entries[$0] } + last.filter { !isTaken($0) }
    }

    /// The records that the context moved: the fewest without which the others are in their original order.
    private func moved(_ entries: [Entry]) -> Set<StoredValue> {
        let kept = entries.filter { $0.base != nil }.sorted {
            ($0.base ?? .null, $0.member) < ($1.base ?? .null, $1.member)
        }
        let places = kept.enumerated().sorted {
            ($0.element.place, $0.element.member) < ($1.element.place, $1.element.member)
        }.map(\.offset)
        let staying = Set(ListDifference.longestIncreasing(places))
        return Set(kept.enumerated().filter { !staying.contains($0.offset) }.map(\.element.key))
    }

    private func place(_ number: Int64, _ edit: Edit) throws -> StoredValue {
        let entity = schema.entities[edit.entity]
        let attribute = entity.attributes[edit.list.place]
        let value: StoredValue = attribute.type.storage == .real ? .real(Double(number)) : .integer(number)
        try attribute.check(value, in: entity)
        return value
    }
}

extension StoredValue {
    /// Whether a link with this place was added at the end.
    fileprivate var isAtEnd: Bool { integer.map(ListPlaces.isAtEnd) ?? false }

    /// The whole number after a place.
    fileprivate var next: Int64 {
        switch self {
        case .integer(let value): value == .max ? value : value + 1
        case .real(let value): Int64(exactly: value.rounded(.down)).map { $0 + 1 } ?? 0
        case .null, .text, .bytes: 0
        }
    }
}

/// Keys in an order. Inserting one after another costs the same at every position.
private struct Successors {
    private var first: StoredValue?
    private var next: [StoredValue: StoredValue] = [:]

    init(_ keys: [StoredValue]) {
        first = keys.first
        for (key, following) in zip(keys, keys.dropFirst()) { next[key] = following }
    }

    mutating func insert(_ key: StoredValue, after other: StoredValue?) {
        if let other {
            next[key] = next.updateValue(key, forKey: other)
        } else {
            next[key] = first
            first = key
        }
    }

    var elements: [StoredValue] {
        var all: [StoredValue] = []
        var key = first
        while let current = key {
            all.append(current)
            key = next[current]
        }
        return all
    }
}
