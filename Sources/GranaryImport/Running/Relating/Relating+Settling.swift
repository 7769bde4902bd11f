import GranaryCore

/// A to-many relationship of an entity, by its place among the entity's.
private struct RelationshipPlace: Hashable {
    let entity: Int
    let relationship: Int
}

extension Relating {
    /// Makes lists what they are to be: those of one relationship together, unless others share its links or an owner has
    /// several.
    mutating func settle(_ lists: [SettledList]) throws {
        var groups: [[SettledList]] = []
        // The numbers of the last groups, by relationship, and the relationship that has used links last.
        var numbers: [RelationshipPlace: Int] = [:]
        var users: [Int: RelationshipPlace] = [:]
        var owners: [Set<StoredValue>] = []
        for list in lists {
            let place = RelationshipPlace(entity: list.owner.entity, relationship: list.owner.relationship)
            let source = try plans.plan(place.entity).links[place.relationship].source
            if let number = numbers[place], users[source] == place, owners[number].insert(list.owner.key).inserted {
                groups[number].append(list)
            } else {
                numbers[place] = groups.count
                groups.append([list])
                owners.append([list.owner.key])
            }
            users[source] = place
        }
        for lists in groups {
            let owner = lists[0].owner
            var group = try RelationshipLists(lists, of: owner.relationship, try plans.plan(owner.entity), session)
            try group.settle(
                asksAll: groups.count > 1, isUndisturbed: groups.count == 1 && outcome.connected.isEmpty,
                hasWaiting: hasWaiting, &outcome.waiting)
        }
    }
}
