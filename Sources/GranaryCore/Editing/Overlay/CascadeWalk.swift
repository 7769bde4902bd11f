// `DeletionWorklist` carries out a deletion. This walk only asks which records would be deleted together with records
// that are deleted elsewhere: it denies nothing and sets no reference to nil.

extension [EntityRules] {
    /// Follows references with the rule `cascade` from deleted records to the records that are deleted with them, and
    /// from these further on.
    ///
    /// - Parameter joining: Gets a request for records whose reference holds one of some keys, and the position of the
    ///   reference. Returns the records that are deleted too, each only once, so that circles end.
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
