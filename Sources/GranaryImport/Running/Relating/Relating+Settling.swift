import GranaryCore

extension Relating {
    /// Makes lists what they are to be: those of one relationship together, unless others share its links or an owner has
    /// several.
    mutating func settle(_ lists: [SettledList]) throws {
        var groups: [[SettledList]] = []
        var places: [[Int]: Int] = [:]
        var sources: [Int: [Int]] = [:]
        var owners: [Set<StoredValue>] = []
        for list in lists {
            let relationship = plans.schema.entities[list.owner.entity].relationships[list.owner.relationship]
            let source = try plans.schema.position(ofEntity: relationship.entity)
            let place = [list.owner.entity, list.owner.relationship]
            if let index = places[place], sources[source] == place, owners[index].insert(list.owner.key).inserted {
                groups[index].append(list)
            } else {
                places[place] = groups.count
                groups.append([list])
                owners.append([list.owner.key])
            }
            sources[source] = place
        }
        for lists in groups {
            let owner = lists[0].owner
            let group = try RelationshipLists(lists, of: owner.relationship, try plans.plan(owner.entity), session)
            try group.settle(asksAll: groups.count > 1, hasWaiting: hasWaiting, &outcome.waiting)
        }
    }
}
