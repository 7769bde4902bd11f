// What a deletion does is worked out by `DeletionWorklist`, once it is made. Here it is only asked which records would go along
// with some that are deleted elsewhere: nothing forbids, and no reference is lost.

extension [EntityRules] {
    /// Follows references with the rule `cascade` from records that are deleted to those that go with them, and from these
    /// further on.
    ///
    /// - Parameter joining: Gets a request for records whose reference holds one of some keys, and the position of the
    ///   reference. Returns those of them that go along and were not come across before: circles end by that.
    package func followCascades(
        from deleted: [RecordChange.Place], _ joining: (FetchRequest, _ position: Int) throws -> [RecordChange.Place]
    ) rethrows {
        var left = deleted
        while !left.isEmpty {
            let groups = Dictionary(grouping: left, by: \.entity)
            left = []
            for (entity, places) in groups {
                for incoming in self[entity].incoming where incoming.rule == .cascade {
                    for keys in places.map(\.key).sorted().chunks(of: PlacedDeletion.together) {
                        let request = FetchRequest(
                            entity: incoming.entity, condition: .isListed(keys, at: incoming.position))
                        left += try joining(request, incoming.position)
                    }
                }
            }
        }
    }
}
