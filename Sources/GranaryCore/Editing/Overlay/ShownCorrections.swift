// A context keeps its changes as they were made. Later commits of others can change what a save does with them: a link
// that others have made as well is written once, a link to a record that they have deleted is dropped, and a cascade
// also deletes records that they have made refer to a deleted record. So that the context shows what it would save, the
// changes are corrected for each state one level up. The changes themselves stay, because others may undo theirs.

/// The differences between a context's changes and what it shows of them, over one state one level up.
struct ShownCorrections {
    typealias Place = RecordChange.Place

    /// The corrected change of a record; nil if its change is ignored.
    private(set) var changes: [Place: PendingChanges.Change?] = [:]
    /// Links of the context that also exist one level up.
    private(set) var twins: [Place] = []
    /// Missing ends of links. The corrections hold until one of these records is inserted.
    private(set) var awaited: Set<Place> = []

    var isEmpty: Bool { changes.isEmpty }

    init(
        _ pending: PendingChanges, over below: any StoreReader, _ schema: Schema, _ rules: [EntityRules],
        _ links: [MergeRules], returning: Set<Place>
    ) throws {
        try takeAlong(pending, below, rules, returning)
        for entity in pending.entities {
            guard let ends = links[entity].ends else { continue }
            for (key, change) in pending.changes(of: entity) {
                guard let row = change.current else { continue }
                let place = Place(entity: entity, key: key)
                if !change.isNew {
                    if try below.row(place) == nil { pass(place) }
                    continue
                }
                let missing = try [ends.source, ends.target].compactMap { position -> Place? in
                    guard let target = rules[entity].outgoing.first(where: { $0.position == position })?.target else {
                        return nil
                    }
                    let end = Place(entity: target, key: row.value(at: position))
                    return try shown(end, pending, below) == nil ? end : nil
                }
                if !missing.isEmpty {
                    pass(place)
                    awaited.formUnion(missing)
                } else if try isTwin(row, of: entity, links[entity], pending, below, rules[entity]) {
                    pass(place)
                    twins.append(place)
                }
            }
        }
    }

    /// The changes as they are shown.
    func applied(to pending: PendingChanges) -> PendingChanges {
        var shown = pending
        for (place, change) in changes { shown.put(change, place.key, of: place.entity) }
        return shown
    }

    private mutating func pass(_ place: Place) { changes.updateValue(nil, forKey: place) }

    /// Adds the records that a cascade deletes together with records that the context has deleted.
    private mutating func takeAlong(
        _ pending: PendingChanges, _ below: any StoreReader, _ rules: [EntityRules], _ returning: Set<Place>
    ) throws {
        let deleted = pending.entities.filter { rules[$0].isFollowed }.flatMap { entity in
            pending.changes(of: entity).filter { $0.change.current == nil }.map { Place(entity: entity, key: $0.key) }
        }.filter { !returning.contains($0) }
        try rules.followCascades(from: deleted) { request, position in
            var joining: [Place] = []
            let cursor = try below.rows(request)
            while let row = try cursor.next() {
                let row = StoredRow(row)
                let key = row.value(at: rules[request.entity].keyPosition)
                let place = Place(entity: request.entity, key: key)
                if changes[place] != nil { continue }
                // A changed record is deleted as well if others have made it refer to the deleted record.
                if let change = pending.change(key, of: request.entity) {
                    guard let current = change.current, areSame(current[position], row[position]) else { continue }
                }
                changes[place] = PendingChanges.Change(base: row, current: nil)
                joining.append(place)
            }
            return joining
        }
    }

    /// The record as it is shown.
    private func shown(_ place: Place, _ pending: PendingChanges, _ below: any StoreReader) throws -> StoredRow? {
        if let corrected = changes[place] { return corrected?.current }
        if let change = pending.change(place.key, of: place.entity) { return change.current }
        return try below.row(place)
    }

    private func isTwin(
        _ row: StoredRow, of entity: Int, _ links: MergeRules, _ pending: PendingChanges, _ below: any StoreReader,
        _ rules: EntityRules
    ) throws -> Bool {
        guard let request = FetchRequest(linksLike: row, of: entity, links) else { return false }
        return try below.keys(request).contains { key in
            let other = try shown(Place(entity: entity, key: key), pending, below)
            return other.map { links.haveSameEnds($0, row) } ?? false
        }
    }
}

extension EntityRules {
    /// Whether the deletion of a record can delete others.
    var isFollowed: Bool { incoming.contains { $0.rule == .cascade } }
}

extension StoreReader {
    /// The record at a place, copied.
    func row(_ place: RecordChange.Place) throws -> StoredRow? {
        try place.key.withCell { key in
            guard let row = try find(key, in: place.entity) else { return nil }
            return StoredRow(row)
        }
    }
}
