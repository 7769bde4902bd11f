// A to-many relationship is changed by changing the references of the related records, a many-to-many one by adding and
// removing links. Both directions are read from the same place, so that they always agree.

/// Changes the related records of one record, in stored form. Each verb is all or nothing.
struct LinkEditor {
    let links: RelationshipLinks
    let context: Context

    init(_ links: RelationshipLinks, _ context: Context) {
        self.links = links
        self.context = context
    }

    func add(_ keys: [StoredValue]) throws {
        try context.savepoint {
            let related = try links.among(keys, in: context)
            let unplaced = try unplaced(related)
            var known = Set(related.map(\.member)).subtracting(unplaced)
            let added = keys.filter { known.insert($0).inserted }
            guard !added.isEmpty else { return }
            let end = try end(leaving: added.count, besides: unplaced)
            for (place, key) in added.enumerated() { try link(key, at: end + Int64(place) * links.step) }
        }
    }

    func remove(_ keys: [StoredValue]) throws {
        try context.savepoint { try unlink(try links.among(keys, in: context)) }
    }

    func removeAll() throws {
        try context.savepoint {
            let any = FetchRequest(entity: links.source, condition: links.isOwned, limit: 1)
            guard try context.rows(any).firstRow({ _ in true }) ?? false else { return }
            try unlink(links.isOwned)
        }
    }

    func replace(with keys: [StoredValue]) throws {
        var listed: Set<StoredValue> = []
        let wanted = keys.filter { listed.insert($0).inserted }
        try context.savepoint {
            let existing = try links.all(in: context)
            try unlink(existing.filter { !listed.contains($0.member) })
            let known = Dictionary(existing.map { ($0.member, $0) }) { first, _ in first }
            let places =
                links.hasGaps
                ? ListPlaces.arranged(wanted.map { known[$0]?.place.integer }) : wanted.indices.map { Int64($0) }
            let kept = zip(wanted, places).compactMap { key, place in known[key].map { (link: $0, place: place) } }
            try moving(kept) {
                for (key, place) in zip(wanted, places) {
                    if let link = known[key] {
                        try arrange(link, at: place)
                    } else {
                        try link(key, at: place)
                    }
                }
            }
        }
    }

    func insert(_ key: StoredValue, at place: Int) throws {
        try checkOrdered()
        try context.savepoint {
            if links.hasGaps { return try insertIntoGap(key, at: place) }
            try add([key])
            var existing = try links.all(in: context)
            guard let current = existing.firstIndex(where: { $0.member == key }) else { return }
            let moved = existing.remove(at: current)
            existing.insert(moved, at: max(0, min(place, existing.count)))
            try arrange(existing)
        }
    }

    func move(from place: Int, to other: Int) throws {
        try checkOrdered()
        try context.savepoint {
            if links.hasGaps { return try moveIntoGap(from: place, to: other) }
            var existing = try links.all(in: context)
            guard existing.indices.contains(place) else { throw notThere(place, count: existing.count) }
            let moved = existing.remove(at: place)
            existing.insert(moved, at: max(0, min(other, existing.count)))
            try arrange(existing)
        }
    }

    // MARK: Shared by the verbs

    func link(_ key: StoredValue, at end: Int64) throws {
        let (entity, source) = (links.entity, links.source)
        guard links.isManyToMany else {
            let values =
                [Assignment(position: links.attribute, value: links.owner)] + (try placement(end).map { [$0] } ?? [])
            let changed = try context.updateAll(
                FetchRequest(entity: source, condition: .compare(position: entity.keyPosition, .equal, key)),
                setting: values)
            guard changed == 1 else {
                throw GranaryError(
                    .recordNotFound, "No record of \(entity.name) has that key. Insert it first.",
                    entity: entity.name, attributes: [entity.key])
            }
            notePlaced(key)
            return
        }
        // The owner comes last in the order that the related record keeps.
        if let other = try links.otherSide(of: key, in: context.schema) {
            return try LinkEditor(other, context).add([links.owner])
        }
        var values = [StoredValue](repeating: .null, count: entity.attributes.count)
        values[entity.keyPosition] = .integer(0)
        values[links.attribute] = links.owner
        values[links.member] = key
        if let place = try placement(end) { values[place.position] = place.value }
        _ = try context.insert(values, into: source)
    }

    private func unlink(_ ended: [RelationshipLinks.Link]) throws {
        guard !ended.isEmpty else { return }
        try unlink(.isListed(ended.map(\.key).sorted(), at: links.entity.keyPosition))
    }

    private func unlink(_ condition: ResolvedCondition) throws {
        let entity = links.entity
        let request = FetchRequest(entity: links.source, condition: condition)
        guard !links.isManyToMany else {
            _ = try context.deleteAll(request)
            return
        }
        guard entity.attributes[links.attribute].isOptional else {
            throw GranaryError(
                .required,
                "\(entity.name).\(entity.attributes[links.attribute].name) is required. Delete the records, or give them another owner.",
                entity: entity.name, attributes: [entity.attributes[links.attribute].name])
        }
        _ = try context.updateAll(request, setting: [Assignment(position: links.attribute, value: .null)])
    }
}
