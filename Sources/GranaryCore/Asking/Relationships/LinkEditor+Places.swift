extension LinkEditor {
    /// - Throws: `invalidQuery` if the relationship has no order, or one that cannot be written.
    func checkOrdered() throws {
        guard let place = links.place else {
            throw GranaryError(
                .invalidQuery,
                "\(links.relationship.name) has no order. Declare it with `ordered: true` or `orderedBy:`.",
                entity: links.ownerEntity)
        }
        let attribute = links.entity.attributes[place]
        guard attribute.type.holdsPlaces else {
            throw GranaryError(
                .invalidQuery,
                "\(links.relationship.name) is ordered by \(links.entity.name).\(attribute.name), which is no number. Change that attribute instead.",
                entity: links.ownerEntity, attributes: [attribute.name])
        }
    }

    /// Gives each link its place. Writes only links whose place changes.
    func arrange(_ links: [RelationshipLinks.Link]) throws {
        let moved = links.enumerated().map { (link: $0.element, place: Int64($0.offset) * self.links.step) }
        try moving(moved) { for (link, place) in moved { try arrange(link, at: place) } }
    }

    func arrange(_ link: RelationshipLinks.Link, at place: Int64) throws {
        guard let assignment = try placement(place) else { return }
        if link.place != assignment.value { try put(link, assignment) }
        if !links.isManyToMany { notePlaced(link.key) }
    }

    /// Notes that the list has given a related record its place.
    func notePlaced(_ key: StoredValue) {
        guard let place = links.place else { return }
        context.notePlaced(key, of: links.source, at: place)
    }

    /// The keys of related records without a place of their own, which `add` therefore puts at the end: their place is
    /// nil, or another record of the list has it, or the record is new and is not the last.
    func unplaced(_ related: [RelationshipLinks.Link]) throws -> Set<StoredValue> {
        guard !links.isManyToMany, !related.isEmpty, let place = links.place,
            links.entity.attributes[place].type.holdsPlaces
        else { return [] }
        let shared = try links.sharedPlaces(of: related, in: context)
        let new = related.filter { context.isUnplaced($0.key, of: links.source) }
        var unplaced = Set(related.filter { $0.place == .null || shared.contains($0.place) }.map(\.member))
        guard !new.isEmpty else { return unplaced }
        let last = try links.last(in: context)
        for link in new where !unplaced.contains(link.member) {
            if link.key == last?.key { notePlaced(link.key) } else { unplaced.insert(link.member) }
        }
        return unplaced
    }

    private func put(_ link: RelationshipLinks.Link, _ place: Assignment) throws {
        _ = try context.updateAll(
            FetchRequest(
                entity: links.source, condition: .compare(position: links.entity.keyPosition, .equal, link.key)),
            setting: [place])
    }

    /// Runs a closure that gives links new places. If places are unique, another link may still have one of these
    /// places: then all links that move are first put behind the last place, if there is room, and the closure runs
    /// again.
    func moving(_ moved: [(link: RelationshipLinks.Link, place: Int64)], _ body: () throws -> Void) throws {
        do {
            try context.savepoint(body)
        } catch let error as GranaryError where error.code == .uniqueness {
            guard let place = links.place, let greatest = links.entity.attributes[place].type.greatestPlace,
                let last = try links.last(in: context)?.place.wholeNumber
            else { throw error }
            let movers = try moved.filter { try placement($0.place)?.value != $0.link.place }
            let highest = max(last, moved.map(\.place).max() ?? 0)
            guard highest <= greatest - Int64(movers.count) else { throw error }
            for (offset, mover) in movers.enumerated() {
                if let interim = try placement(highest + 1 + Int64(offset)) { try put(mover.link, interim) }
            }
            try body()
        }
    }

    /// The place after the last one, with room for `count` more places. If there is no such place, as after `Int64.max`
    /// or infinity, every link gets a new place.
    ///
    /// - Parameter moved: The related records that leave their places.
    func end(leaving count: Int, besides moved: Set<StoredValue> = []) throws -> Int64 {
        guard let place = links.place, let greatest = links.entity.attributes[place].type.greatestPlace,
            let last = try links.last(besides: moved, in: context)?.place, last != .null
        else { return 0 }
        if links.hasGaps {
            if let number = last.integer, let next = ListPlaces.after(number, count: count) { return next }
        } else if let number = last.wholeNumber, number < greatest - Int64(count) {
            return number + 1
        }
        let existing = try links.all(in: context).filter { !moved.contains($0.member) }
        try arrange(existing)
        return Int64(existing.count) * links.step
    }

    /// A place in the type of the attribute that holds it; nil if the attribute is not a number.
    func placement(_ index: Int64) throws -> Assignment? {
        guard let place = links.place, links.entity.attributes[place].type.holdsPlaces else { return nil }
        let attribute = links.entity.attributes[place]
        let value: StoredValue = attribute.type.storage == .real ? .real(Double(index)) : .integer(index)
        try attribute.check(value, in: links.entity)
        return Assignment(position: place, value: value)
    }
}

extension AttributeType {
    /// Whether the type can hold places in an order.
    var holdsPlaces: Bool { greatestPlace != nil }

    /// The greatest number up to which the type holds every whole number; nil if it is not a number, or has a unit.
    fileprivate var greatestPlace: Int64? {
        switch self {
        case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64: integerRange?.upperBound
        case .float: 1 << 24
        case .double: 1 << 53
        case .bool, .scaledDecimal, .decimal, .string, .data, .date, .uuid, .url, .json: nil
        }
    }
}

extension StoredValue {
    /// The number, rounded up.
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value.rounded(.up))
        case .null, .text, .bytes: nil
        }
    }
}
