// A context keeps its changes as they were made. What others commit since can make a save come to something else: a link
// that they have made too is written once, a link to what they have deleted is dropped, and a cascade takes along what they
// have made refer to its record. So that the context shows what it would save, these changes are corrected for each state
// one level up; the changes themselves stay, as what others did may be undone.

/// Where what a context shows of its changes differs from them, over one state one level up.
struct ShownCorrections {
    typealias Place = RecordChange.Place

    /// What the record's change is taken for; nil if it is passed over.
    private(set) var changes: [Place: PendingChanges.Change?] = [:]
    /// Links of the context that exist one level up too.
    private(set) var twins: [Place] = []
    /// Ends of links that do not exist: the corrections hold until one is inserted.
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

    /// What goes with the records that the context has deleted, by a cascade.
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
                // A record that is changed here goes along if it refers there because others have made it.
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
    /// Whether the deletion of a record takes others along.
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
