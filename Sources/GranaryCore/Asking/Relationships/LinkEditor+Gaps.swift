// Making room follows Dietz and Sleator ("Two algorithms for maintaining order in a list", 1987): the links after the gap
// are walked until they lie so far apart that all of them and the new one can be distributed evenly. The further the walk
// goes, the wider the gaps that it leaves, so the number of links written for an insertion is logarithmic on average.

/// No list is longer.
private let mostPlaces = Int.max / 2

extension LinkEditor {
    /// Relates a record at a place in the order, or moves its link there.
    func insertIntoGap(_ key: StoredValue, at index: Int) throws {
        let current = try links.among([key], in: context).first
        guard let place = try room(at: index, for: current) else { return }
        if let current { try arrange(current, at: place) } else { try link(key, at: place) }
    }

    func moveIntoGap(from index: Int, to other: Int) throws {
        let start = max(0, index - 1)
        let near = try index < 0 || index > mostPlaces ? [] : links.some(from: start, count: 3, in: context)
        guard near.indices.contains(index - start) else { throw notThere(index, count: try links.count(in: context)) }
        // Where places are equal, the keys decide: then the whole list tells which link it is.
        let link = near.areApart ? near[index - start] : try links.all(in: context)[index]
        guard let place = try room(at: other, for: link) else { return }
        try arrange(link, at: place)
    }

    func notThere(_ index: Int, count: Int) -> GranaryError {
        GranaryError(
            .invalidQuery,
            "\(links.relationship.name) has \(count) records, and none at place \(index). Give a place from 0 on.",
            entity: links.ownerEntity)
    }

    /// A number between the links before and at an index. If there is none, other links are given new numbers.
    ///
    /// - Parameter moved: The link that is moved, which is not counted; nil for a new one.
    /// - Returns: Nil if the moved link is there already.
    private func room(at index: Int, for moved: RelationshipLinks.Link?) throws -> Int64? {
        let index = min(max(0, index), mostPlaces)
        let start = max(0, index - 2)
        let near = try links.some(from: start, count: index - start + 2, besides: moved?.key, in: context)
        guard near.areApart else { return try renumbered(at: index, besides: moved) }
        let next = index - start
        let own = moved?.place.integer
        guard near.indices.contains(next), let following = near[next].place.integer else {
            let last = try links.last(besides: moved.map { [$0.member] } ?? [], in: context)?.place.integer
            if let own, last.map({ $0 < own }) ?? true { return nil }
            return try ListPlaces.after(last) ?? renumbered(at: .max, besides: moved)
        }
        let previous = next > 0 ? near[next - 1].place.integer : nil
        if let own, own < following, previous.map({ $0 < own }) ?? true { return nil }
        guard let previous else {
            return try ListPlaces.before(following)?.first ?? renumbered(at: index, besides: moved)
        }
        if let place = ListPlaces.between(previous, following)?.first { return place }
        return try roomMade(after: previous, besides: moved) ?? renumbered(at: index, besides: moved)
    }

    /// Distributes the links after a place anew, as few as possible. Returns a number between this place and theirs; nil
    /// if equal places, or the end of the numbers, forbid it.
    private func roomMade(after place: Int64, besides moved: RelationshipLinks.Link?) throws -> Int64? {
        var limit = 32
        while true {
            let following = try links.following(place, limit: limit, besides: moved?.key, in: context)
            guard following.areApart else { return nil }
            let numbers = following.compactMap(\.place.integer)
            let end = numbers.indices.first { index in
                UInt64(bitPattern: numbers[index] &- place) > UInt64((index + 1) * (index + 1))
            }
            if end == nil, following.count == limit {
                limit *= 4
                continue
            }
            let count = end ?? following.count
            let places =
                if let end {
                    ListPlaces.between(place, numbers[end], count: count + 1)
                } else {
                    // Not a multiple of the step, as the record is not added at the end.
                    ListPlaces.after(place, count: count + 2).map { first in
                        (0...count).map { first + ListPlaces.step / 2 + Int64($0) * ListPlaces.step }
                    }
                }
            guard let places, let first = places.first else { return nil }
            let shifted = zip(following, places.dropFirst()).map { (link: $0, place: $1) }
            try moving(shifted) { for (link, place) in shifted { try arrange(link, at: place) } }
            return first
        }
    }

    /// Gives every link a new number and leaves one out, which is returned.
    private func renumbered(at index: Int, besides moved: RelationshipLinks.Link?) throws -> Int64 {
        let others = try links.all(in: context).filter { $0.key != moved?.key }
        let index = min(index, others.count)
        let arranged = others.enumerated().map { number, link in
            (link: link, place: Int64(number < index ? number : number + 1) * ListPlaces.step)
        }
        try moving(arranged) { for (link, place) in arranged { try arrange(link, at: place) } }
        return Int64(index) * ListPlaces.step
    }
}

extension RelationshipLinks {
    /// Whether places are numbers with gaps: see ``ListPlaces``.
    var hasGaps: Bool { isManyToMany && place.map { entity.attributes[$0].type == .int64 } ?? false }

    /// The distance of the places of records that are added.
    var step: Int64 { hasGaps ? ListPlaces.step : 1 }
}

extension [RelationshipLinks.Link] {
    /// Whether all places are whole numbers that ascend.
    fileprivate var areApart: Bool {
        allSatisfy { $0.place.integer != nil } && zip(self, dropFirst()).allSatisfy { $0.place < $1.place }
    }
}

extension StoredValue {
    /// The value of an integer; nil for any other value.
    var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }
}
